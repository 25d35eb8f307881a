"""Panel files: who sits, which models answer, under what protocol, rules and limits, in YAML."""

import shlex
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Final, get_args

from quorate import catalogue, presets
from quorate.errors import BadPanel, BadSetting, QuorateError
from quorate.model import Panel, Power, Seat, Stance
from quorate.model.charter import DEFAULT_PROTOCOL, Charter
from quorate.model.numbers import exact, share
from quorate.model.panel import is_uninformed, plain
from quorate.panelists.cli.tools import variable_of
from quorate.panelists.registry import PROVIDERS
from quorate.settings import table
from quorate.settings.amounts import BUDGET_PARTS, switch
from quorate.settings.file_fields import Field, quote_text, read_bytes, read_document
from quorate.settings.layers import field_values
from quorate.settings.model_names import several
from quorate.settings.readers import models_of, text_pairs, texts_of
from quorate.settings.rulebook_file import amend_rulebook, check_outcomes, default_rulebook, setting_names
from quorate.settings.settings import Settings, Value, Values, spread

__all__ = ["charter_settings", "is_demo", "load_charter", "read_panel"]

APART: Final = (
    table.EXTENDS,
    table.PROTOCOL,
    table.SEATS,
    table.MODEL,
    table.FALLBACKS,
    table.SETTINGS,
    table.FILES,
    table.DEMO,
    table.KEYS,
    table.COMMANDS,
)
"""What a panel file means by these depends on what else stands in it, so they are read here."""


def load_charter(where: str) -> Charter:
    """A preset by its name, or a panel file by its path.

    Raises:
        BadPanel: no such preset or file, or one that cannot be read, with line and field.
    """
    file = read_panel(where)
    protocol, rulebook = file.get(table.PROTOCOL) or DEFAULT_PROTOCOL, file.get(table.RULEBOOK)
    return Charter(
        panel=file.panel,
        protocol=protocol,
        models=tuple(file[table.SEATS].items()),
        rulebook=check_outcomes(rulebook, protocol) if rulebook else None,
        settings=tuple(file[table.SETTINGS].items()),
        limits=file.limits,
        lookups=file.lookups,
    )


def read_panel(where: str) -> Settings:
    """The same, with what was said and what was not kept apart.

    Raises:
        BadPanel: as for `load_charter`.
    """
    if presets.is_panel(where):
        return _preset(where)
    name = where if where.isprintable() else repr(where)
    content = read_bytes(Path(where), name) if where else None
    if content is None:
        listed = ", ".join(sorted(presets.panels()))
        near = get_close_matches(where, [*presets.panels(), *_beside(where)], 1, 0.7)
        meant = f"; did you mean {quote_text(near[0])}?" if near else ""
        raise BadPanel(f"no panel {quote_text(where)}; there are {listed}, or give the path of a panel file{meant}")
    return replace(_from_document(read_document(content, name)), digest=sha256(content).hexdigest())


def _beside(where: str) -> list[str]:
    """The files in the folder where a panel file was looked for."""
    folder = Path(where).parent
    try:
        return [str(folder / one.name) for one in folder.iterdir() if one.suffix in {".yaml", ".yml"}]
    except (OSError, ValueError):
        return []


def _preset(name: str) -> Settings:
    return charter_settings(presets.panel(name), f"panel {name}")


def charter_settings(charter: Charter, source: str) -> Settings:
    """What a charter says; what it leaves at its default is unsaid, but for its protocol.

    Raises:
        UnknownName: it has a model for a seat nobody sits on.
    """
    limits = charter.limits
    models = tuple((charter.panel.seat(seat).name, model) for seat, model in charter.models)
    parts = ((part, getattr(limits, part)) for part in BUDGET_PARTS)
    budget = {part: value for part, value in parts if value is not None and value is not False}
    looks = charter.lookups
    options = (
        *((table.RULEBOOK, charter.rulebook), (table.DEADLINE, limits.deadline), (table.PATIENCE, limits.patience)),
        *((table.LOOK_IN, looks.root if looks else None), (table.LOOK_LIMIT, looks.replies if looks else None)),
    )
    values = {
        **spread(table.PROTOCOL, charter.protocol, source),
        **spread(table.SEATS, models, source),
        **spread(table.SETTINGS, charter.settings, source),
        **spread(table.BUDGET, budget, source),
        **{option.name: Value(value, source) for option, value in options if value is not None},
    }
    return Settings(values=values, panel=charter.panel)


def _from_document(document: Field) -> Settings:
    options = table.options_at("panel file")
    known = document.fields(option.name for option in options)
    base = known["extends"].read(_preset) if "extends" in known else None
    seats = _seats(document, known, base)
    models = _models(known, seats, base)
    wanted = known["demo"].read(switch) if "demo" in known else _extends_demo(base)
    panel = Panel(seats=tuple(seat for seat, _ in seats), demo=wanted or is_demo(model for _, model in models))
    if not panel.voters:
        raise known["seats"].fault("no seat may vote; give at least one seat the power to vote")
    source = f"panel file {document.file}"
    values = {
        **_inherited(base, source),
        **_read_apart(document.file, known, source),
        **field_values((option for option in options if option not in APART), known, source),
        **spread(table.SEATS, models, source),
    }
    keys = (*_keys(known.get("keys")), *_commands(known.get("commands")))
    return Settings(values=_with_rule_settings(values, known, source), panel=panel, keys=keys)


def _extends_demo(base: Settings | None) -> bool:
    return bool(base and base.panel.demo)


def _inherited(base: Settings | None, source: str) -> Values:
    """What the panel says that this file extends, as said by this file."""
    return {name: Value(value.value, source) for name, value in base.values.items()} if base else {}


def _read_apart(file: str, known: dict[str, Field], source: str) -> Values:
    """What is read another way than elsewhere: the protocol must be there, and patterns are meant from this folder."""
    protocol = known["protocol"].read(_protocol) if "protocol" in known else DEFAULT_PROTOCOL
    settings = _own_names(known["settings"], protocol) if "settings" in known else ()
    return {
        **(spread(table.PROTOCOL, known["protocol"].read(_protocol), source) if "protocol" in known else {}),
        **(spread(table.FILES, _files(file, known["files"]), source) if "files" in known else {}),
        **spread(table.SETTINGS, (pair for pair in settings if "." not in pair[0]), source),
    }


def _own_names(field: Field, protocol: str) -> tuple[tuple[str, str], ...]:
    """The settings of a file, AI Counsel's words for some of them in our own, unless the protocol has that word."""
    written, known = dict(text_pairs(field)), setting_names(protocol)
    for name, own in COUNSEL_NAMES.items():
        if name in written and name not in known and own in known:
            if own in written:
                raise field.fault(f"{name} is another word for {own}; give one of them")
            written[own] = written.pop(name)
    return tuple(written.items())


COUNSEL_NAMES: Final = {
    "rounds": "min_rounds",
    "semantic_similarity_threshold": "still",
    "divergence_threshold": "apart",
    "threshold": "stop_share",
}
"""AI Counsel's words for settings of a conference, where they mean one and the same."""


def _with_rule_settings(values: Values, known: dict[str, Field], source: str) -> Values:
    """Settings of a rule change the rulebook, this file's own or its protocol's."""
    changes = [pair for pair in text_pairs(known["settings"]) if "." in pair[0]] if "settings" in known else []
    if not changes:
        return values
    rulebook, protocol = values.get(table.RULEBOOK.name), values.get(table.PROTOCOL.name)
    try:
        book = rulebook.value if rulebook else default_rulebook(protocol.value if protocol else DEFAULT_PROTOCOL)
        return {**values, **spread(table.RULEBOOK, amend_rulebook(book, changes), source)}
    except QuorateError as wrong:
        raise known["settings"].fault(str(wrong)) from wrong


def _files(file: str, field: Field) -> tuple[tuple[str, str], ...]:
    """Patterns of files for the context, meant from the panel file's own folder."""
    return tuple((str(Path(file).parent), pattern) for pattern in texts_of(field))


def _keys(field: Field | None) -> tuple[tuple[str, str], ...]:
    """Keys by the variable they would otherwise be in; they go to the provider and are written nowhere."""
    if field is None:
        return ()
    variables = sorted({provider.variable for provider in PROVIDERS.values()})
    for name, inner in field.pairs():
        if name not in variables:
            raise inner.fault(f"no provider's key is called {quote_text(name)}; there are {', '.join(variables)}")
    return text_pairs(field)


def _commands(field: Field | None) -> tuple[tuple[str, str], ...]:
    """Command-line tools by name, each a list of its program and arguments; they go the way of the keys.

    So they are in no record, and whoever may only name a model can start none that was not declared.
    """
    if field is None:
        return ()
    return tuple((_tool(name, inner), shlex.join(one.text() for one in inner.items())) for name, inner in field.pairs())


def _tool(name: str, field: Field) -> str:
    if not field.items():
        raise field.fault("a list of the program and its arguments, and there is nothing in it")
    try:
        return variable_of(name)
    except QuorateError as wrong:
        raise field.fault(str(wrong)) from wrong


def _seats(document: Field, known: dict[str, Field], base: Settings | None) -> tuple[tuple[Seat, str | None], ...]:
    written = known["seats"].items() if "seats" in known else ()
    if base is not None:
        return changed_seats(written, base.panel)
    if not written:
        raise document.fault("no seats; list them under 'seats', or say 'extends: tribunal'")
    return new_seats(written)


def _models(
    known: dict[str, Field], seats: tuple[tuple[Seat, str | None], ...], base: Settings | None
) -> tuple[tuple[str, str], ...]:
    for_all = model_in(known)
    below = base[table.SEATS] if base else {}
    found = ((seat.name, own or for_all or below.get(seat.name)) for seat, own in seats)
    return tuple((name, model) for name, model in found if model is not None)


def is_demo(models: Iterable[str]) -> bool:
    """Whether a model without opinions answers for anybody: such a panel is a demo, whatever its file says."""
    return any(is_uninformed(name) for model in models for name in several(model))


def _protocol(name: str) -> str:
    catalogue.protocol(name)
    return name


SEAT_FIELDS: Final = ("name", "role", "part", "powers", "stance", "weight", "sure", "model", "fallbacks")
LONGEST_NAME: Final = 64
Listed = tuple[tuple[Seat, str | None], ...]


def new_seats(written: Iterable[Field]) -> Listed:
    """Seats that a file makes itself.

    Raises:
        BadPanel: a seat cannot be read, or two cannot be told apart.
    """
    listed: dict[str, tuple[Seat, str | None]] = {}
    for field in written:
        seat, model = _seat(field, Seat(name=""))
        if plain(seat.name) in listed:
            raise field.fault(f"two seats are named {seat.name!r}; give each seat a name of its own")
        listed[plain(seat.name)] = (seat, model)
    return tuple(listed.values())


def changed_seats(written: Iterable[Field], base: Panel) -> Listed:
    """A preset's seats, with what a file says of them by name changed.

    Raises:
        BadPanel: a seat cannot be read, is none of the preset's, or stands there twice.
    """
    changed: dict[str, tuple[Seat, str | None]] = {}
    for field in written:
        old = _known(field)["name"].read(base.seat)
        if old.name in changed:
            raise field.fault(f"the seat {old.name!r} is listed twice; put everything about it in one place")
        seat, model = _seat(field, old)
        changed[old.name] = (replace(seat, name=old.name), model)
    return tuple(changed.get(seat.name, (seat, None)) for seat in base)


def _known(field: Field) -> dict[str, Field]:
    known = field.fields(SEAT_FIELDS)
    if "name" not in known:
        raise field.fault("'name' is missing; every seat has one")
    return known


def _seat(field: Field, begun: Seat) -> tuple[Seat, str | None]:
    known = _known(field)
    seat = Seat(
        name=known["name"].read(_name),
        role=known["role"].text() if "role" in known else begun.role,
        part=known["part"].read(_part) if "part" in known else begun.part,
        powers=_powers(known["powers"]) if "powers" in known else begun.powers,
        stance=_stance(known["stance"]) if "stance" in known else begun.stance,
        weight=known["weight"].read(_weight) if "weight" in known else begun.weight,
        sure=known["sure"].read(_sure) if "sure" in known else begun.sure,
    )
    return seat, model_in(known)


def model_in(known: dict[str, Field]) -> str | None:
    """The model that fields name, with its fallbacks behind it.

    Raises:
        BadPanel: one cannot be read, or there are fallbacks for no model.
    """
    if "model" in known:
        return models_of(known["model"], *(known[name] for name in ("fallbacks",) if name in known))
    if "fallbacks" in known:
        raise known["fallbacks"].fault("a fallback needs a model before it; name one under 'model'")
    return None


def _name(text: str) -> str:
    name = text.strip()
    if not plain(name) or not name.isprintable() or "=" in name or len(name) > LONGEST_NAME:
        raise BadSetting(
            f"must be a name of 1 to {LONGEST_NAME} printable characters without '=', not {quote_text(text)}"
        )
    return name


def _part(text: str) -> str:
    part = plain(text)
    if part and not part.replace("_", "").isalpha():
        raise BadSetting(f"must be a word such as proponent, moderator or skeptical, not {quote_text(text)}")
    return part


def _powers(field: Field) -> tuple[Power, ...]:
    """One power or a list of them; a veto is cast on a ballot, so whoever may veto may vote."""
    words = (field.text(),) if field.plain else tuple(inner.text() for inner in field.items())
    for word in words:
        if word not in get_args(Power):
            line = field.node.line if field.plain else field.items()[words.index(word)].node.line
            raise field.fault(f"must be 'vote' or 'veto', not {quote_text(word)}", line)
    return ("vote", "veto") if "veto" in words else ("vote",) if words else ()


def _stance(field: Field) -> Stance:
    for stance in get_args(Stance):
        if field.text() == stance:
            found: Stance = stance
            return found
    raise field.fault(f"must be 'for', 'against' or 'neutral', not {quote_text(field.text())}")


def _weight(text: str) -> Fraction:
    weight = share(text) if "/" in text else exact(text)
    if weight is None or weight <= 0:
        raise BadSetting(f"must be a number above zero such as 2, 0.5 or 1/3, not {quote_text(text)}")
    return weight


def _sure(text: str) -> Fraction:
    sure = share(text)
    if sure is None or not 0 <= sure <= 1:
        raise BadSetting(f"must be a share such as 85 %, 0.85 or 17/20, not {quote_text(text)}")
    return sure
