"""Deliberations worth looking at, played through the chair: what the browser tests show."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from quorate import presets
from quorate.model import Ask, Asked, Convened, Event, Found, Question, Reply, SeatModel, Silent, Spoken
from quorate.model.ask import Errand
from quorate.model.ballot import Usage
from quorate.model.evidence import Passage
from quorate.testing import ballot, estimate, finding, vote
from quorate.views import Record
from tests.debate import debate, speaking
from tests.play import Answer, convened, nothing, play, words

ID = "01k9qa7c5x3m8v2n6r4t0w1yzb"
QUESTION = Question(
    text="Should we delete the staging database before the weekend?",
    context="Staging costs **300 euros a month**. Nobody has logged in since 2 May. The backup was never restored.",
)
MODELS = ("anthropic:claude-sonnet-4-5", "openai:gpt-4.1", "ollama:qwen3")
BEGIN = datetime(2026, 11, 16, 9, tzinfo=UTC)

OPENING = {
    "Utility": (
        ("ACT", 70, 25),
        "Staging costs **300 € a month**, and nobody has logged in.\n\n- the bill is real\n- the data is a copy",
    ),
    "Accuracy": (
        ("WARN", 65, 40),
        "That nobody uses it rests on *logins* only. Jobs do not log in: see [the runbook](https://example.org/runbook).",
    ),
    "Safety": (
        ("REFUSE", 80, 75),
        "The backup was **never restored**.\n\n> Nobody has tried the way back.\n\nRun `pg_restore --list` first.",
    ),
}
CHALLENGES = {
    ("Utility", "Accuracy"): "Jobs would show in the connection log, and that log has been empty since May.",
    ("Utility", "Safety"): "You treat a 12 GB copy as if it were production. The risk is a day of work.",
    ("Accuracy", "Utility"): "You count the disk twice: it is shared with reporting. It is nearer to 180 €.",
    ("Accuracy", "Safety"): "The restore must be tried, yes. What else would make you say yes?",
    ("Safety", "Utility"): "A saving of 300 € does not buy back a lost archive. Name one way back.",
    ("Safety", "Accuracy"): "A warning without a condition is a yes with a bad conscience.",
}
REVISION = {
    "Utility": (("WARN", 75, 35), "Fair: I had not looked at the shared disk. Delete it after one restore was tried."),
    "Accuracy": (("WARN", 80, 35), "Delete it only when a restore was tried and the log of a full month is empty."),
    "Safety": (("REFUSE", 70, 60), "Still no restore. I would change my mind the day somebody shows me one."),
}


def tribunal_answer(ask: Ask) -> Reply:
    """What each seat of the tribunal says."""
    name = ask.seat.name
    if ask.about:
        return _reply(CHALLENGES[name, ask.about.name])
    (decision, sure, risk), said = (OPENING if ask.round == "analysis" else REVISION)[name]
    return _reply(f"{said}\n\n{ballot(ask, decision, sure, risk, said.splitlines()[0])}")


def _reply(text: str) -> Reply:
    return Reply(text=text, model="a-model", took=3100, usage=Usage(asked=900, answered=140))


def tribunal(answer: Answer = tribunal_answer, question: Question = QUESTION) -> Record:
    """Three seats, everybody challenged, one that moves and one that does not."""
    return record(play(_seated(replace(convened(presets.panel("tribunal").panel), question=question)), answer))


def _seated(begin: Convened) -> Convened:
    seats = zip(begin.panel, MODELS, strict=False)
    seated = tuple(SeatModel(seat=seat.name, model=model, domain=model.partition(":")[0]) for seat, model in seats)
    return replace(begin, seated=seated) if len(seated) == len(begin.panel) else begin


OPTIONS = ("Kafka", "PostgreSQL with SKIP LOCKED", "Redis streams")


def conference() -> Record:
    """Three rounds of talk in which one seat comes round."""
    chosen = {"Alpha": (1, 1, 1), "Beta": (0, 1, 1), "Gamma": (2, 2, 1)}

    def answer(ask: Ask) -> Reply:
        at = int(ask.round) - 1 if ask.round.isdecimal() else 2
        if ask.wants != "vote":
            return words(ask)
        option = OPTIONS[chosen[ask.seat.name][min(at, 2)]]
        said = f"{option} is what we can run ourselves; round {ask.round} has not changed that."
        return _reply(f"{said}\n\n{vote(ask, option, 0.6 + at / 10, said, more=at < 2)}")

    begin = _seated(convened(presets.panel("conference").panel, "conference"))
    question = Question(text="Which queue should we run?", options=OPTIONS)
    return record(play(replace(begin, question=question), answer, find=_alike))


def _alike(errand: Errand) -> Found:
    if errand.kind != "compare":
        return nothing(errand)
    number = int(errand.round) if errand.round.isdecimal() else 1
    count = len(errand.texts)
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    scores = tuple((one, other, Fraction(50 + 15 * min(number, 3), 100)) for one, other in pairs)
    alike = scores if errand.seat else tuple((one, other, Fraction(1, 5)) for one, other, _ in scores)
    return replace(nothing(errand), scores=alike, by="overlap 1", why="")


PASSAGE = Passage(
    url="https://example.org/weather/oslo",
    title="Weather in Oslo, Monday",
    text="On Monday it rained in Oslo from six in the morning until noon, 12 mm in all.",
    category="official",
)


def oracle() -> Record:
    """Five researchers with one source, quoted word for word."""

    def answer(ask: Ask) -> Reply:
        quote = "On Monday it rained in Oslo from six in the morning until noon"
        source = {"url": PASSAGE.url, "title": PASSAGE.title, "quote": quote}
        return _reply(f"It rained.\n\n{finding(ask, 'YES', 0.9, [source], 'The weather service says so.')}")

    begin = convened(presets.panel("oracle").panel, "oracle")
    question = Question(text="Did it rain in Oslo on Monday?")
    found = replace(nothing(Errand(kind="find", round="")), passages=(PASSAGE,), by="a list", why="")
    return record(
        play(
            replace(begin, question=question),
            answer,
            find=lambda errand: replace(
                found, kind=errand.kind, round=errand.round, seat=errand.seat, about=errand.about
            ),
        )
    )


def delphi() -> Record:
    """Five estimates that come together."""
    spread = {"Ann": 8, "Ben": 12, "Cleo": 20, "Dan": 11, "Eve": 14}

    def answer(ask: Ask) -> Reply:
        value = spread[ask.seat.name] if ask.round == "1" else 12
        return _reply(f"I count days.\n\n{estimate(ask, value)}")

    return record(play(convened(presets.panel("delphi").panel, "delphi"), answer))


RECORDS: Mapping[str, Callable[[], Record]] = {
    "tribunal": tribunal,
    "conference": conference,
    "debate": lambda: record(play(debate(), speaking())),
    "oracle": oracle,
    "delphi": delphi,
    "ranked": lambda: record(play(convened(presets.panel("ranked").panel, "ranked"), words)),
    "approval": lambda: record(play(convened(presets.panel("approval").panel, "approval"), words)),
    "silent": lambda: tribunal(lambda ask: "timeout" if ask.seat.name == "Safety" else tribunal_answer(ask)),
    "turned-away": lambda: tribunal(question=Question(text="")),
}
"""By name, one of each kind, made when it is wanted."""


def record(events: Sequence[Event], id_: str = ID) -> Record:
    """Events as they stand in a ledger: asked before they are answered, two seconds apart."""
    written = [*_asked(events)]
    times = [(BEGIN + timedelta(seconds=2 * at)).isoformat().replace("+00:00", "Z") for at in range(len(written))]
    return Record(id=id_, events=written, seconds=2.0 * len(written), times=times)


def _asked(events: Sequence[Event]) -> Iterator[Event]:
    models: dict[str, str] = {}
    for event in events:
        if isinstance(event, Convened):
            models = {sat.seat: sat.model for sat in event.seated}
        if isinstance(event, Spoken | Silent):
            yield Asked(**event.key._asdict(), model=models.get(event.seat, ""))
        yield event
