"""A request becomes what will be held: the same steps in the same order, whichever interface it came by."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quorate import catalogue
from quorate.chair import State
from quorate.engine import picked_models
from quorate.errors import BadSetting, Suggestion
from quorate.evaluate.act_gate import PanelCertifier
from quorate.middleware.secret_redaction import RedactedText, redact_secrets
from quorate.model import Question
from quorate.model.charter import Charter
from quorate.offline.forecast import forecast, require_one_pass
from quorate.offline.precedents import recall
from quorate.service.folders import narrow_lookups
from quorate.service.host import Host
from quorate.service.models import check_plain_models
from quorate.service.policy import Restriction
from quorate.service.request import Note, PreparedRequest, Request, check_question
from quorate.settings import convene as conveners
from quorate.settings.consent import admit_settings
from quorate.settings.context_files import with_files
from quorate.settings.program_options import answered_by
from quorate.settings.resolve import SpokenValues, read_spoken, settle, suitable_protocol
from quorate.settings.rulebook_file import setting_names
from quorate.settings.settings import Settings
from quorate.settings.table import (
    ACT_ERROR,
    BUDGET,
    FILES,
    LEDGER,
    MEMORY,
    MODEL,
    PANEL,
    PICKED_BUDGET,
    PROTOCOL,
    SEATS,
)
from quorate.views import GATE

if TYPE_CHECKING:
    from quorate.ledger import Ledger

__all__ = ["PANEL_STEPS", "QUESTION_STEPS", "STEPS", "OpenPanel", "open_panel", "prepare"]

MARKED: Final = "act_needs_mark"
SETTLED: Final = "stop_when_settled"
WHO_SITS: Final = frozenset({PANEL.name, PROTOCOL.name, MODEL.name, SEATS.name})
_NOBODY: Final = Question(text="")


class Draft:
    """A request on its way: what it was understood to mean so far. Each step adds to it or refuses."""

    spoken: SpokenValues
    settings: Settings
    env: Mapping[str, str]
    charter: Charter
    state: State

    def __init__(self, request: Request, host: Host) -> None:
        self.request, self.host = request, host
        self.question = request.question or _NOBODY
        self.panel_name = request.options.get(PANEL.name)
        self.notes: list[Note] = []
        self.redacted: RedactedText | None = None
        self.shared = _Shared()

    def note(self, kind: str, *sentences: str) -> None:
        self.notes += [Note(kind, sentence) for sentence in sentences if sentence]


class _Shared:
    """What all questions to one panel have in common, worked out for the first; the others wait for it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.picked: picked_models.PickedModels | None = None
        self.certifier: PanelCertifier | None = None


def read_settings(draft: Draft) -> None:
    """Read the request, what its host was started with, the environment and the user's file, once."""
    request, host = draft.request, draft.host
    options = dict(request.options)
    if draft.panel_name is not None:
        options[PANEL.name] = host.panel(str(draft.panel_name))
    # A panel by value brings its own seats, models and protocol; what else the host was started with still holds.
    defaults = {name: text for name, text in host.defaults.items() if request.charter is None or name not in WHO_SITS}
    draft.spoken = read_spoken(options, host.env, host.home, place=request.place, defaults=defaults)
    if host.policy.restricts(Restriction.PLAIN_MODELS):
        check_plain_models(options)


def choose_protocol(draft: Draft) -> None:
    """Let the question choose the protocol, where nobody named one or a panel."""
    policy, spoken = draft.host.policy, draft.spoken
    if draft.request.charter is not None or (draft.request.question is None and not policy.usual_protocol):
        return
    if not policy.restricts(Restriction.FIXED_PROTOCOL):
        request = draft.request
        choice = suitable_protocol(spoken, draft.question, gate=request.gate, seats=request.panelists or ())
        if choice is not None:
            draft.spoken = spoken.with_protocol(choice.protocol)
            draft.question = replace(draft.question, options=draft.question.options or choice.options)
            draft.notes.append(Note("protocol", choice.sentence, choice.alternative))
    elif policy.usual_protocol and not {PROTOCOL.name, PANEL.name} & spoken.merged.keys():
        draft.spoken = spoken.with_protocol(policy.usual_protocol)


def apply_defaults(draft: Draft) -> None:
    """Ask the panel and the defaults for what nobody said."""
    policy, settings = draft.host.policy, settle(draft.spoken, charter=draft.request.charter)
    if policy.restricts(Restriction.NO_PRECEDENTS) and settings[MEMORY] and MEMORY.name in draft.spoken.request:
        reason = policy.restrictions[Restriction.NO_PRECEDENTS]
        raise BadSetting(f"{policy.interface} takes no {MEMORY.name}. {reason}")
    if policy.restricts(Restriction.STRICTER_ACT_ERROR):
        settings = _with_stricter_act_error(settings, draft.spoken)
    draft.settings = settings


def _with_stricter_act_error(settings: Settings, spoken: SpokenValues) -> Settings:
    """With the owner's share of wrong acts, where the request allows more."""
    asked, name = settings.values.get(ACT_ERROR.name), ACT_ERROR.name
    layers = (spoken.usual, spoken.environment, settings.file.values if settings.file else {}, spoken.user)
    owners = next((layer[name] for layer in layers if name in layer), None)
    if asked is None or owners is None or asked.value <= owners.value:
        return settings
    return replace(settings, values={**settings.values, name: owners})


def require_consent(draft: Draft) -> None:
    """See that what the request and its files name may act: by the owner's word, or by consent to the file."""
    request, host = draft.request, draft.host
    host.require(draft.settings)
    if not request.only_forecast:
        draft.settings = admit_settings(draft.settings, host.env, trust=request.trust or host.trust)
    draft.env = draft.settings.environment(host.env)
    draft.note("setting", *draft.settings.notes)
    for held in draft.settings.consent.held if draft.settings.consent else ():
        draft.notes.append(Note("setting", held.text, Suggestion("allow_keys", held.pair, "to send it there")))


def check_fit(draft: Draft) -> None:
    """Refuse what the protocol would not look at, and what the interface has no answer for."""
    policy, charter = draft.host.policy, draft.settings.draft
    check_question(draft.question)
    if policy.restricts(Restriction.GATES_ONLY) and catalogue.protocol(charter.protocol).outcomes != GATE:
        raise BadSetting(f"this needs a panel that decides between {', '.join(GATE)}, and this is a {charter.protocol}")
    conveners.check_fit(draft.question, charter)


def attach_files(draft: Draft) -> None:
    """Add the files for the context, and take out secrets where the policy says so."""
    if patterns := draft.settings[FILES]:
        draft.question, files = with_files(draft.question, patterns)
        draft.note("files", files.sentence)
    if draft.host.policy.restricts(Restriction.REDACTED):
        draft.redacted = redact_secrets(draft.question.context, draft.host.env)
        draft.question = replace(draft.question, context=draft.redacted.text)


async def pick_models(draft: Draft) -> None:
    """Take the models that were named; where nobody named one, what is found here, within a budget of its own."""
    request, host, settings = draft.request, draft.host, draft.settings
    if request.panelists is not None:
        draft.charter = answered_by(settings.draft, request.panelists)
        return
    if host.policy.restricts(Restriction.NAMED_MODELS):
        draft.charter = settings.charter
        return
    async with draft.shared.lock:
        if draft.shared.picked is None:
            draft.shared.picked = await picked_models.pick_models(settings, host.env, is_allowed=host.is_usable)
            draft.note("models", draft.shared.picked.sentence)
    draft.charter = draft.shared.picked.charter


def convene(draft: Draft) -> None:
    """Seat the models, fix the rules by value and draw the seed."""
    request, policy = draft.request, draft.host.policy
    charter = _within(draft.charter, request.deadline)
    if request.folder is not None:
        lookups, sentence = narrow_lookups(charter.lookups, request.folder)
        charter = replace(charter, lookups=lookups)
        draft.note("folder", sentence)
    if policy.restricts(Restriction.MARKED_ACT):
        charter = _with_setting(charter, MARKED)
    # A score needs every vote, so where a promise rests on scores nobody is left out.
    if policy.restricts(Restriction.STOPS_WHEN_SETTLED) and draft.settings.get(ACT_ERROR) is None:
        charter = charter if SETTLED in dict(charter.settings) else _with_setting(charter, SETTLED)
    state = conveners.open_deliberation(draft.question, charter, draft.env)
    unseen = (*request.unseen, draft.redacted.unjudged if draft.redacted else "")
    capped = conveners.cap_unseen(state.convened, *unseen)
    draft.state = state if capped is state.convened else State.open(capped)


def _within(charter: Charter, deadline: Fraction | None) -> Charter:
    """With no later deadline than whoever asks will wait."""
    own = charter.limits.deadline
    if deadline is None or (own is not None and own <= deadline):
        return charter
    return replace(charter, limits=replace(charter.limits, deadline=deadline))


def _with_setting(charter: Charter, name: str) -> Charter:
    """With a switch of the protocol on, where the protocol has it."""
    if name not in setting_names(charter.protocol):
        return charter
    return replace(charter, settings=(*(one for one in charter.settings if one[0] != name), (name, "true")))


async def recall_precedents(draft: Draft) -> None:
    """Show the seats similar earlier decisions, where that is wanted."""
    most = draft.settings[MEMORY]
    if not most or draft.host.policy.restricts(Restriction.NO_PRECEDENTS):
        return
    async with draft.host.open_ledger(draft.settings) as ledger:
        recalled = await recall(ledger, draft.state.convened, most)
    draft.state = State.open(recalled.convened)
    draft.note("precedents", recalled.sentence)


async def certify_threshold(draft: Draft) -> None:
    """Write the score into the rules from which a verdict may be acted on alone, where a promise is asked for."""
    at_most = draft.settings.get(ACT_ERROR)
    if at_most is None:
        return
    convened, shared = draft.state.convened, draft.shared
    async with shared.lock:
        if shared.certifier is None:
            place = draft.settings[LEDGER] if draft.host.ledger is None else draft.host.ledger_place
            async with draft.host.open_ledger(draft.settings) as ledger:
                shared.certifier = await PanelCertifier.read(at_most, ledger, convened.protocol, place)
    certified, is_new = shared.certifier.certify(convened)
    draft.state = State.open(certified.convened)
    if is_new:
        draft.note("act_error", certified.sentence)


def check_budget(draft: Draft) -> None:
    """Refuse a budget that can't pay for one complete pass, before anything is spent."""
    convened, settings = draft.state.convened, draft.settings
    if draft.request.only_forecast:
        return
    if not draft.request.allow_partial:
        require_one_pass(convened, settings.provider_limits, draft.env)
    if any(note.kind == "models" for note in draft.notes) and convened.limits != settings.limits:
        price, most = forecast(convened, draft.env).price, PICKED_BUDGET.write(settings[PICKED_BUDGET])
        text = f"price {price}; it may use at most {most}, as the setting {PICKED_BUDGET.name} says"
        draft.notes.append(Note("budget", text, Suggestion(BUDGET.name, "LIMITS", "to allow more or less")))


PANEL_STEPS: Final[tuple[Callable[[Draft], None], ...]] = (
    read_settings,
    choose_protocol,
    apply_defaults,
    require_consent,
)
QUESTION_STEPS: Final[tuple[Callable[[Draft], Awaitable[None] | None], ...]] = (
    check_fit,
    attach_files,
    pick_models,
    convene,
    recall_precedents,
    certify_threshold,
    check_budget,
)
STEPS: Final = (*PANEL_STEPS, *QUESTION_STEPS)
"""Everything that is done to a request, in this order; no interface leaves one out."""


async def prepare(request: Request, host: Host) -> PreparedRequest:
    """Make what will be held of a request; nobody is asked anything yet.

    Raises:
        NotTrusted: it names what would act, and nobody allowed that.
        QuorateError: it can't be held, and why.
    """
    return await _put_question(_settled(request, host))


class OpenPanel:
    """A panel to which many questions are put: what depends on the panel alone is settled once."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.settings, self.env = draft.settings, draft.env

    @property
    def notes(self) -> tuple[Note, ...]:
        """How the panel was understood."""
        return tuple(self._draft.notes)

    async def prepare(self, question: Question, *, ledger: "Ledger | None" = None) -> PreparedRequest:
        """Make what will be held of a question.

        Raises:
            QuorateError: it can't be held, and why.
        """
        draft = copy(self._draft)
        draft.question, draft.notes = question, [*self._draft.notes]
        if ledger is not None:
            draft.host = replace(draft.host, ledger=ledger)
        return await _put_question(draft)

    async def charter(self) -> Charter:
        """Who sits and who answers.

        Raises:
            NoModel: nobody answers for a seat.
        """
        draft = copy(self._draft)
        await pick_models(draft)
        return draft.charter


def open_panel(request: Request, host: Host) -> OpenPanel:
    """Settle everything about a request but its question.

    Raises:
        NotTrusted: it names what would act, and nobody allowed that.
        QuorateError: the panel can't be convened, and why.
    """
    return OpenPanel(_settled(request, host))


def _settled(request: Request, host: Host) -> Draft:
    draft = Draft(request, host)
    for step in PANEL_STEPS:
        step(draft)
    return draft


async def _put_question(draft: Draft) -> PreparedRequest:
    for step in QUESTION_STEPS:
        if (pending := step(draft)) is not None:
            await pending
    return PreparedRequest(
        convened=draft.state.convened,
        settings=draft.settings,
        env=draft.env,
        notes=tuple(draft.notes),
        state=draft.state,
        panelists=draft.request.panelists,
        redacted=draft.redacted,
    )
