"""What was said, round by round and seat by seat: prose, position and what it was before, or why nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate import catalogue
from quorate.chair import State
from quorate.frozen import dataclass
from quorate.model import Ballot, Event, Panel, Silence, Speech, Spoken
from quorate.model.heard import Place
from quorate.model.numbers import percent
from quorate.reading.text.redaction import speech_of
from quorate.reading.text.thinking import public_span
from quorate.views.seat_lookups import lookups_at

__all__ = [
    "LEANS",
    "Round",
    "RoundSpeech",
    "ballot_line",
    "ballot_numbers",
    "moderators",
    "round_heading",
    "rounds",
    "speech_prose",
    "titles",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSpeech:
    """One speech or silence. `choice` is empty without a ballot; `before` and `earlier` are the one before, if any."""

    seat: str
    about: str = ""
    text: str = ""
    choice: str = ""
    numbers: str = ""
    before: str = ""
    earlier: str = ""
    silence: str = ""
    detail: str = ""
    uncounted: str = ""
    """What a silent seat said, where nothing of it could be counted."""
    lookups: tuple[str, ...] = ()
    """What the seat looked up before, in words."""
    ballot: str = ""
    """The line of its ballot, or of what looked like one, as it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A round as it is announced, with what was said in it in seat order."""

    name: str
    title: str
    number: int
    said: tuple[RoundSpeech, ...] = ()


def round_heading(number: int, title: str, between: str = ": ") -> str:
    """How a round is announced; one that is called by its number only once."""
    return f"Round {number}" if title == str(number) else f"Round {number}{between}{title}"


def titles(protocol: str) -> dict[str, str]:
    """The rounds a protocol announces, in their order."""
    return dict(catalogue.protocol(protocol).titles)


def rounds(state: State, events: Iterable[Event] = ()) -> tuple[Round, ...]:
    """Every round announced or held: those without a word are there, empty. `events` add what could not be counted."""
    words = state.heard.words
    spoken = {(one.round, one.seat, one.about): one for one in events if isinstance(one, Spoken)}
    announced = titles(state.convened.protocol)
    held = dict.fromkeys((*announced, *(place[0] for place in words)))
    seats = {seat.name: number for number, seat in enumerate(state.brief.panel)}
    leaning = moderators(state.brief.panel)
    found: list[Round] = []
    for number, name in enumerate(held, 1):
        here = sorted((p for p in words if p[0] == name), key=lambda p: (seats.get(p[1], 0), seats.get(p[2], 0)))
        said = tuple(
            _as_it_came(_with_lookups(_said(words, p, tuple(held)[: number - 1], leaning), state, p), spoken.get(p))
            for p in here
        )
        title = announced.get(name) or name.replace("_", " ").capitalize()
        found.append(Round(name=name, title=title, number=number, said=said))
    return tuple(found)


def _with_lookups(said: RoundSpeech, state: State, place: Place) -> RoundSpeech:
    if place not in state.looked:
        return said
    return replace(said, lookups=tuple(one.line for one in lookups_at(state, place)))


def _as_it_came(said: RoundSpeech, last: Spoken | None) -> RoundSpeech:
    """With the ballot's own line, and what a silent seat said where nothing of it could be counted."""
    if last is None:
        return said
    uncounted = speech_of(last).prose if said.silence and last.unreadable else ""
    return replace(said, uncounted=uncounted, ballot=ballot_line(last))


def ballot_line(spoken: Spoken) -> str:
    """The line of a ballot, or of what looked like one, as it came; private thinking is none of it."""
    text, (start, _) = spoken.reply.text, public_span(spoken.reply.text)
    lines = (text[begin:end].strip() for begin, end in spoken.cuts if begin >= start)
    return "\n".join(filter(None, lines))


def moderators(panel: Panel) -> frozenset[str]:
    """Who sums up a debate and takes no side."""
    return frozenset(seat.name for seat in panel if seat.acts == "moderator" and "vote" not in seat.powers)


def _said(
    words: Mapping[Place, Speech | Silence], place: Place, earlier: tuple[str, ...], leaning: frozenset[str]
) -> RoundSpeech:
    speech = words[place]
    _, seat, about = place
    if isinstance(speech, Silence):
        return RoundSpeech(seat=seat, about=about, silence=speech.why, detail=speech.detail)
    before = _before(words, seat, earlier) if speech.ballot else None
    said = RoundSpeech(
        seat=seat,
        about=about,
        text=speech_prose(speech),
        choice=_choice(speech.ballot),
        numbers=ballot_numbers(speech.ballot),
        before=_choice(before),
        earlier=ballot_numbers(before),
    )
    return _assessed(said) if seat in leaning else said


def _assessed(said: RoundSpeech) -> RoundSpeech:
    """A moderator takes no side: its word tells where the debate leans, its number how settled the matter is."""
    return replace(
        said,
        choice=LEANS.get(said.choice, said.choice),
        numbers=said.numbers.replace(" sure", " settled"),
        before=LEANS.get(said.before, said.before),
        earlier=said.earlier.replace(" sure", " settled"),
    )


LEANS: Final[Mapping[str, str]] = MappingProxyType({"for": "leans for", "against": "leans against"})


def _before(words: Mapping[Place, Speech | Silence], seat: str, earlier: tuple[str, ...]) -> Ballot | None:
    """The last ballot a seat cast before."""
    said = (words.get((name, seat, "")) for name in reversed(earlier))
    return next((word.ballot for word in said if isinstance(word, Speech) and word.ballot), None)


def _choice(ballot: Ballot | None) -> str:
    if ballot is None:
        return ""
    return "abstains" if ballot.abstain else "VETO" if ballot.veto else ballot.choice


def ballot_numbers(ballot: Ballot | None) -> str:
    """A ballot's numbers in words: 70 % sure, risk 25 %."""
    if ballot is None:
        return ""
    numbers = (_number("{} sure", ballot.confidence), _number("risk {}", ballot.risk))
    return ", ".join(text for text in numbers if text)


def _number(words: str, value: Fraction | None) -> str:
    return "" if value is None else words.format(percent(value))


def speech_prose(speech: Speech) -> str:
    """The speech without the sentence about its ballot, and without the rationale if that only repeats the prose."""
    if speech.ballot is None:
        return speech.text
    repeats = " ".join(speech.rationale.split()) in " ".join(speech.prose.split())
    return speech.prose if repeats else replace(speech, position="").text
