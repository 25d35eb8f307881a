"""Requests as a body of fields, for callers over HTTP and MCP: made from the one table of options and the question."""

from collections.abc import Callable, Mapping
from dataclasses import field as dataclass_field
from dataclasses import make_dataclass
from typing import Annotated, Any, Final, NamedTuple

from quorate.errors import BadSetting
from quorate.model import Question
from quorate.service.request import Request
from quorate.settings.option import Option, Place
from quorate.settings.table import options_at

__all__ = ["MOST_NAMED", "VALUE", "RequestField", "body_class", "request_fields", "request_from_fields"]

MOST_NAMED: Final = 100
"""Settings, seats and models of a request each. A body has room for 20,000; putting those together takes a minute."""
VALUE: Final = str | int | float | None
PAIRS: Final = Mapping[str, str | int | float | bool]


class RequestField(NamedTuple):
    """One field of a request's body. `make_default` makes what holds if it is left out; none if it is needed."""

    name: str
    type: Any
    about: str
    make_default: Callable[[], object] | None = None


_QUESTION: Final = (
    RequestField("question", str, "What is to be decided."),
    RequestField("options", tuple[str, ...], "What to choose from.", tuple),
    RequestField("context", str, "Background the models should know. Always text, never the name of a file.", str),
    RequestField("criteria", str, "What would settle the question.", str),
)
_TYPES: Final[Mapping[str, tuple[Any, Callable[[], object]]]] = {
    "value": (VALUE, lambda: None),
    "parts": (VALUE, lambda: None),
    "list": (tuple[str, ...], tuple),
    "pairs": (PAIRS, dict),
    "switch": (bool, bool),
}


def request_fields(place: Place) -> tuple[RequestField, ...]:
    """Everything a caller may say there: the question, and each option of the table that may be said in that place."""
    return (*_QUESTION, *map(_field, options_at(place)))


def _field(option: Option[Any]) -> RequestField:
    kind, make_default = _TYPES[option.shape]
    return RequestField(option.name, kind, f"{option.about[:1].upper()}{option.about[1:]}.", make_default)


def body_class(name: str, fields: tuple[RequestField, ...]) -> type[Any]:
    """A frozen class with these fields, which a schema and a reader are made from."""
    made = [(one.name, Annotated[one.type, one.about], _default(one)) for one in fields]
    return make_dataclass(name, made, frozen=True, kw_only=True)


def _default(one: RequestField) -> Any:  # noqa: ANN401 - what dataclasses call a field
    return dataclass_field() if one.make_default is None else dataclass_field(default_factory=one.make_default)


def request_from_fields(values: Mapping[str, Any], place: Place) -> Request:
    """What a caller asks for, of the values of its fields.

    Raises:
        BadSetting: a field lists too much.
    """
    options: dict[str, Any] = {}
    for option in options_at(place):
        value = values.get(option.name)
        if option.shape in {"list", "pairs"} and len(value or ()) > MOST_NAMED:
            raise BadSetting(f"the field {option.name!r} takes at most {MOST_NAMED} entries")
        if option.shape != "switch" and value not in (None, (), [], {}):
            options[option.name] = _written(value)
    return Request(
        question=Question(
            values["question"],
            options=tuple(values.get("options", ())),
            context=values.get("context", ""),
            criteria=values.get("criteria", ""),
        ),
        options=options,
        place=place,
        allow_partial=bool(values.get("allow_partial")),
    )


def _written(value: object) -> object:
    """A value as a file would write it."""
    match value:
        case Mapping():
            return tuple((str(name), _written(one)) for name, one in value.items())
        case bool():
            return str(value).lower()
        case list() | tuple():
            return tuple(str(one) for one in value)
        case _:
            return str(value)
