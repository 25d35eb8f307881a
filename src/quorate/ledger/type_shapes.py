"""How values of a type are written as plain JSON types and read back, worked out once per type from its hints."""

import dataclasses
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, Union, cast, get_args, get_origin, get_type_hints

from quorate.errors import LedgerBroken, OtherVersion
from quorate.model.once import lazy_pattern
from quorate.model.panel import Panel
from quorate.model.texts import FORGOTTEN
from quorate.model.verdict import Rulebook

Keep = Callable[[str], object]
"""What is written in place of somebody's words."""
Words = Mapping[str, str]
"""The words that are still there, by their hash."""

HASH: Final = "sha256"
_FRACTION = lazy_pattern(r"-?[0-9]{1,4000}(?:/[0-9]{1,4000})?")
_SHORT: Final = 24
_EMPTY: Final = (None, "", (), False, 0)


class Shape(NamedTuple):
    """A writer and a reader that undo each other."""

    write: Callable[[Any, Keep], Any]
    read: Callable[[Any, Words], Any]


class _Part(NamedTuple):
    """How a field is written. What is of the `plain` type goes as it is: most fields do, and a call would cost more.

    What is an empty value of its `kind` is left out; of a field that is always written that is no type of a value.
    """

    name: str
    kind: type
    plain: object
    write: Callable[[Any, Keep], Any]


@cache
def shape(hint: object) -> Shape:
    """Work out the shape of a type.

    Raises:
        TypeError: events cannot hold such a thing.
    """
    if hint is str or hint is int or hint is bool:
        return _plain(hint)
    if hint is Fraction:
        return Shape(_write_fraction, _read_fraction)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _record(hint)
    return _composed(hint)


def _composed(hint: object) -> Shape:
    """The shape of a Literal, a tuple, or a type that may be missing."""
    origin = get_origin(hint)
    if origin is Literal:
        return _literal(get_args(hint))
    if origin is tuple:
        return _tuple(get_args(hint))
    arms = [arm for arm in get_args(hint) if arm is not NoneType]
    if origin in (Union, UnionType) and len(arms) == 1:
        return _optional(arms[0])
    raise TypeError(f"an event cannot hold {hint!r}; use str, int, bool, Fraction, Literal, tuples or dataclasses")


def _wrong(value: object, wanted: str) -> LedgerBroken:
    return LedgerBroken(f"{repr(value)[:60]} stands where {wanted} should; the record was changed or cut")


# A cast would be a call for each of thousands.
def _list(plain: object, wanted: str) -> list[object]:
    if not isinstance(plain, list):
        raise _wrong(plain, wanted)
    return plain  # pyright: ignore[reportUnknownVariableType]


def _object(plain: object, wanted: str) -> dict[str, object]:
    if not isinstance(plain, dict):
        raise _wrong(plain, wanted)
    return plain  # pyright: ignore[reportUnknownVariableType]


_CALLED: Final = {str: "a text", int: "a whole number", bool: "true or false"}


def _plain(kind: type) -> Shape:
    def write(value: object, _keep: Keep) -> object:
        if type(value) is not kind:
            raise TypeError(f"{value!r} is no {kind.__name__}, so it would not be read back")
        return value

    def read(plain: object, _words: Words) -> object:
        if type(plain) is not kind:
            raise _wrong(plain, _CALLED[kind])
        return plain

    return Shape(write, read)


def _write_fraction(value: object, _keep: Keep) -> str:
    if not isinstance(value, Fraction):
        raise TypeError(f"{value!r} is no Fraction, so it would not be read back")
    over, under = value.as_integer_ratio()
    return str(over) if under == 1 else f"{over}/{under}"


def _read_fraction(plain: object, _words: Words) -> Fraction:
    if type(plain) is str and len(plain) <= _SHORT:
        return _short_fraction(plain)
    return _fraction(plain)


@lru_cache(1024)
def _short_fraction(plain: str) -> Fraction:
    """The same few shares come again and again, and to make one costs more than to find it."""
    return _fraction(plain)


def _fraction(plain: object) -> Fraction:
    if type(plain) is not str or not _FRACTION.fullmatch(plain):
        raise _wrong(plain, "a fraction")
    over, _, under = plain.partition("/")
    if under and not int(under):
        raise _wrong(plain, "a fraction")
    return Fraction(int(over), int(under or 1))


def _literal(allowed: tuple[Any, ...]) -> Shape:
    listed = ", ".join(map(repr, allowed))

    def write(value: object, _keep: Keep) -> object:
        if value not in allowed:
            raise TypeError(f"{value!r} is none of {listed}, so it would not be read back")
        return value

    def read(plain: object, _words: Words) -> object:
        if type(plain) is not str or plain not in allowed:
            raise _wrong(plain, f"one of {listed}")
        return plain

    return Shape(write, read)


def _tuple(arms: tuple[Any, ...]) -> Shape:
    if arms[1:] == (...,):
        return _many(shape(arms[0]))
    shapes = tuple(shape(arm) for arm in arms)
    wanted, plain = f"a list of {len(shapes)}", all(arm in _CALLED for arm in arms)

    def write(value: Any, keep: Keep) -> object:  # noqa: ANN401
        if plain and (*map(type, value),) == arms:
            return [*value]
        return [part.write(item, keep) for part, item in zip(shapes, value, strict=True)]

    def read(plain: object, words: Words) -> object:
        items = _list(plain, wanted)
        if len(items) != len(shapes):
            raise _wrong(plain, wanted)
        return tuple([part.read(item, words) for part, item in zip(shapes, items, strict=True)])

    return Shape(write, read)


def _many(each: Shape) -> Shape:
    write_one, read_one = each

    def write(value: Any, keep: Keep) -> object:  # noqa: ANN401
        return [write_one(item, keep) for item in value]

    def read(plain: object, words: Words) -> object:
        return tuple([read_one(item, words) for item in _list(plain, "a list")])

    return Shape(write, read)


def _optional(arm: object) -> Shape:
    inner = shape(arm)

    def write(value: object, keep: Keep) -> object:
        return None if value is None else inner.write(value, keep)

    def read(plain: object, words: Words) -> object:
        return None if plain is None else inner.read(plain, words)

    return Shape(write, read)


def _write_words(value: object, keep: Keep) -> object:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no str, so it would not be read back")
    return keep(value) if value else ""


def _read_words(plain: object, words: Words) -> str:
    if plain == "":
        return ""
    written = _object(plain, "the hash of somebody's words")
    name = written.get(HASH)
    if not isinstance(name, str) or len(written) > 1:
        raise _wrong(plain, "the hash of somebody's words")
    return words.get(name, FORGOTTEN)


_WORDS: Final = Shape(_write_words, _read_words)


def _field_shape(field: "dataclasses.Field[Any]", hint: object) -> Shape:
    if not field.metadata.get("words"):
        return shape(hint)
    if hint is str:
        return _WORDS
    if hint == tuple[str, ...]:
        return _many(_WORDS)
    raise TypeError(f"{field.name!r} is marked as words but is neither str nor tuple[str, ...]")


def _record(kind: type) -> Shape:
    hints = get_type_hints(kind)
    inline = {field.name: get_args(hints[field.name]) for field in dataclasses.fields(kind) if _is_inline(field)}
    fields = [field for field in dataclasses.fields(kind) if not _is_inline(field)]
    shapes = {field.name: _field_shape(field, hints[field.name]) for field in fields}
    parts = tuple(_part(field, hints[field.name], shapes[field.name]) for field in fields)
    write, read = _record_writer(parts), _record_reader(kind, shapes | dict.fromkeys(inline, _READ), hints)
    if kind in _KEPT_WRITTEN:
        write = _kept_with_it(write)
    for name, arms in inline.items():
        write, read = _inline_writer(name, write), _inline_reader(kind, name, arms, read)
    return Shape(write, read)


_KEPT_WRITTEN: Final = frozenset({Panel, Rulebook})
"""They hold nobody's words, and one of each stands in all deliberations that are convened by one charter."""
_WRITTEN: Final = "_written"


def _kept_with_it(write: Callable[[Any, Keep], Any]) -> Callable[[Any, Keep], Any]:
    """Write it once and keep that with it, as whatever else is worked out of it once."""

    def write_once(value: Any, keep: Keep) -> object:  # noqa: ANN401
        if keep is str:  # it is handed out, and whoever gets it may change it
            return write(value, keep)
        written: object = value.__dict__.get(_WRITTEN)
        if written is None:
            written = value.__dict__[_WRITTEN] = write(value, keep)
        return written

    return write_once


def _as_it_is(value: object, _by: object) -> object:
    return value


_READ: Final = Shape(_as_it_is, _as_it_is)
"""What has been read already."""


def _is_inline(field: "dataclasses.Field[Any]") -> bool:
    return bool(field.metadata.get("inline"))


def _inline_writer(name: str, write: Callable[[Any, Keep], Any]) -> Callable[[Any, Keep], Any]:
    value_of = attrgetter(name)

    def write_all(value: object, keep: Keep) -> dict[str, Any]:
        one: object = value_of(value)
        return {**shape(cast("object", type(one))).write(one, keep), **write(value, keep)}

    return write_all


def _inline_reader(
    kind: type, name: str, arms: tuple[type, ...], read: Callable[[Any, Words], Any]
) -> Callable[[Any, Words], Any]:
    """Which one it is, is told by the first field of each; the rest of the object belongs to what is around it."""
    first = {dataclasses.fields(arm)[0].name: arm for arm in arms}
    fields = {arm: {field.name for field in dataclasses.fields(arm)} for arm in arms}

    def read_all(plain: object, words: Words) -> object:
        written = _object(plain, f"a {kind.__name__}")
        named = [arm for key, arm in first.items() if key in written]
        if len(named) != 1:
            raise _wrong(plain, f"a {kind.__name__} with one of {', '.join(first)}")
        (arm,) = named
        inner = {key: item for key, item in written.items() if key in fields[arm]}
        around = {key: item for key, item in written.items() if key not in inner}
        return read({**around, name: shape(arm).read(inner, words)}, words)

    return read_all


def _empty_by_default(field: "dataclasses.Field[Any]") -> object:
    """What may be left out: only an empty default, so that changing another default cannot change the past."""
    default = field.default
    return default if any(default is empty for empty in _EMPTY) else dataclasses.MISSING


def _part(field: "dataclasses.Field[Any]", hint: Any, shape: Shape) -> _Part:  # noqa: ANN401  a hint is anything
    empty = _empty_by_default(field)
    return _Part(field.name, cast("type", type(empty)), _plain_type(hint, shape), shape.write)


def _plain_type(hint: Any, shape: Shape) -> object:  # noqa: ANN401  a hint is anything
    """What goes into JSON and comes out of it as it is, none if nothing of that type does."""
    [*arms] = (arm for arm in get_args(hint) if arm is not NoneType) if get_origin(hint) is UnionType else (hint,)
    return arms[0] if arms[0] in _CALLED and shape is not _WORDS else None


def _record_writer(parts: tuple[_Part, ...]) -> Callable[[Any, Keep], Any]:
    # One more name than needed: attrgetter gives a tuple only from two on.
    values = attrgetter(*(part.name for part in parts), "__class__")
    # Tuples of no class of their own are taken apart faster.
    rows = tuple((part.name, part.kind, part.plain, part.write) for part in parts)

    def write(value: object, keep: Keep) -> dict[str, Any]:
        return {
            name: item if item.__class__ is plain else put(item, keep)
            for (name, kind, plain, put), item in zip(rows, values(value))  # noqa: B905 - the last one is not meant
            if item or item.__class__ is not kind
        }

    return write


def _record_reader(kind: type, shapes: Mapping[str, Shape], hints: Mapping[str, Any]) -> Callable[[Any, Words], Any]:
    parts: dict[str, tuple[Any, Callable[[Any, Words], Any]]]
    parts = {name: (_plain_type(hints[name], part), part.read) for name, part in shapes.items()}
    wanted = f"a {kind.__name__}"

    def read(plain: object, words: Words) -> object:
        written = _object(plain, wanted)
        if not written.keys() <= parts.keys():
            raise OtherVersion(
                f"another version of quorate wrote it: this one can't read the field "
                f"{min(written.keys() - parts.keys())!r} of {kind.__name__}"
            )
        values: dict[str, object] = {}
        try:
            for name, item in written.items():
                plain_type, get = parts[name]
                values[name] = item if item.__class__ is plain_type else get(item, words)
            return kind(**values)
        except (TypeError, ValueError) as error:
            raise LedgerBroken(f"a {kind.__name__} is incomplete: {error}; the record was changed or cut") from error

    return read
