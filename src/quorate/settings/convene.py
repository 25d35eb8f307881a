"""Convening: a question and a charter become the first event of a deliberation. Chance is drawn here, once.

The same question can be put to one seat alone, in one call, as a deliberation of its own.
"""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Final

from quorate import catalogue, guard, rules
from quorate.chair import State
from quorate.errors import BadSetting, NoModel
from quorate.model import Convened, Panel, Question, Seat, SeatModel
from quorate.model.charter import Charter
from quorate.model.panel import is_uninformed
from quorate.panelists.registry import GIVEN, domain
from quorate.settings.model_names import AUTO, join_models, several

__all__ = ["alone", "convene", "made_by"]

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def convene(question: Question, charter: Charter, env: Mapping[str, str] = _NOTHING) -> Convened:
    """Seat the models, fix the rulebook by value and draw the seed; `env` may move a provider to another address.

    Raises:
        UnknownName: a protocol, setting, rulebook or seat there is not.
        BadSetting: a setting that cannot be read, or a text longer than can be put.
        NoModel: a seat for which nobody answers.
    """
    _check_length(question)
    models = dict(charter.models)
    for name in models:
        charter.panel.seat(name)
    convened = Convened(
        question=question,
        panel=replace(charter.panel, demo=charter.panel.demo or _uninformed(models)),
        protocol=charter.protocol,
        rulebook=charter.rulebook or catalogue.protocol(charter.protocol).rulebook,
        settings=charter.settings,
        seated=tuple(_seated(seat.name, models, env) for seat in charter.panel),
        limits=charter.limits,
        seed=secrets.token_hex(32),
        made_by=made_by(),
    )
    State.open(convened).possible()
    rules.check(convened.rulebook)
    return convened


def _check_length(question: Question) -> None:
    """Refuse what is too long before it is kept: a record of it would be as long, and nobody would ever read it."""
    if found := guard.check_size(question):
        said = "; ".join(finding.reason for finding in found)
        raise BadSetting(f"{said}. Shorten it, or point to the parts that matter; nothing was asked or kept")


@cache
def made_by() -> str:
    """Who we are; asking the installed package takes as long as all its rules together."""
    return f"quorate {version('quorate')}"


def _uninformed(models: Mapping[str, str]) -> bool:
    return any(is_uninformed(name) for written in models.values() for name in several(written))


def _seated(seat: str, models: dict[str, str], env: Mapping[str, str]) -> SeatModel:
    if seat not in models:
        raise NoModel(f"no model answers for seat {seat!r}; name one with --seat {seat}=MODEL or --model MODEL")
    first, *others = several(models[seat]) or (models[seat],)
    return SeatModel(
        seat=seat,
        model=first,
        domain=AUTO if first == AUTO else domain(first, env),
        fallbacks=tuple(others),
    )


def alone(state: State, model: str | None = None) -> tuple[Question, Charter]:
    """The question with its outcomes to choose from, and a panel of one: by default the first voting seat's model.

    Raises:
        NoModel: whoever answered for that seat cannot be asked again.
    """
    convened = state.convened
    first = convened.panel.voters[0].name if convened.panel.voters else convened.panel.seats[0].name
    sat = next((sat for sat in state.seated if sat.seat == first), None)
    written = model or (join_models(sat.model, *sat.fallbacks) if sat else AUTO)
    if written.startswith((GIVEN, "test:")):
        raise NoModel(f"{written!r} answered for {first} and cannot be asked again here; name a model with --model")
    options = convened.question.options or catalogue.protocol(convened.protocol).outcomes
    question = replace(convened.question, options=options)
    panel = Panel(seats=(Seat(name="Alone"),), demo=convened.panel.demo)
    limits = convened.limits
    return question, Charter(
        panel=panel,
        protocol="conference",
        models=(("Alone", written),),
        settings=(("mode", "quick"), *((("options", "given"),) if options else ())),
        limits=limits,
    )
