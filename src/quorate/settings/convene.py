"""Convening: a question and a charter become the first event of a deliberation. Chance is drawn here, once.

The same question can be put to one seat alone, in one call, as a deliberation of its own.
"""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Final, NamedTuple

from quorate import catalogue, guard, rules
from quorate.chair import State
from quorate.errors import BadSetting, NoModel, Suggestion, UnknownName
from quorate.model import Convened, Panel, PartRef, Question, Rulebook, Seat, SeatModel
from quorate.model.ballot import Estimate
from quorate.model.charter import Charter
from quorate.model.numbers import decimal
from quorate.model.once import worked_out_once
from quorate.model.panel import is_uninformed
from quorate.model.specs import ProtocolSpec
from quorate.panelists.registry import GIVEN, domain
from quorate.settings.model_names import AUTO, join_models, several
from quorate.settings.rulebook_file import setting_names

__all__ = [
    "Convener",
    "alone",
    "cap_unseen",
    "check_charter",
    "check_fit",
    "convene",
    "made_by",
    "open_deliberation",
]

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def convene(question: Question, charter: Charter, env: Mapping[str, str] = _NOTHING) -> Convened:
    """Seat the models, fix the rulebook by value and draw the seed; `env` may move a provider to another address.

    Raises:
        QuorateError: as `open_deliberation`.
    """
    return open_deliberation(question, charter, env).convened


def open_deliberation(question: Question, charter: Charter, env: Mapping[str, str] = _NOTHING) -> State:
    """The same as the chair sees it: whoever holds it need not open it again.

    Raises:
        UnknownName: a protocol, setting, rulebook or seat there is not.
        BadSetting: a setting that cannot be read, or a text longer than can be put.
        NoModel: a seat for which nobody answers.
    """
    return Convener(charter, env).open(question)


def cap_unseen(convened: Convened, *unseen: str) -> Convened:
    """The same deliberation, but with anything that its seats are not shown it comes to WARN at best."""
    listed = ", ".join(filter(None, unseen))
    if not listed:
        return convened
    book = convened.rulebook
    return replace(
        convened, rulebook=replace(book, unless=(PartRef("unseen_files", (("files", listed),)), *book.unless))
    )


class Convener:
    """Opens deliberations of one panel: what depends on the charter and the environment alone is worked out once."""

    def __init__(self, charter: Charter, env: Mapping[str, str] = _NOTHING) -> None:
        """Work out nothing yet: it may be that nobody asks a question."""
        self._charter, self._env = charter, env
        self._checked = False

    def open(self, question: Question) -> State:
        """A deliberation on a question, as the chair sees it.

        Raises:
            QuorateError: as `open_deliberation`.
        """
        _check_length(question)
        charter, terms = self._charter, self._terms
        convened = Convened(
            question=question,
            panel=terms.panel,
            protocol=charter.protocol,
            rulebook=terms.rulebook,
            settings=self._closed_settings if question.options else charter.settings,
            seated=terms.seated,
            limits=charter.limits,
            seed=secrets.token_hex(32),
            made_by=made_by(),
            lookups=charter.lookups,
        )
        state = State.open(convened)
        state.possible()
        if not self._checked:
            rules.check(convened.rulebook)
            _check_weights(convened)
            self._checked = True
        return state

    @worked_out_once
    def _terms(self) -> "_Terms":
        charter, models = self._charter, dict(self._charter.models)
        for name in models:
            charter.panel.seat(name)
        return _Terms(
            panel=replace(charter.panel, demo=charter.panel.demo or _uninformed(models)),
            rulebook=charter.rulebook or catalogue.protocol(charter.protocol).rulebook,
            seated=tuple(_seated(seat.name, models, self._env) for seat in charter.panel),
        )

    @worked_out_once
    def _closed_settings(self) -> tuple[tuple[str, str], ...]:
        """The settings where options are given: if nobody says otherwise, only these can win."""
        charter = self._charter
        closes = "options" not in dict(charter.settings) and "options" in setting_names(charter.protocol)
        return (*charter.settings, ("options", "given")) if closes else charter.settings


class _Terms(NamedTuple):
    """What of a deliberation its charter says, once models are seated."""

    panel: Panel
    rulebook: Rulebook
    seated: tuple[SeatModel, ...]


def _check_weights(convened: Convened) -> None:
    """Refuse weights that nothing would look at: whoever sets one expects it to count.

    Raises:
        BadSetting: so it is.
    """
    heavy = next((seat for seat in convened.panel if seat.weight != 1), None)
    book = convened.rulebook
    named = (*book.rules, book.otherwise, *book.unless)
    if heavy is not None and not any(catalogue.rule(one.name).weighs for one in named):
        raise BadSetting(
            f"seat {heavy.name!r} has weight {decimal(heavy.weight)}, and no rule of rulebook {book.name!r} weighs "
            "seats: each counts once. Leave 'weight' out; to count seats by their past, see: quorate seats --by seat"
        )


def check_fit(question: Question, charter: Charter) -> None:
    """Refuse what a protocol would not look at: options where its outcomes are fixed, sources where nothing is cited.

    Raises:
        BadSetting: so it is.
        UnknownName: a protocol or setting there is not.
    """
    spec, name = catalogue.protocol(charter.protocol), charter.protocol
    if question.options and not _takes_options(spec, dict(charter.settings)):
        outcomes = f"; its outcomes are {', '.join(spec.outcomes)}" if spec.outcomes else ""
        raise BadSetting(
            f"protocol {name} takes no options{outcomes}",
            suggestions=(Suggestion("protocol", "conference", "to choose among options"),),
        )
    known = setting_names(name)
    for key, _ in charter.settings:
        if key == "sources" and key not in known:
            raise BadSetting(
                f"protocol {name} takes no sources; only the oracle does",
                suggestions=(Suggestion("protocol", "oracle", "to find out from sources"),),
            )
        if key not in known:
            raise UnknownName(f"setting of protocol {name!r}", key, known)


def _takes_options(spec: ProtocolSpec, settings: Mapping[str, str]) -> bool:
    """Whether an option may be voted for: outcomes are open and no number, or a setting lists them beside others."""
    if spec.outcomes:
        return spec.variant(settings).listed
    return catalogue.form(spec.form).vote is not Estimate


def check_charter(charter: Charter, env: Mapping[str, str] = _NOTHING) -> None:
    """See that a panel could be convened, with a made-up question and whoever may answer.

    Raises:
        QuorateError: it could not: a part that nobody plays, a setting that cannot be read.
    """
    check_fit(Question(text=_MADE_UP), charter)
    _check_similarity(dict(charter.settings).get("similarity", "auto"))
    named = dict(charter.models)
    models = tuple((seat.name, named.get(seat.name, AUTO)) for seat in charter.panel)
    closed = _takes_options(catalogue.protocol(charter.protocol), dict(charter.settings))
    options = ("A", "B", "C") if closed else ()
    convene(Question(text=_MADE_UP, options=options), replace(charter, models=models), env)


def _check_similarity(wanted: str) -> None:
    """Refuse a backend that nothing could compare with; a provider's model has a colon in its name."""
    from quorate.similarity.backend_choice import NAMES  # noqa: PLC0415  for those who compare

    if wanted not in NAMES and ":" not in wanted:
        raise UnknownName("similarity backend", wanted, (*NAMES, "PROVIDER:MODEL"))


_MADE_UP: Final = "Does this panel fit together?"


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
        raise NoModel(
            f"no model answers for seat {seat!r}",
            suggestions=(Suggestion(f"seats.{seat}", "MODEL"), Suggestion("model", "MODEL", "for every seat")),
        )
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
        raise NoModel(
            f"{written!r} answered for {first} and can't be asked again here",
            suggestions=(Suggestion("model", "MODEL", "to ask another"),),
        )
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
