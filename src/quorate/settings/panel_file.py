"""Panel files: who sits, which models answer, under what protocol, rules and limits, in YAML."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from quorate import catalogue, presets
from quorate.errors import BadPanel, QuorateError
from quorate.model import Limits, Panel, Seat
from quorate.model.charter import DEFAULT_PROTOCOL, Charter
from quorate.model.panel import uninformed
from quorate.panelists.cli.tools import variable_of
from quorate.panelists.registry import PROVIDERS
from quorate.settings.amounts import Allowance, seconds, switch
from quorate.settings.file_fields import Field, opened, read_document, shown
from quorate.settings.layers import UNSAID, Layer
from quorate.settings.model_names import several
from quorate.settings.provider_settings import breaker_of, cache, rate_of
from quorate.settings.readers import budget_of, settings_of, texts_of
from quorate.settings.rulebook_file import amended, default_rulebook, fitting, rulebook_of
from quorate.settings.seat_file import changed_seats, model_in, new_seats

__all__ = ["PanelFile", "is_demo", "load_charter", "of_charter", "read_panel"]

FIELDS: Final = (
    "extends",
    "protocol",
    "rulebook",
    "seats",
    "model",
    "fallbacks",
    "settings",
    "files",
    "budget",
    "deadline",
    "patience",
    "demo",
    "keys",
    "commands",
    "rate",
    "breaker",
    "cache",
)


@dataclass(frozen=True, slots=True)
class PanelFile:
    """The seats, and what else the file or preset says; what it leaves unsaid comes from elsewhere."""

    panel: Panel
    layer: Layer
    digest: str = ""
    """The hash of the file's content; empty for what ships and for what a program made."""


def load_charter(where: str) -> Charter:
    """A preset by its name, or a panel file by its path.

    Raises:
        BadPanel: no such preset or file, or one that cannot be read, with line and field.
    """
    read = read_panel(where)
    said, own = read.layer, DEFAULT_PROTOCOL
    return Charter(
        panel=read.panel,
        protocol=said.protocol or own,
        models=said.models,
        rulebook=fitting(said.rulebook, said.protocol or own) if said.rulebook else None,
        settings=said.settings,
        limits=Limits(
            calls=said.budget.calls,
            tokens=said.budget.tokens,
            money=said.budget.money,
            deadline=said.deadline,
            patience=said.patience,
            unpriced=bool(said.budget.unpriced),
        ),
    )


def read_panel(where: str) -> PanelFile:
    """The same, with what was said and what was not kept apart.

    Raises:
        BadPanel: as for `load_charter`.
    """
    if where in presets.panels():
        return _preset(where)
    name = where if where.isprintable() else repr(where)
    content = opened(Path(where), name) if where else None
    if content is None:
        listed = ", ".join(sorted(presets.panels()))
        raise BadPanel(f"no panel {shown(where)}; there are {listed}, or give the path of a panel file")
    return replace(_from_document(read_document(content, name)), digest=sha256(content).hexdigest())


def _preset(name: str) -> PanelFile:
    return of_charter(presets.panel(name), f"panel {name}")


def of_charter(charter: Charter, where: str) -> PanelFile:
    """A charter as if it had been read; what it leaves at its default is unsaid, but for its protocol.

    Raises:
        UnknownName: it has a model for a seat nobody sits on.
    """
    limits = charter.limits
    said = Layer(
        kind="file",
        where=where,
        protocol=charter.protocol,
        rulebook=charter.rulebook,
        models=tuple((charter.panel.seat(seat).name, model) for seat, model in charter.models),
        settings=charter.settings,
        budget=Allowance(
            calls=limits.calls, tokens=limits.tokens, money=limits.money, unpriced=True if limits.unpriced else None
        ),
        deadline=limits.deadline,
        patience=limits.patience,
    )
    return PanelFile(charter.panel, said)


def _from_document(document: Field) -> PanelFile:
    known = document.fields(FIELDS)
    base = known["extends"].read(_preset) if "extends" in known else None
    seats = _seats(document, known, base)
    models = _models(known, seats, base)
    wanted = known["demo"].read(switch) if "demo" in known else bool(base and base.panel.demo)
    panel = Panel(seats=tuple(seat for seat, _ in seats), demo=wanted or is_demo(model for _, model in models))
    if not panel.voters:
        raise known["seats"].fault("nobody may vote; give at least one seat the power to vote")
    return PanelFile(panel, _layer(document.file, known, base, models))


def _layer(file: str, known: dict[str, Field], base: PanelFile | None, models: tuple[tuple[str, str], ...]) -> Layer:
    below = base.layer if base else Layer(kind="file")
    settings = settings_of(known["settings"], dotted=True) if "settings" in known else ()
    said = replace(
        below,
        where=f"panel file {file}",
        protocol=known["protocol"].read(_protocol) if "protocol" in known else below.protocol,
        rulebook=rulebook_of(known["rulebook"]) if "rulebook" in known else below.rulebook,
        models=models,
        settings=tuple({**dict(below.settings), **{key: text for key, text in settings if "." not in key}}.items()),
        files=_files(file, known["files"]) if "files" in known else below.files,
        budget=_over(budget_of(known["budget"]) if "budget" in known else UNSAID, below.budget),
        deadline=known["deadline"].read(seconds) if "deadline" in known else below.deadline,
        patience=known["patience"].read(seconds) if "patience" in known else below.patience,
        keys=(*(_keys(known["keys"]) if "keys" in known else below.keys), *_commands(known.get("commands"))),
        rate=rate_of(known["rate"]) if "rate" in known else None,
        breaker=breaker_of(known["breaker"]) if "breaker" in known else None,
        cache=known["cache"].read(cache) if "cache" in known else None,
    )
    if dotted := tuple(pair for pair in settings if "." in pair[0]):
        try:
            book = amended(said.rulebook or default_rulebook(said.protocol or DEFAULT_PROTOCOL), dotted)
        except QuorateError as wrong:
            raise known["settings"].fault(str(wrong)) from wrong
        return replace(said, rulebook=book)
    return said


def _files(file: str, field: Field) -> tuple[tuple[str, str], ...]:
    """Patterns of files for the context, meant from the panel file's own folder."""
    return tuple((str(Path(file).parent), pattern) for pattern in texts_of(field))


def _keys(field: Field) -> tuple[tuple[str, str], ...]:
    """Keys by the variable they would otherwise be in; they go to the provider and are written nowhere."""
    variables = sorted({provider.variable for provider in PROVIDERS.values()})
    for name, inner in field.pairs():
        if name not in variables:
            raise inner.fault(f"no provider's key is called {shown(name)}; there are {', '.join(variables)}")
    return settings_of(field, dotted=True)


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


def _over(above: Allowance, below: Allowance) -> Allowance:
    return Allowance(
        calls=below.calls if above.calls is None else above.calls,
        tokens=below.tokens if above.tokens is None else above.tokens,
        money=below.money if above.money is None else above.money,
        unpriced=below.unpriced if above.unpriced is None else above.unpriced,
    )


def _seats(document: Field, known: dict[str, Field], base: PanelFile | None) -> tuple[tuple[Seat, str | None], ...]:
    written = known["seats"].items() if "seats" in known else ()
    if base is not None:
        return changed_seats(written, base.panel)
    if not written:
        raise document.fault("no seats; list them under 'seats', or say 'extends: tribunal'")
    return new_seats(written)


def _models(
    known: dict[str, Field], seats: tuple[tuple[Seat, str | None], ...], base: PanelFile | None
) -> tuple[tuple[str, str], ...]:
    for_all = model_in(known)
    below = dict(base.layer.models) if base else {}
    found = ((seat.name, own or for_all or below.get(seat.name)) for seat, own in seats)
    return tuple((name, model) for name, model in found if model is not None)


def is_demo(models: Iterable[str]) -> bool:
    """Whether a model without opinions answers for anybody: such a panel is a demo, whatever its file says."""
    return any(uninformed(name) for model in models for name in several(model))


def _protocol(name: str) -> str:
    catalogue.protocol(name)
    return name
