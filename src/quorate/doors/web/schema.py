"""The types of requests and replies, said once: what is read is checked by them, and the API's document shows them."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from starlette.exceptions import HTTPException

__all__ = ["Json", "OpenRequest", "read_object", "read_query", "schema_of"]

T = TypeVar("T")
Json = dict[str, Any]

_PLAIN: Final[Mapping[object, Json]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}
_MOST: Final = 10**15


class OpenRequest:
    """A request that may say more than is read here: others have defined it, and add to it."""

    __slots__ = ()


def schema_of(kind: object) -> Json:
    """A type as JSON Schema."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return {**schema_of(inner[0]), "description": inner[1]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in {Union, types.UnionType}:
        return {"anyOf": [schema_of(one) for one in inner]}
    if origin in {tuple, list}:
        return {"type": "array", "items": schema_of(inner[0])}
    if origin is not None and issubclass(cast("type", origin), Mapping):
        return {"type": "object", "additionalProperties": schema_of(inner[1])}
    return dict(_PLAIN[kind]) if kind in _PLAIN else _object_schema(cast("type", kind))


def _object_schema(kind: type) -> Json:
    hints = get_type_hints(kind, include_extras=True)
    if is_typeddict(kind):
        needed = sorted(cast("Any", kind).__required_keys__)
    else:
        needed = [one.name for one in fields(cast("Any", kind)) if one.default is one.default_factory is MISSING]
    closed = {"additionalProperties": False} if is_dataclass(kind) and not issubclass(kind, OpenRequest) else {}
    properties = {_written(name): schema_of(hint) for name, hint in hints.items()}
    return {"type": "object", "properties": properties, "required": [_written(one) for one in needed], **closed}


def _written(name: str) -> str:
    """A field that Python has a word for bears an underscore here, and none outside."""
    return name.removesuffix("_")


def read_object(kind: type[T], given: object, where: str = "the body") -> T:
    """What a request says, as its type has it.

    Raises:
        HTTPException: it says something else, and what.
    """
    if not isinstance(given, dict):
        raise _wrong(where, "must be a JSON object", given)
    hints = get_type_hints(kind, include_extras=True)
    named = {_written(name): name for name in hints}
    said = cast("dict[str, object]", given)
    if issubclass(kind, OpenRequest):
        said = {name: value for name, value in said.items() if name in named}
    if unknown := sorted(said.keys() - named.keys()):
        raise HTTPException(400, f"{where} has no field {unknown[0][:60]!r}; there are {', '.join(sorted(named))}")
    values = {named[name]: _read(hints[named[name]], value, f"{where}: {name}") for name, value in said.items()}
    for one in fields(cast("Any", kind)):
        if one.name not in values and one.default is one.default_factory is MISSING:
            raise HTTPException(400, f"{where} needs the field {_written(one.name)!r}")
    return kind(**values)


def read_query(kind: type[T], given: Mapping[str, str]) -> T:
    """The same of the words after the question mark: texts, of which some are numbers or true and false."""
    hints = get_type_hints(kind, include_extras=True)
    named = {_written(name): _bare(hint) for name, hint in hints.items()}
    return read_object(kind, {name: _from_text(named.get(name), text) for name, text in given.items()}, "the query")


def _bare(kind: object) -> object:
    kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return next((one for one in get_args(kind) if one is not type(None)), kind) if _is_union(kind) else kind


def _is_union(kind: object) -> bool:
    return get_origin(kind) in {Union, types.UnionType}


def _from_text(kind: object, text: str) -> object:
    if kind is int and text.isascii() and text.removeprefix("-").isdecimal():
        return int(text[:18])
    return {"true": True, "false": False}.get(text, text) if kind is bool else text


def _read(kind: object, value: object, where: str) -> object:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _read(inner[0], value, where)
    if origin is Literal:
        return _one_of(inner, value, where)
    if _is_union(kind):
        return _read_union(inner, value, where)
    if origin is tuple and isinstance(value, list):
        listed = cast("list[object]", value)
        return tuple(_read(inner[0], one, f"{where}[{place}]") for place, one in enumerate(listed))
    if origin is not None and isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return {name: _read(inner[1], one, f"{where}.{name[:60]}") for name, one in pairs.items()}
    return _read_plain(kind, value, where)


def _read_plain(kind: object, value: object, where: str) -> object:
    if is_dataclass(kind) and isinstance(kind, type):
        return read_object(kind, value, where)
    if kind in {Any, object} or (kind in _PLAIN and _fits(kind, value)):
        return value
    raise _wrong(where, f"must be {_named(kind)}", value)


def _read_union(kinds: tuple[object, ...], value: object, where: str) -> object:
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        if kind is not type(None) and _fits(kind, value):
            return _read(kind, value, where)
    raise _wrong(where, f"must be {' or '.join(_named(kind) for kind in kinds)}", value)


def _fits(kind: object, value: object) -> bool:
    """Whether a value is of a kind, by its outermost part; a truth value is no number."""
    origin = get_origin(kind)
    if origin is Literal:
        return value in get_args(kind)
    if origin is not None:
        return isinstance(value, list if origin in {tuple, list} else dict)
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    if kind in {int, float}:
        return isinstance(value, int if kind is int else (int, float)) and abs(value) <= _MOST
    return isinstance(value, str if kind is str else dict)


def _one_of(known: tuple[object, ...], value: object, where: str) -> object:
    if value not in known:
        raise _wrong(where, f"must be one of {', '.join(map(str, known))}", value)
    return value


def _named(kind: object) -> str:
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    shape = schema_of(kind)
    return {"array": "a list", "object": "an object", "null": "null"}.get(
        shape.get("type", ""), f"{'an' if shape.get('type') == 'integer' else 'a'} {shape.get('type', 'value')}"
    )


def _wrong(where: str, must: str, value: object) -> HTTPException:
    return HTTPException(400, f"{where} {must}, not {value!r:.60}")
