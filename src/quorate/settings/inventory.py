"""What there is to choose from: protocols, rules, rulebooks, panels and options, as JSON for every door."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from quorate import catalogue, presets
from quorate.catalogue import Kind, Setting
from quorate.errors import BadPlugin
from quorate.model import PartRef, Rulebook
from quorate.model.charter import Charter
from quorate.settings import table

__all__ = ["catalogue_documents", "option_documents", "panel_document", "protocol_documents", "rulebook_document"]

Json = dict[str, Any]


def catalogue_documents() -> Iterator[Json]:
    """Every protocol, rule and rulebook, with what it is for and its settings."""
    kinds: tuple[Kind, ...] = ("protocol", "rule")
    for kind in kinds:
        for name in catalogue.names(kind):
            try:
                settings = [*_settings_of(kind, name)]
                yield {"kind": kind, "name": name, "about": catalogue.summary(kind, name), "settings": settings}
            except BadPlugin as wrong:
                yield {"kind": kind, "name": name, "about": str(wrong), "settings": []}
    yield from map(rulebook_document, presets.rulebooks().values())


def rulebook_document(book: Rulebook) -> Json:
    """A rulebook: its rules in order, in words."""
    first = ", ".join(named.name for named in book.rules)
    return {
        "kind": "rulebook",
        "name": book.name,
        "about": f"{first}, else {book.otherwise.name}",
        "asks": [*_asks(book)],
    }


def panel_document(name: str, charter: Charter) -> Json:
    """A panel: its protocol and its seats."""
    seats = [{"seat": seat.name, "powers": list(seat.powers), "role": seat.role} for seat in charter.panel]
    return {"panel": name, "protocol": charter.protocol, "demo": charter.panel.demo, "seats": seats}


def protocol_documents() -> Iterator[Json]:
    """Every protocol that can be used, with all that a form needs to ask for: seats, rounds, outcomes, settings."""
    for name, spec in catalogue.protocols().items():
        variant = next(iter(spec.variants.values()), None)
        yield {
            "name": name,
            "title": name.replace("_", " ").capitalize(),
            "about": catalogue.summary("protocol", name),
            "rounds": [{"name": round_, "title": title} for round_, title in spec.titles],
            "outcomes": list(spec.outcomes),
            "open": not spec.outcomes or bool(variant and variant.listed),
            "rulebooks": [book.name for book in spec.books],
            "seats": panel_document(name, presets.panel(name))["seats"] if presets.is_panel(name) else [],
            "settings": [*_protocol_settings(name)],
        }


def _protocol_settings(name: str) -> Iterator[Json]:
    """What may be set for a protocol: its own, its count's, and the settings of the rules of its own rulebook."""
    spec = catalogue.protocol(name)
    own = catalogue.settings(spec.protocol)
    taken = {one.name for one in own} | dict(spec.count.settings).keys()
    counted = [one for one in catalogue.settings(catalogue.count(spec.count.name).count) if one.name not in taken]
    yield from (_form_field(one, one.name, "protocol") for one in own)
    yield from (_form_field(one, one.name, "count") for one in counted)
    for named in (*spec.rulebook.rules, spec.rulebook.otherwise, *spec.rulebook.unless):
        written = dict(named.settings)
        for one in catalogue.settings(catalogue.rule(named.name).function):
            yield {**_form_field(one, f"{named.name}.{one.name}", "rule"), **_default(one, written)}


def _form_field(setting: Setting, name: str, where: str) -> Json:
    kind = setting.type
    words = [str(word) for word in get_args(kind)] if get_origin(kind) is Literal else []
    return {
        "name": name,
        "type": "choice" if words else {bool: "switch", int: "integer"}.get(kind, "text"),
        "choices": words,
        **_default(setting, {}),
        "help": setting.choices,
        "where": where,
    }


def _default(setting: Setting, written: Mapping[str, str]) -> Json:
    empty = setting.default is inspect.Parameter.empty
    return {"default": written.get(setting.name, None if empty else str(setting.default))}


def option_documents() -> Iterator[Json]:
    """Options of the one table."""
    for option in table.TABLE:
        yield {
            "name": option.name,
            "type": option.shape,
            "choices": [],
            "default": option.default,
            "otherwise": option.otherwise,
            "help": option.help,
            "where": list(option.places),
        }


def _settings_of(kind: Kind, name: str) -> Iterator[Json]:
    """A rule's settings; a protocol's own, and what it leaves open of its way to count."""
    if kind == "rule":
        yield from _settings(catalogue.rule(name).function)
        return
    spec = catalogue.protocol(name)
    own = [*_settings(spec.protocol)]
    taken = {one["name"] for one in own} | dict(spec.count.settings).keys()
    yield from own
    yield from (one for one in _settings(catalogue.count(spec.count.name).count) if one["name"] not in taken)


def _settings(part: Any) -> Iterator[Json]:  # noqa: ANN401 - a function of the catalogue
    for setting in catalogue.settings(part):
        yield {"name": setting.name, "takes": setting.choices, **_default(setting, {})}


def _asks(book: Rulebook) -> Iterator[str]:
    for named in book.rules:
        yield f"asks {_named(named)}"
    yield f"else {_named(book.otherwise)}"
    for named in book.unless:
        yield f"cap  {_named(named)}"
    yield f"silence counts as {book.silence}"


def _named(named: PartRef) -> str:
    return f"{named.name}({', '.join(f'{key}={value}' for key, value in named.settings)})"
