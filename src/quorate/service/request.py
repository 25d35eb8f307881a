"""What somebody asks for, as every interface hands it over; and what it became."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any, NamedTuple

from quorate.chair import State
from quorate.engine.routing import resolve_routes
from quorate.engine.shared_runner import RunnerSettings
from quorate.errors import BadSetting, Suggestion
from quorate.frozen import dataclass
from quorate.guard.empty import visible
from quorate.middleware.secret_redaction import RedactedText
from quorate.model import Convened, Question
from quorate.model.charter import Charter
from quorate.offline.forecast import Forecast, forecast
from quorate.panelists import Panelist
from quorate.settings.option import Place
from quorate.settings.settings import Settings
from quorate.settings.table import CONCURRENCY

__all__ = ["Note", "PreparedRequest", "Request", "check_question", "runner_settings"]


class Note(NamedTuple):
    """What a request was understood to mean, and what to set if something else was meant."""

    kind: str
    """`protocol`, `setting`, `files`, `models`, `budget`, `folder`, `precedents`, `act_error` or `queue`."""
    text: str
    suggestion: Suggestion | None = None

    def document(self) -> dict[str, object]:
        """The same for JSON."""
        return {"kind": self.kind, "text": self.text, "suggestion": self.suggestion and self.suggestion._asdict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question, and what is said of the options of the one table.

    `options` are by name, written as a command line would write them. A `charter` stands in the place of a panel file,
    and `panelists` are objects that answer. What a panel must judge and is not shown is named in `unseen`.
    """

    question: Question | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    place: Place = "flag"
    gate: str | None = None
    trust: bool = False
    allow_partial: bool = False
    only_forecast: bool = False
    """Nobody will be asked, so nothing needs consent and no budget is too small."""
    deadline: Fraction | None = None
    """Seconds that whoever asks will wait."""
    folder: str | None = None
    """Where seats may look, within the folder that the owner has opened."""
    charter: Charter | None = None
    panelists: Mapping[str, Panelist] | None = field(default=None, repr=False)
    unseen: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """A request as it will be held: the first event, the settings it came from, and what to say about it."""

    convened: Convened
    settings: Settings
    env: Mapping[str, str] = field(repr=False)
    notes: tuple[Note, ...] = ()
    state: State | None = field(default=None, repr=False)
    panelists: Mapping[str, Panelist] | None = field(default=None, repr=False)
    redacted: RedactedText | None = field(default=None, repr=False)

    @property
    def charter(self) -> Charter:
        """The panel as it would sit."""
        convened = self.convened
        return Charter(
            panel=convened.panel,
            protocol=convened.protocol,
            models=tuple((seated.seat, seated.model) for seated in convened.seated),
            rulebook=convened.rulebook,
            settings=convened.settings,
            limits=convened.limits,
            lookups=convened.lookups,
        )

    def forecast(self) -> Forecast:
        """What it would take; nobody is asked."""
        return forecast(resolve_routes(self.convened, self.settings.provider_limits, self.env), self.env)


def check_question(question: Question) -> None:
    """Refuse a question that nobody could read.

    Raises:
        BadSetting: so it is.
    """
    if not any(map(visible, question.text)):
        raise BadSetting("the question is blank")


def runner_settings(settings: Settings) -> RunnerSettings:
    """How deliberations under these settings are held."""
    return RunnerSettings(
        concurrency=settings[CONCURRENCY], provider_limits=settings.provider_limits, consent=settings.consent
    )
