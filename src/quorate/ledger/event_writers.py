"""How an event is written in plain JSON types: field by field, or by a function of its own once there are many of it.

Both write the same. `type_shapes` takes every record apart by a loop that fits all types; in what is compiled for one
type each field has a line of its own, and what lies in a field is written where it lies. That takes half the time, and
to compile it as long as to write a few hundred.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from quorate.frozen import compile_function
from quorate.ledger.type_shapes import Keep, empty_by_default, field_shape, is_inline, plain_type, shape
from quorate.model import Event

__all__ = ["NAME", "compiled_writer", "write_event"]

Write = Callable[[Any, Keep], dict[str, Any]]

NAME: Final = "event"
"""Where it stands which event it is."""
_OFTEN: Final = 50
"""A host writes thousands of most events, and a command a few: to compile for those takes longer than to write them."""
_COMPILED: Final[dict[type, Write]] = {}
_WRITTEN: Final = Counter[type]()
_INDENT: Final = "    "
_TYPES: Final = {kind.__name__: kind for kind in (str, int, bool, tuple)}


def write_event(event: Event, keep: Keep) -> dict[str, Any]:
    """Write an event, its words as `keep` says."""
    kind: type = type(event)
    written = (_COMPILED.get(kind) or _writer_of(kind))(event, keep)
    written[NAME] = kind.__name__
    return written


def _writer_of(kind: type) -> Write:
    _WRITTEN[kind] += 1
    if _WRITTEN[kind] < _OFTEN:
        return shape(kind).write
    _COMPILED[kind] = compiled_writer(kind)
    return _COMPILED[kind]


@cache
def compiled_writer(kind: type) -> Write:
    """What writes a record of this type, with its words as `keep` says."""
    text = _Text()
    text.add("written = {}")
    text.record(kind, "value", "written")
    text.add("return written")
    return text.compiled()


class _Text:
    """The lines of a writer, and what they name."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._known: dict[str, object] = {"writer_of": compiled_writer, **_TYPES}
        self._depth = 0
        self._names = 0

    def add(self, line: str) -> None:
        self._lines.append(_INDENT * self._depth + line)

    def compiled(self) -> Write:
        write: Write = compile_function("write", ("value", "keep"), self._lines, self._known)
        return write

    def record(self, kind: type, value: str, into: str) -> None:
        """Write every field of a record; one whose fields stand among its own comes first, and gives way to them."""
        hints = get_type_hints(kind)
        fields = dataclasses.fields(kind)
        for field in filter(is_inline, fields):
            self.add(f"inner = {value}.{field.name}")
            self.add(f"{into}.update(writer_of(inner.__class__)(inner, keep))")
        for field in fields:
            if not is_inline(field):
                self._field(field, hints[field.name], value, into)

    def _field(self, field: "dataclasses.Field[Any]", hint: Any, value: str, into: str) -> None:  # noqa: ANN401  a hint is anything
        """Write a field, unless it is empty as it may be."""
        item, outer = self._named("item"), self._depth
        self.add(f"{item} = {value}.{field.name}")
        empty = empty_by_default(field)
        if empty is None:
            self.add(f"if {item} is not None:")
        elif empty is not dataclasses.MISSING:
            self.add(f"if {item} or {item}.__class__ is not {type(empty).__name__}:")
        if empty is not dataclasses.MISSING:
            self._depth += 1
        self._value(field, hint, item, f"{into}[{field.name!r}]")
        self._depth = outer

    def _value(self, field: "dataclasses.Field[Any]", hint: Any, item: str, place: str) -> None:  # noqa: ANN401  the same
        """Write what lies in a field; whatever is not of the type that goes as it is, by the shape of its own."""
        shape = field_shape(field, hint)
        put = f"{self._knows('put', shape.write)}({item}, keep)"
        if field.metadata.get("words") and hint is str:
            self.add(f"{place} = keep({item}) if {item} and {item}.__class__ is str else {put}")
        elif isinstance(plain := plain_type(hint, shape), type):
            self.add(f"{place} = {item} if {item}.__class__ is {plain.__name__} else {put}")
        elif dataclasses.is_dataclass(hint) or (field.default is None and dataclasses.is_dataclass(_present(hint))):
            inner = self._named("inner")
            self.add(f"{place} = {inner} = {{}}")
            self.record(_present(hint), item, inner)
        elif isinstance(each := _each(hint), type) and dataclasses.is_dataclass(each):
            write = self._knows("write", compiled_writer(each))
            self.add(f"{place} = [{write}(one, keep) for one in {item}]")
        else:
            self.add(f"{place} = {put}")

    def _named(self, what: str) -> str:
        self._names += 1
        return f"{what}_{self._names}"

    def _knows(self, what: str, thing: object) -> str:
        name = self._named(what)
        self._known[name] = thing
        return name


def _present(hint: Any) -> Any:  # noqa: ANN401  the same
    """What may be missing, where it is not."""
    [*arms] = (arm for arm in get_args(hint) if arm is not NoneType)
    return arms[0] if get_origin(hint) is UnionType and len(arms) == 1 else hint


def _each(hint: object) -> object:
    """What a tuple of any length holds."""
    arms = get_args(hint)
    return arms[0] if get_origin(hint) is tuple and arms[1:] == (...,) else None
