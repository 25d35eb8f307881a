"""Small things tests of the conference are made of, AI Counsel's worked example among them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType

from quorate.model import Ask, Ballot, Choice, Convened, Errand, Found, Panel, Question, Reply, Seat, Silence, Speech
from quorate.testing import vote
from tests.play import Answer, Find, convened

CLAUDE, CODEX, GEMINI = SEATS = tuple(Seat(name=name) for name in ("Claude", "Codex", "Gemini"))
PANEL = Panel(seats=SEATS)
LOGGING = Question(text="Should we add comprehensive logging to production systems?")

STRUCTURED = "Comprehensive logging with structured format"
FLAGS = "Selective logging with feature flags"
PROTECTED = "Comprehensive logging with PII protection"

Said = tuple[str, str, float, str, bool]
EXAMPLE: Mapping[tuple[str, str], Said] = {
    ("1", "Claude"): (
        ("Production logging is essential for debugging and monitoring. I recommend structured logging with "
         "configurable levels (DEBUG, INFO, WARN, ERROR) and a centralized aggregation system like ELK or Datadog."),
        STRUCTURED, 0.80, "Enables rapid incident response and root cause analysis", True,
    ),
    ("1", "Codex"): (
        ("Logging adds overhead and storage costs. I propose selective logging: only ERROR and WARN levels in "
         "production, with DEBUG/INFO available via feature flags for specific investigations."),
        FLAGS, 0.75, "Balances observability with performance and cost", True,
    ),
    ("1", "Gemini"): (
        ("Agree with logging importance but concerned about sensitive data exposure. I recommend comprehensive "
         "logging with automatic PII scrubbing and retention policies."),
        PROTECTED, 0.70, "Security and compliance critical for production systems", True,
    ),
    ("2", "Claude"): (
        ("After reviewing the perspectives, I agree that selective logging balances our needs. Codex's feature flag "
         "approach addresses Gemini's PII concerns: we enable verbose logging only during investigations."),
        FLAGS, 0.90, "Combines performance efficiency with on-demand observability", False,
    ),
    ("2", "Codex"): (
        ("Maintaining my position but incorporating Gemini's valid PII concern. The feature flag system should "
         "include automatic PII scrubbing when DEBUG logs are enabled."),
        FLAGS, 0.85, "Optimizes cost and performance while addressing security", False,
    ),
    ("2", "Gemini"): (
        ("Convinced by the feature flag approach. It addresses my PII concerns by limiting verbose logging to "
         "controlled investigations where we can enforce scrubbing."),
        FLAGS, 0.88, "Security-conscious approach with operational flexibility", False,
    ),
}  # fmt: skip
"""AI Counsel's example deliberation: speech, option, confidence, rationale, continue_debate by round and seat."""


def example(ask: Ask) -> Reply:
    """What the three models say in AI Counsel's worked example."""
    speech, option, confidence, rationale, more = EXAMPLE[ask.round, ask.seat.name]
    return Reply(text=f"{speech}\n\n{vote(ask, option, confidence, rationale, more=more)}")


def conference(
    panel: Panel = PANEL, question: Question = LOGGING, settings: Mapping[str, str | int] = MappingProxyType({})
) -> Convened:
    """A conference about to begin."""
    written = tuple((name, str(value)) for name, value in settings.items())
    return replace(convened(panel, "conference", written), question=question)


def holding(rounds: Sequence[Sequence[str]], *, done: Sequence[int] = ()) -> Answer:
    """By round, then by seat, what is voted for; "-" is silence. `done[n]` seats are content to end in round n + 1."""

    def answer(ask: Ask) -> Reply | str:
        number, place = int(ask.round) - 1, [seat.name for seat in SEATS].index(ask.seat.name)
        option = rounds[min(number, len(rounds) - 1)][place]
        if option == "-":
            return "timeout"
        content = number < len(done) and place < done[number]
        return Reply(text=f"{ask.seat.name} in {ask.round}.\n\n{vote(ask, option, more=not content)}")

    return answer


def scoring(*stillness: Sequence[float], options: float = 0.0) -> Find:
    """Scores by hand: how like its last speech each seat's is, from the second round on, and how alike options are."""

    def find(errand: Errand) -> Found:
        pairs = combinations(range(len(errand.texts)), 2)
        score = options
        if errand.seat:
            row = stillness[min(int(errand.round) - 2, len(stillness) - 1)]
            score = row[[seat.name for seat in SEATS].index(errand.seat)]
        scores = tuple((i, j, Fraction(str(score))) for i, j in pairs)
        same = tuple((i, j) for i, j, score in scores if errand.about and score >= Fraction(7, 10))
        return Found(**errand.key._asdict(), scores=scores, same=same, by="hand")

    return find


def voted(seat: Seat, number: int, option: str, *, more: bool = True) -> tuple[str, str, Speech]:
    """A speech with a vote as Heard.of takes it; an empty option is a speech without one."""
    cast = Ballot(
        vote=Choice(option),
        confidence=Fraction(4, 5),
        rationale="as said",
        abstain=option == "ABSTAIN",
        continue_debate=more,
    )
    text = f"{seat.name} in {number}"
    return (
        str(number),
        "",
        Speech(seat=seat.name, round=str(number), about="", prose=text, ballot=cast if option else None),
    )


def mute(seat: Seat, number: int, why: str = "timeout") -> tuple[str, str, Silence]:
    """A silence as Heard.of takes it."""
    return str(number), "", Silence(seat=seat.name, why=why)
