"""What an assistant asks for as a request: AI Counsel's participants, rounds and mode, and the fields of the table.

A client's arguments come from a model that may have read anything. So no argument names an address, a file outside
the folders for panels, or a command that the user has not declared; keys stay with their providers as always.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.model import Panel, Seat
from quorate.model.charter import Charter
from quorate.panelists.registry import CLI
from quorate.service.fields import request_from_fields
from quorate.service.models import TOOLS, check_plain_models
from quorate.service.request import Request
from quorate.settings import table

__all__ = ["CounselArguments", "Participant", "SessionModels", "panel_request"]

CONFERENCE: Final = "conference"
FEWEST_PARTICIPANTS: Final = 2
MOST_PARTICIPANTS: Final = 25
MOST_ROUNDS: Final = 20
EFFORTS: Final[Mapping[str, str]] = MappingProxyType({"off": "", "none": "", "extra-high": "xhigh"})
"""Other words for an effort, as AI Counsel has them."""

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
class CounselArguments:
    """What AI Counsel's tool takes besides the fields of the table."""

    participants: Sequence[Participant] = ()
    rounds: int | None = None
    mode: str | None = None
    working_directory: str | None = None
    session_models: SessionModels = field(default_factory=dict[str, str])


def panel_request(fields: Mapping[str, Any], counsel: CounselArguments) -> Request:
    """A tool call as a request.

    Raises:
        QuorateError: its arguments don't fit together.
    """
    protocol, panel = fields.get(table.PROTOCOL.name), fields.get(table.PANEL.name)
    if panel and counsel.participants:
        raise BadSetting("give participants or a panel, not both: a panel names its own seats")
    request = request_from_fields(fields, "mcp")
    charter = _charter(counsel, protocol or CONFERENCE) if counsel.participants else None
    request = replace(request, charter=charter, folder=counsel.working_directory or None)
    if (protocol or CONFERENCE) == CONFERENCE and not panel:
        return _with_rounds(request, tuple(_rounds(counsel, has_options=bool(fields.get("options")))))
    if counsel.rounds is not None or counsel.mode is not None:
        raise BadSetting("rounds and mode belong to a conference; leave them out, or leave out panel and protocol")
    return request


def _with_rounds(request: Request, rounds: tuple[tuple[str, str], ...]) -> Request:
    """The request as a conference of so many rounds; as it is where nobody said anything about them."""
    if not rounds:
        return request
    settings = (*rounds, *request.options.get(table.SETTINGS.name, ()))
    named = {table.SETTINGS.name: settings, table.PROTOCOL.name: CONFERENCE}
    return replace(request, options={**request.options, **named})


def _rounds(request: CounselArguments, *, has_options: bool) -> Iterator[tuple[str, str]]:
    """Rounds and mode as AI Counsel means them: without a mode a panel of participants speaks once."""
    mode = request.mode or ("quick" if request.participants else None)
    if mode is not None:
        yield "mode", mode
    if request.rounds is not None:
        if not 1 <= request.rounds <= MOST_ROUNDS:
            raise BadSetting(f"rounds must be from 1 to {MOST_ROUNDS}, not {request.rounds}")
        yield "max_rounds", str(request.rounds)
        yield "min_rounds", str(min(2, request.rounds))
    if has_options and request.participants:
        yield "options", "given"


def _charter(request: CounselArguments, protocol: str) -> Charter:
    """The participants as a panel: a discussion, or another protocol whose seats their models answer for."""
    people = request.participants
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
        BadSetting: an address, a file or a person can't be named by a client.
    """
    named = _named(one.cli, (one.model or session_models.get(one.cli, "")).strip())
    effort = (one.reasoning_effort or "").strip()
    effort = EFFORTS.get(effort, effort)
    if any(sign in f"{named}{effort}" for sign in ",?&"):
        raise BadSetting("a client names a model and nothing else; addresses and options belong in a panel file")
    model = f"{named}?effort={effort}" if effort else named
    check_plain_models({table.MODEL.name: model})
    return model


def _named(adapter: str, model: str) -> str:
    if adapter in TOOLS:
        return f"{CLI}:{adapter}/{model}" if model else f"{CLI}:{adapter}"
    return f"{adapter}:{model}" if adapter else model
