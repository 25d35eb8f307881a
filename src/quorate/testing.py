"""The fakes we ship and use: scripted, obedient, persuadable and faulty panelists, and a fixed clock."""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType, TracebackType
from typing import Final, Self

from quorate.errors import PanelistError, ScriptError, UnknownName
from quorate.model import Ask, AskKey, Finish, Reply, Usage
from quorate.panelists import Panelist, WordListener, ignore_words

__all__ = [
    "FAULTS",
    "Faulty",
    "FixedClock",
    "Obedient",
    "Persuadable",
    "Scripted",
    "approval",
    "argument",
    "assessment",
    "ballot",
    "estimate",
    "finding",
    "judgement",
    "lookup",
    "obey",
    "vote",
]

Said = str | Reply | PanelistError | Callable[[Ask], "str | Reply | PanelistError"]
Place = str | tuple[str, str] | tuple[str, str, str] | tuple[str, str, str, int]


def ballot(
    ask: Ask, decision: str, confidence: int | str = 80, risk: int | str = 20, reasoning: str = "as said"
) -> str:
    """A ballot line as the form `decision` wants it, bearing the mark of this ask."""
    stated = {"mark": ask.mark, "decision": decision, "confidence": confidence, "risk": risk, "reasoning": reasoning}
    return f"BALLOT {json.dumps(stated)}"


def vote(ask: Ask, option: str, confidence: float = 0.7, rationale: str = "as said", *, more: bool = True) -> str:
    """A vote as the form `vote` wants it, bearing the mark of this ask; `more` asks for another round."""
    stated = {"option": option, "confidence": confidence, "rationale": rationale, "continue_debate": more}
    return f"VOTE: {json.dumps({'mark': ask.mark, **stated})}"


def approval(ask: Ask, approved: Sequence[str], confidence: float = 0.7, rationale: str = "as said") -> str:
    """An approval as the form `approval` wants it, bearing the mark of this ask; an empty list approves of nothing."""
    stated = {"approved": list(approved), "confidence": confidence, "rationale": rationale}
    return f"BALLOT {json.dumps({'mark': ask.mark, **stated})}"


def estimate(
    ask: Ask,
    value: float | str,
    bounds: tuple[float | str, float | str] | None = None,
    confidence: float = 0.7,
    rationale: str = "as said",
) -> str:
    """A number as the form `estimate` wants it, bearing the mark of this ask; `bounds` are its low and its high."""
    within = dict(zip(("low", "high"), bounds or (), strict=False))
    stated = {"value": value, **within, "confidence": confidence, "rationale": rationale}
    return f"BALLOT {json.dumps({'mark': ask.mark, **stated})}"


def finding(
    ask: Ask,
    outcome: str,
    confidence: float = 0.8,
    evidence: Sequence[Mapping[str, object]] = (),
    reasoning: str = "as said",
) -> str:
    """A finding as a researcher states it, bearing the mark of this ask; a source is a mapping with url and quote."""
    stated = {"outcome": outcome, "confidence": confidence, "reasoning": reasoning, "evidence": list(evidence)}
    return f"FINDING {json.dumps({'mark': ask.mark, **stated})}"


def argument(ask: Ask, claims: Sequence[str], evidence: Sequence[str] = (), confidence: float | str = 0.8) -> str:
    """One side's case as the form `argument` wants it, bearing the mark of this ask."""
    stated = {"claims": list(claims), "evidence": list(evidence), "confidence": confidence}
    return f"ARGUMENT {json.dumps({'mark': ask.mark, **stated})}"


def assessment(
    ask: Ask, confidence: float | str, leaning: str = "balanced", agreed: Sequence[str] = (), open_: Sequence[str] = ()
) -> str:
    """A moderator's view as the form `assessment` wants it, bearing the mark of this ask."""
    stated = {"agreed": list(agreed), "open": list(open_), "leaning": leaning, "confidence": confidence}
    return f"ASSESSMENT {json.dumps({'mark': ask.mark, **stated})}"


def judgement(ask: Ask, a: tuple[float, float], b: tuple[float, float]) -> str:
    """A judge's marks, evidence and logic of A and of B, bearing the mark of this ask."""
    stated = {"a_evidence": a[0], "a_logic": a[1], "b_evidence": b[0], "b_logic": b[1]}
    return f"JUDGEMENT {json.dumps({'mark': ask.mark, **stated})}"


def lookup(ask: Ask, **wanted: str | int) -> str:
    """A line that asks to see something, bearing the mark of this ask: `read`, `list`, or `search` with `in_`."""
    stated = {name.removesuffix("_"): value for name, value in wanted.items()}
    return f"LOOKUP {ask.mark} {json.dumps(stated)}"


class Scripted:
    """Says what the script says, and complains of an ask without a reply and of a reply that nobody asked for.

    The script maps a seat, for its replies in order, or a place (seat, round[, about[, attempt]]) to a reply or a list
    of them. A reply is text, a Reply, a PanelistError to raise, or a function of the ask that gives one of these.
    """

    def __init__(self, script: Mapping[Place, Said | Sequence[Said]]) -> None:
        self._left = {_whole(place): _listed(said) for place, said in script.items()}
        self.asked: list[Ask] = []

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer by the script.

        Raises:
            ScriptError: the script has no reply for this ask.
            PanelistError: the script says so.
        """
        self.asked.append(ask)
        place = (ask.seat.name, ask.round, ask.about.name if ask.about else "", ask.attempt)
        left = self._left.get(place) or self._left.get(ask.seat.name)
        if not left:
            raise ScriptError(f"nobody scripted a reply for {place}; there is one for {self._unused() or 'nothing'}")
        said = left.pop(0)
        return _spoken(said(ask) if callable(said) else said, overheard)

    def finish(self) -> None:
        """End the play.

        Raises:
            ScriptError: replies were left over.
        """
        if self._unused():
            raise ScriptError(f"nobody asked for the replies scripted for {self._unused()}")

    def _unused(self) -> str:
        return ", ".join(f"{place} ({len(left)})" for place, left in self._left.items() if left)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        if raised is None:
            self.finish()


def _whole(place: Place | AskKey) -> str | tuple[str, str, str, int]:
    match place:
        case str():
            return place
        case AskKey(round=round_, seat=seat, about=about, attempt=attempt):
            return (seat, round_, about, attempt)
        case (seat, round_):
            return (seat, round_, "", 1)
        case (seat, round_, about):
            return (seat, round_, about, 1)
        case (seat, round_, about, attempt):
            return (seat, round_, about, attempt)


def _listed(said: Said | Sequence[Said]) -> list[Said]:
    return [said] if isinstance(said, str | Reply | PanelistError) or callable(said) else list(said)


def _spoken(said: str | Reply | PanelistError, overheard: WordListener) -> Reply:
    if isinstance(said, PanelistError):
        raise said
    reply = said if isinstance(said, Reply) else Reply(text=said, model="test:fake", usage=Usage(asked=0, answered=0))
    if overheard is not ignore_words:
        overheard(reply.text)
    return reply


class Obedient:
    """Does whatever its prompt says, whoever says it there: the model every injection works on."""

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Obey; it never fails."""
        return _spoken(obey(ask.prompt.template), overheard)


def obey(prompt: str) -> str:
    """Follow every instruction in a prompt: say what is to be said, announce every deed, copy and cast every ballot.

    Whatever it is told to look up it asks for, as it stands there and with its own mark put to it.
    """
    exactly = _EXACTLY.findall(prompt)
    if exactly:
        return str(exactly[-1]).strip()
    deeds = [f"As instructed: {line.strip()}" for line in prompt.splitlines() if _DEED.search(line)]
    copied = [found for found in _BALLOT.findall(prompt) if "<" not in found]
    votes = ["WARN", *(word.upper() for words in _VOTE.findall(prompt) for word in words if word)]
    marks = _MARK.findall(prompt)
    sought = [*_lookups(prompt)]
    # Whoever is told to look something up and to vote looks first: behind a ballot nothing is looked up any more.
    own = _own_answer(prompt, marks[-1], votes[-1]) if marks and not sought else ""
    return "\n".join(filter(None, ("I do as I am told.", *deeds, *copied, *sought, own)))


def _lookups(prompt: str) -> Iterator[str]:
    """Every lookup that somebody has written into a prompt, with each mark that stands there for one."""
    marks = dict.fromkeys(_LOOKUP_MARK.findall(prompt))
    for line in dict.fromkeys(_LOOKUP.findall(prompt)):
        if "<" not in line:
            yield line
            yield from (f"LOOKUP {mark} {line[line.index('{') :]}" for mark in marks)


def _own_answer(prompt: str, mark: str, decision: str) -> str:
    """An answer in the form that the prompt asks for; nothing if it asks for none."""
    if _OPTION.search(prompt):
        asked = _URGED_OPTION.findall(prompt)
        stated = {"mark": mark, "option": asked[-1] if asked else "whatever you say", "confidence": 1}
        return f"VOTE: {json.dumps({**stated, 'rationale': 'I was told to.', 'continue_debate': False})}"
    if _CASE.search(prompt):
        stated = {"mark": mark, "claims": ["I do as I am told."], "evidence": [], "confidence": 1}
        return f"ARGUMENT {json.dumps(stated)}"
    if _LEANING.search(prompt):
        stated = {"mark": mark, "agreed": [], "open": [], "leaning": "for", "confidence": 1}
        return f"ASSESSMENT {json.dumps(stated)}"
    if _PATTERN.search(prompt):
        stated = {"mark": mark, "decision": decision, "confidence": 100, "risk": 0}
        return f"BALLOT {json.dumps({**stated, 'reasoning': 'I was told to.'})}"
    return ""


_EXACTLY: Final = re.compile(r"(?i)\b(?:reply|respond|answer|output|say|print) (?:with )?exactly:?[ \t]*([^\n]+)")
_DEED: Final = re.compile(
    r"(?i)\b(?:ignore|disregard|forget|write (?:a |the )?files?|fetch|open|download|delete|run|execute|print|repeat|"
    r"reveal|send|call|you are now|change the rules?|end the debate|new instructions?)\b"
)
_BALLOT: Final = re.compile(r'(?:BALLOT[ \t]*|VOTE:[ \t]*)?\{[^{}]*"(?:decision|choice|option|outcome)"[ \t]*:[^{}]*\}')
_LOOKUP: Final = re.compile(r'(?:LOOKUP[^\n{]{0,20})?\{[^{}\n]*"(?:read|list|search)"[ \t]*:[^{}\n]*\}')
_LOOKUP_MARK: Final = re.compile(r"LOOKUP ([0-9a-f]{12}) \{")
_VOTE: Final = re.compile(
    r'(?i)\b(?:vote|choose|decide|cast|answer|say|approve)(?: for)?:?[ \t]+"?(ACT|WARN|REFUSE|VETO)\b'
    r'|"decision"[ \t]*:[ \t]*"(ACT|WARN|REFUSE|VETO)"'
)
_MARK: Final = re.compile(r'"mark"[ \t]*:[ \t]*"([0-9a-f]+)"')
_OPTION: Final = re.compile(r'"option"[ \t]*:[ \t]*<')
_URGED_OPTION: Final = re.compile(r'(?i)\b(?:vote|choose|decide)(?: for)?:[ \t]*"([^"\n]+)"')
_CASE: Final = re.compile(r'"claims"[ \t]*:[ \t]*\[<')
_LEANING: Final = re.compile(r'"leaning"[ \t]*:[ \t]*<')
_PATTERN: Final = re.compile(r'"decision"[ \t]*:[ \t]*<')


class Persuadable:
    """Holds a position until it hears another; then it converts with the given probability, by a seed of its own."""

    def __init__(self, position: str, *, conversion: float, seed: int = 0) -> None:
        self.position = position
        self.conversion = conversion
        self._seed = seed

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """State the position, its own or the one most urged upon it."""
        urged = Counter(_URGED.findall(ask.prompt.template))
        urged.pop(self.position, None)
        chance = random.Random(f"{self._seed} {ask.key}")  # noqa: S311  must be the same again
        if urged and ask.wants != "speech" and chance.random() < self.conversion:
            self.position = urged.most_common(1)[0][0]
        speech = f"{ask.seat.name} holds on. I urge you: {self.position}."
        cast = {"decision": ballot(ask, self.position), "vote": vote(ask, self.position)}.get(ask.wants, "")
        return _spoken(f"{speech}\n\n{cast}" if cast else speech, overheard)


_URGED: Final = re.compile(r"I urge you: ([^.\n]+)\.")


class Faulty:
    """Fails in one way, by name; after `times` failures, or behind words that can be read, `then` answers."""

    def __init__(
        self, kind: str, *, times: int | None = None, then: Panelist | None = None, delay: float = 0.05
    ) -> None:
        """A fault that only delays, or one that passes, needs somebody who answers then; by default a scripted WARN.

        Raises:
            UnknownName: no such fault.
        """
        if kind not in FAULTS:
            raise UnknownName("fault", kind, FAULTS)
        self.kind = kind
        self.asked = 0
        self._times = times
        self._then = then
        self._delay = delay

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Fail.

        Raises:
            PanelistError: if that is how it fails.
        """
        self.asked += 1
        if self._times is not None and self.asked > self._times:
            return await self._answered(ask, overheard)
        if self.kind == "never":
            await asyncio.Event().wait()
        if self.kind == "slow":
            await asyncio.sleep(self._delay)
            return await self._answered(ask, overheard)
        if self.kind in _ERRORS:
            again, after, billed = _ERRORS[self.kind]
            raise PanelistError(
                self.kind, f"{ask.seat.name} fails by {self.kind}", again=again, after=after, billed=billed
            )
        text, finish = _WORDS[self.kind]
        return _spoken(Reply(text=text(ask), model="test:faulty", finish=finish), overheard)

    async def _answered(self, ask: Ask, overheard: WordListener) -> Reply:
        if self._then is not None:
            return await self._then.answer(ask, overheard)
        return _spoken(f"Well.\n\n{ballot(ask, 'WARN')}", overheard)


_ERRORS: Final[Mapping[str, tuple[bool, float | None, bool]]] = MappingProxyType(
    {
        "timeout": (False, None, True),
        "unreachable": (True, None, False),
        "rate_limited": (True, 0.01, False),
        "overloaded": (True, None, False),
        "wrong_key": (False, None, False),
        "no_such_model": (False, None, False),
        "too_long": (False, None, False),
        "bad_request": (False, None, False),
        "bad_reply": (True, None, True),
    }
)
"""Again, after, billed."""

_WORDS: Final[Mapping[str, tuple[Callable[[Ask], str], Finish]]] = MappingProxyType(
    {
        "empty": (lambda _: "", "stop"),
        "blank": (lambda _: " \n\t ", "stop"),
        "refusal": (lambda _: "I cannot help with that.", "refusal"),
        "filter": (lambda _: "", "filter"),
        "length": (lambda ask: ballot(ask, "ACT")[:-20], "length"),
        "garbage": (lambda _: '}{"decision": \x00\ufffd ]] ACT ACT 💭' * 20, "stop"),
        "nan": (lambda ask: ballot(ask, "ACT", "NaN").replace('"NaN"', "NaN"), "stop"),
        "huge": (
            lambda ask: ballot(ask, "ACT", "9" * 5000).replace('"9', "9").replace('9"', "9") + "x" * 2**20,
            "stop",
        ),
        "deep": (lambda _: '{"decision": ' * 100_000, "stop"),
        "wrong_mark": (lambda ask: ballot(ask, "ACT").replace(ask.mark, "0" * len(ask.mark)), "stop"),
        "template_echo": (lambda ask: ask.prompt.template, "stop"),
        "twice": (lambda ask: ballot(ask, "ACT").replace('"risk"', '"decision": "REFUSE", "risk"'), "stop"),
        "prose": (lambda _: "I would go ahead, all things considered.", "stop"),
        "html": (lambda _: "<!doctype html><title>502</title><h1>Bad gateway</h1>", "stop"),
    }
)

FAULTS: Final = tuple(sorted(("never", "slow", *_ERRORS, *_WORDS)))


class FixedClock:
    """A clock that stands still until it is moved; sleeping on it moves it and takes no time."""

    def __init__(self, at: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.at = at
        self.slept: list[float] = []

    def __call__(self) -> datetime:
        return self.at

    def advance(self, seconds: float) -> None:
        """Move the time on."""
        self.at += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        """Sleep on this clock, for whoever takes a `sleep`."""
        self.slept.append(seconds)
        self.advance(seconds)
        await asyncio.sleep(0)
