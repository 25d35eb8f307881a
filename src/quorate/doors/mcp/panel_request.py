"""What a client asks for becomes a deliberation to hold: participants, panel, protocol and limits, each checked here.

A client's arguments come from a model that may have read anything. So no argument names an address, a file outside
the folders for panels, or a command that the user has not declared; keys stay with their providers as always.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from quorate.engine.hosts.detached_host import HostTerms
from quorate.errors import BadSetting, UnknownName
from quorate.frozen import dataclass
from quorate.model import Convened, LookupTerms, Panel, Question, Seat
from quorate.model.charter import Charter
from quorate.panelists.registry import CLI, DEMO, EMBEDDED, PROVIDERS
from quorate.presets import is_panel, panels
from quorate.settings import table
from quorate.settings.operator_defaults import lay_over, with_stricter_act_error
from quorate.settings.resolve import Settings, resolve, suitable_protocol

__all__ = [
    "NO_DEFAULTS",
    "DeliberationRequest",
    "OperatorDefaults",
    "Participant",
    "PreparedRequest",
    "SessionModels",
    "prepare",
]

CONFERENCE: Final = "conference"
FEWEST_PARTICIPANTS: Final = 2
MOST_PARTICIPANTS: Final = 25
MOST_ROUNDS: Final = 20
PANEL_FILES: Final = frozenset({".yaml", ".yml"})
EFFORTS: Final[Mapping[str, str]] = MappingProxyType({"off": "", "none": "", "extra-high": "xhigh"})
"""Other words for an effort, as AI Counsel has them."""
_OURS: Final = frozenset({DEMO, EMBEDDED, "auto"})
_TOOLS: Final = frozenset({"claude", "codex", "droid", "gemini", "llm"})
"""Adapters that are commands of the user's own; all others are providers."""

Text = Annotated[str, Field(max_length=200_000)]
Name = Annotated[str, Field(max_length=200)]
SessionModels = dict[str, str]


class Participant(BaseModel):
    """One seat: an adapter and its model, or a model by quorate's own name."""

    model_config = ConfigDict(extra="ignore")

    cli: Name = ""
    model: Name | None = None
    reasoning_effort: Name | None = None
    stance: Literal["neutral", "for", "against"] = "neutral"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliberationRequest:
    """A question with what was said around it."""

    question: str
    participants: Sequence[Participant] = ()
    rounds: int | None = None
    mode: str | None = None
    context: str = ""
    working_directory: str | None = None
    protocol: str | None = None
    panel: str | None = None
    options: Sequence[str] = ()
    budget: str | None = None
    memory: str | None = None
    act_error: str | None = None
    session_models: SessionModels = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """What is to be held, where, and what to say about how the request was understood."""

    convened: Convened
    terms: HostTerms
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorDefaults:
    """What the server was started with: the options of callers who name none, and whether its files are trusted."""

    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    trust: bool = False
    callers: "CallerRules | None" = None
    """What callers may name, where they aren't the user: whoever reaches the server over the network."""

    def admit(self, resolved: Settings, panel: str | None, env: Mapping[str, str]) -> Settings:
        """The settings with the consent of their files, if a caller names nothing that would act beyond it.

        Raises:
            NotTrusted: it does.
        """
        from quorate.settings.consent import admit_settings

        if self.callers is not None:
            self.callers.require(resolved, panel)
        return admit_settings(resolved, env, trust=self.trust)


class CallerRules(Protocol):
    """What a server's operator allows its callers."""

    @property
    def panels(self) -> Mapping[str, str]:
        """Panel files that are offered, by their names here."""
        ...

    def require(self, resolved: Settings, panel: str | None) -> None:
        """Refuse a request that would act beyond what is configured or allowed."""
        ...

    def is_usable(self, model: str) -> bool:
        """Whether a model that was found here may answer unasked."""
        ...


NO_DEFAULTS: Final = OperatorDefaults()
_WHO_SITS: Final = (table.PANEL.name, table.PROTOCOL.name, table.MODEL.name, table.SEATS.name)


async def prepare(
    request: DeliberationRequest, env: Mapping[str, str], home: Path, defaults: OperatorDefaults = NO_DEFAULTS
) -> PreparedRequest:
    """See that a request can be held, and put it together; nobody is asked anything yet.

    Raises:
        QuorateError: it cannot, and why.
    """
    from quorate.offline.forecast import require_one_pass
    from quorate.settings.context_files import with_files
    from quorate.settings.convene import check_fit, convene

    _check_panel(request)
    notes = list[str]()
    question = Question(text=request.question, context=request.context, options=tuple(request.options))
    usual = defaults.options or {table.PANEL.name: "tribunal"}
    asked = with_stricter_act_error(_said(request, home, defaults.callers), usual, env, home)
    if request.participants:
        said = lay_over(defaults.options, asked, _WHO_SITS)
        resolved = resolve(said, env, home, charter=_charter(request, asked))
    else:
        said = lay_over(defaults.options, asked)
        choice = suitable_protocol(said, question, env, home)
        if choice is not None:
            question, said = choice.put(question, said)
            notes.append(choice.sentence)
        resolved = resolve(said, env, home)
    resolved = defaults.admit(resolved, request.panel, env)
    check_fit(question, resolved.draft)
    question, _ = with_files(question, resolved[table.FILES])
    charter, told = await _with_models(resolved, env, defaults.callers)
    if request.working_directory:
        lookups = _narrowed(resolved.lookups, request.working_directory)
        charter = replace(charter, lookups=lookups)
        notes.append(_told_of_folder(resolved.lookups, lookups))
    convened = convene(question, charter, resolved.environment(env))
    convened = await _promised(convened, resolved, notes)
    require_one_pass(convened, resolved.provider_limits, resolved.environment(env))
    return PreparedRequest(convened=convened, terms=HostTerms.of(resolved, trust=defaults.trust), notes=(*notes, *told))


async def _promised(convened: Convened, resolved: Settings, notes: list[str]) -> Convened:
    """With what its seats are shown of earlier decisions, and the score from which it may be acted on alone."""
    if resolved[table.MEMORY]:
        from quorate.offline.precedents import recall_by_settings

        recalled = await recall_by_settings(convened, resolved)
        convened = recalled.convened
        notes.append(recalled.sentence)
    if resolved.get(table.ACT_ERROR) is not None:
        from quorate.evaluate.act_gate import certify_by_settings

        convened = await certify_by_settings(convened, resolved)
    return convened


def _check_panel(request: DeliberationRequest) -> None:
    if request.panel and request.participants:
        raise BadSetting("give participants or a panel, not both: a panel names its own seats")


def _narrowed(allowed: LookupTerms | None, folder: str) -> LookupTerms | None:
    """The client's folder, where it lies in the one that the user has opened; a link that leads out of it does not.

    Which folder is opened at all the user says, outside of any request: its arguments come from a model.
    """
    if allowed is None or "\0" in folder:
        return None
    root, wanted = Path(allowed.root).resolve(), Path(folder).resolve()
    return replace(allowed, root=str(wanted)) if wanted.is_relative_to(root) and wanted.is_dir() else None


def _told_of_folder(allowed: LookupTerms | None, lookups: LookupTerms | None) -> str:
    if lookups is not None:
        return "seats may list, read and search files in working_directory"
    how = "lies outside the folder that is opened to panels" if allowed else "has no effect: seats read no files"
    return f"working_directory {how}; to open one, set {table.LOOK_IN.variable} where this server is started"


def _said(request: DeliberationRequest, home: Path, callers: CallerRules | None) -> dict[str, Any]:
    """What was said of the options, as a command line would have said it."""
    said: dict[str, Any] = {
        table.PROTOCOL.name: request.protocol,
        table.PANEL.name: None if request.panel is None else _panel(request.panel, home, callers),
        table.BUDGET.name: request.budget,
        table.MEMORY.name: request.memory,
        table.ACT_ERROR.name: request.act_error,
    }
    if (request.protocol or CONFERENCE) == CONFERENCE and not request.panel:
        settings = tuple(_rounds(request))
        if settings:
            said[table.SETTINGS.name] = settings
            said[table.PROTOCOL.name] = CONFERENCE
    elif request.rounds is not None or request.mode is not None:
        raise BadSetting("rounds and mode belong to a conference; leave them out, or leave out panel and protocol")
    return {name: value for name, value in said.items() if value is not None}


def _rounds(request: DeliberationRequest) -> Iterator[tuple[str, str]]:
    """Rounds and mode as AI Counsel means them: without a mode a panel of participants speaks once."""
    mode = request.mode or ("quick" if request.participants else None)
    if mode is not None:
        yield "mode", mode
    if request.rounds is not None:
        if not 1 <= request.rounds <= MOST_ROUNDS:
            raise BadSetting(f"rounds must be from 1 to {MOST_ROUNDS}, not {request.rounds}")
        yield "max_rounds", str(request.rounds)
        yield "min_rounds", str(min(2, request.rounds))
    if request.options and request.participants:
        yield "options", "given"


def _panel(name: str, home: Path, callers: CallerRules | None) -> str:
    """A panel that ships, or a panel file in the folder where the server runs or in the user's folder for panels.

    Callers over the network may name only the files that are offered.

    Raises:
        BadSetting: it is neither.
    """
    if callers is not None:
        return _offered_panel(name, callers)
    if is_panel(name):
        return name
    wanted = Path(name)
    plain = name.isprintable() and wanted.suffix in PANEL_FILES and ".." not in wanted.parts
    for folder in (Path.cwd(), home / ".config/quorate/panels") if plain and not wanted.is_absolute() else ():
        found = (folder / wanted).resolve()
        if found.is_relative_to(folder.resolve()) and found.is_file():
            return str(found)
    raise BadSetting(
        f"no panel {name[:60]!r}; name one that ships (quorate panels), or a .yaml file in the folder where this "
        "server runs or in ~/.config/quorate/panels"
    )


def _offered_panel(name: str, callers: CallerRules) -> str:
    if name not in callers.panels and not is_panel(name):
        raise UnknownName("panel", name, {*panels(), *callers.panels}, "To offer a file: quorate serve --offer FILE")
    return callers.panels.get(name, name)


def _charter(request: DeliberationRequest, said: Mapping[str, Any]) -> Charter:
    """The participants as a panel: a discussion, or another protocol whose seats their models answer for."""
    people, protocol = request.participants, said.get(table.PROTOCOL.name, CONFERENCE)
    if not FEWEST_PARTICIPANTS <= len(people) <= MOST_PARTICIPANTS:
        raise BadSetting(
            f"a panel has from {FEWEST_PARTICIPANTS} to {MOST_PARTICIPANTS} participants, not {len(people)}"
        )
    models = [_model(one, request.session_models) for one in people]
    if protocol != CONFERENCE:
        return _dealt(protocol, models)
    names, twice = [_name(one, model) for one, model in zip(people, models, strict=True)], Counter[str]()
    seats: list[Seat] = []
    for one, name in zip(people, names, strict=True):
        twice[name] += 1
        own = name if twice[name] == 1 else f"{name} ({twice[name]})"
        seats.append(Seat(name=own, stance=one.stance))
    pairs = tuple((seat.name, model) for seat, model in zip(seats, models, strict=True))
    return Charter(panel=Panel(seats=tuple(seats)), protocol=CONFERENCE, models=pairs)


def _dealt(protocol: str, models: Sequence[str]) -> Charter:
    from quorate import presets

    charter = presets.panel(protocol)
    seats = [seat.name for seat in charter.panel]
    if len(models) > len(seats):
        raise BadSetting(f"a {protocol} has {len(seats)} seats ({', '.join(seats)}), not {len(models)}")
    pairs = tuple((seat, models[place % len(models)]) for place, seat in enumerate(seats))
    return replace(charter, models=pairs)


def _name(one: Participant, model: str) -> str:
    """AI Counsel's name for a participant: its model at its adapter."""
    written = one.model or model.partition(":")[2].partition("/")[2] or model
    return f"{written}@{one.cli}" if one.cli else written


def _model(one: Participant, session_models: Mapping[str, str]) -> str:
    """The model that quorate asks for a participant.

    Raises:
        BadSetting: an address, a file or a person cannot be named by a client.
        UnknownName: no such adapter.
    """
    from quorate.settings.readers import model_name

    named = _named(one.cli, (one.model or session_models.get(one.cli, "")).strip())
    known = (*(f"{name}:" for name in PROVIDERS), f"{CLI}:")
    if named not in _OURS and not named.startswith(known):
        adapters = ", ".join(sorted({*PROVIDERS, *_TOOLS}))
        raise BadSetting(f"no adapter for {named[:60]!r}; cli is one of {adapters}")
    effort = (one.reasoning_effort or "").strip()
    effort = EFFORTS.get(effort, effort)
    alone = not any(sign in f"{named}{effort}" for sign in ",?&")
    model = model_name(f"{named}?effort={effort}" if effort else named) if alone else ""
    # As it is read, not as it is written: what follows the effort may be an address, and a port here becomes one.
    if not model or "@http" in model.casefold():
        raise BadSetting("a client names a model and nothing else; addresses and options belong into a panel file")
    return model


def _named(adapter: str, model: str) -> str:
    if adapter in _TOOLS:
        return f"{CLI}:{adapter}/{model}" if model else f"{CLI}:{adapter}"
    return f"{adapter}:{model}" if adapter else model


async def _with_models(
    resolved: Settings, env: Mapping[str, str], callers: CallerRules | None
) -> tuple[Charter, tuple[str, ...]]:
    """The charter; where nobody named a model, with what is found here, and told so, with what it may use.

    Raises:
        NoModel: a seat has none and others do, or nothing was found.
    """
    from quorate.engine.picked_models import pick_models

    found = await pick_models(resolved, env, is_allowed=callers.is_usable if callers else bool)
    if not found.picked or found.charter.limits == resolved.limits:
        return found.charter, tuple(filter(None, (found.sentence,)))
    most = table.PICKED_BUDGET.write(resolved[table.PICKED_BUDGET])
    return found.charter, (f"{found.sentence}; it may use at most {most}",)
