"""Judges one tribunal ballot as it is written: any of the four words if it is complete, never ACT if it was cut."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal

from quorate.model.ballot import Ballot, Choice
from quorate.model.once import lazy_pattern, pattern
from quorate.reading.text.conflict import (
    Answer,
    Conflict,
    Extra,
    Place,
    affirms_veto,
    conflict,
    extra_members,
    folded_words,
    is_veto,
)
from quorate.reading.text.doubt import is_guessed
from quorate.reading.text.inner_ballots import all_marks, ballots_in, marks_in
from quorate.reading.text.objects import Member, Object, Scalar, fold_case
from quorate.reading.text.page import CHOICES, BallotObject, Page
from quorate.reading.text.selection import Candidate
from quorate.reading.text.unreadable import Why
from quorate.reading.text.values import percentage, prose

NAMES: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(sorted(CHOICES), "decision")
    | {"confidence": "confidence", "risk": "risk", "mark": "mark"}
    | dict.fromkeys(("reasoning", "reason", "rationale"), "reasoning")
)

_WORDS: Final[Mapping[str, tuple[str, bool]]] = MappingProxyType(
    {"act": ("ACT", False), "warn": ("WARN", False), "refuse": ("REFUSE", False), "veto": ("REFUSE", True)}
)
_OWN: Final = frozenset({*NAMES, "conditions", "would_change"})
_REFUSALS: Final = frozenset({"REFUSE", "VETO"})
_REFUSING: Final = frozenset(
    {
        *("refuse", "refused", "refusal", "reject", "rejected", "deny", "denied", "decline", "declined", "veto"),
        *("vetoed", "block", "blocked", "abort", "stop", "halt", "no", "false", "not act", "abstain", "abstained"),
    }
)
_WARNING: Final = frozenset({"warn", "warning", "caution", "conditional", "unsafe"})
"""What else the decisions are called that are not to go ahead as asked; who abstains does not go ahead either."""
_NO_REASON: Final = r"reason (?:against|to (?:refuse|veto))\b"
_OPENS: Final = lazy_pattern(
    r"(?:refus\w*|veto\w*|reject\w*|den(?:y|ied)|declin\w*|abstain\w*|warn(?:ing)?|not|never|do not|don t"
    rf"|no(?! {_NO_REASON}))\b"
)
"""How a sentence begins that decides, and not for ACT."""
_REFUSES: Final = lazy_pattern(
    r"\b(?:REFUSE|VETO)(?:D|S|ED|ES)?\b|(?:[Dd]o not|[Dd]on't|[Mm]ust not) (?:act|go ahead|proceed)\b"
)
_FEW: Final = 6
"""Words that are an answer; more of them are a sentence about one."""
_NOTHING: Final = frozenset({"", "null", "nil", "na", "n a"})
_AGREES: Final = lazy_pattern(
    r"(?:act(?:ed|ing)?|approv\w*|proceed\w*|go|allow\w*|accept\w*|confirm\w*|agree\w*|support\w*|yes|y|true|on|ok|okay"
    r"|safe|fine|same|unchanged|final|as (?:above|stated)|see (?:above|decision)|1)\b"
)
_NO_OBJECTION: Final = lazy_pattern(
    r"no (?:(?:further |other |more )?(?:objections?|concerns?|problems?|issues?|risks?|veto)\Z"
    rf"|{_NO_REASON})"
)
_TAKES_BACK: Final = frozenset(
    {"not", "never", "no", "don", "dont", "cannot", "refuse", "refused", "veto", "warn", "reject"}
)
_CAREFUL: Final = frozenset({"warn", "refuse", "veto"})
_ELSEWHERE: Final = (
    r"(?:prev|prior|earlier|initial|original|former|old|was|first|opening|round[0-9]|other|opponent|challenger"
    r"|alternative|fallback|if|unless|runnerup|second|rejected|ruledout|considered|options|choices).*+|.*(?:before|from|level)"
)
"""Names for what was decided at another time, by others or in another case, and for lists of what there was."""
_STRAY: Final = lazy_pattern(
    r"(?a:\b)(?:decision|choice|option|outcome|confidence|risk|mark|ballot)[\"'\u2018-\u201f*]{0,3}+\s*+[:=]"
)
"""How the beginning of another value looks, in lower case."""

Values = Mapping[str, tuple[Scalar | None, ...]]


def cast_at(page: Page, sighting: BallotObject, mark: str, *, cut: bool) -> Candidate[Ballot]:
    """Judge what stands at one place: the object itself, or the one ballot directly within."""
    whole = sighting.object
    spans = ((sighting.begin, sighting.end),)
    if whole.state == "overfull":
        return Candidate(spans=spans, quoted=sighting.quoted, why="overfull")
    papers = ballots_in(whole, _states, mark)
    marks = all_marks(page.text, sighting.begin, whole, *papers)
    if len(papers) != 1:
        why = "ambiguous" if papers else "incomplete"
        return Candidate(spans=spans, quoted=sighting.quoted, why=why, marks=marks)
    paper = papers[0]
    complete = whole.state == paper.state == "closed" and not cut
    judged = judge(paper.members, _extras(whole, paper), complete=complete)
    doubt = _doubt(page, whole, paper) if judged.stated else ""
    return Candidate(
        stated=None if doubt else judged.stated,
        values=() if doubt else judged.values,
        cautions=() if doubt else judged.cautions,
        why=doubt or judged.why,
        spans=spans,
        quoted=sighting.quoted,
        marks=marks,
        lent=mark not in marks_in(paper),
        core=page.text[paper.start : paper.end],
    )


def judge(members: tuple[Member, ...], extras: Sequence[Extra] = (), *, complete: bool) -> Candidate[Ballot]:
    """Judge the members of one ballot, and what else stands in it."""
    values = _values(members)
    why = _flaw(values, complete=complete)
    if why:
        return Candidate(why=why)
    decision, confidence, risk = _raw(values, "decision"), _raw(values, "confidence"), _raw(values, "risk")
    choice = _WORDS.get(fold_case(decision))
    if choice is None:
        return Candidate(why="placeholder" if decision.strip() == "<word>" else "bad_decision")
    sure, dangerous = percentage(confidence), percentage(risk)
    if sure is None or dangerous is None:
        return Candidate(why="bad_number")
    if choice[0] == "ACT" and not complete:
        return Candidate(why="cut_short")
    ballot = _ballot(with_veto(choice, extras), sure[0], dangerous[0], _raw(values, "reasoning"))
    judged = Candidate(
        stated=ballot,
        values=(ballot.choice, ballot.veto, sure[0], dangerous[0]),
        cautions=("scale",) if sure[1] or dangerous[1] else (),
    )
    return _uncontradicted(judged, ballot.choice, extras)


def _uncontradicted(judged: Candidate[Ballot], word: str, extras: Sequence[Extra]) -> Candidate[Ballot]:
    why = conflict_with(word, extras)
    return Candidate(why=why) if why else judged


def conflict_with(word: str, extras: Sequence[Extra]) -> Conflict | Literal[""]:
    """How a decision is contradicted beside it. One to refuse stands: whatever took its place would be milder."""
    if not extras or word in _REFUSALS:
        return ""
    if word != "ACT":
        return conflict(extras, Answer(differs=_milder, strict=True))
    return conflict(extras, Answer(differs=_outspoken, strict=True, bold=True)) or _overridden(extras)


def _overridden(extras: Sequence[Extra]) -> Conflict | Literal[""]:
    """Whether a more careful word than ACT stands alone under any name, unless that tells of another time or case."""
    texts = (text for name, texts in extras if not pattern(_ELSEWHERE).fullmatch(name) for text in texts)
    return "two_answers" if any(folded_words(text) in _CAREFUL for text in texts) else ""


def with_veto(choice: tuple[str, bool], extras: Sequence[Extra]) -> tuple[str, bool]:
    """The same choice; who refuses, and says in as many words that this is a veto, vetoes."""
    word, veto = choice
    return word, veto or (word == "REFUSE" and affirms_veto(extras))


def _outspoken(text: str, place: Place) -> bool:
    """Whether a text beside ACT decides otherwise."""
    words = folded_words(text)
    if words in _REFUSING | _WARNING:
        return True
    if place != "answer" or words in _NOTHING:
        return False
    if len(words.split()) <= _FEW:
        return not _agrees(words)
    return _OPENS.match(words) is not None or _REFUSES.search(text) is not None


def _agrees(words: str) -> bool:
    """Whether a few words go ahead. What else they may say nobody can list, so only what is known to agree does."""
    if _NO_OBJECTION.match(words):
        return True
    return _AGREES.match(words) is not None and _TAKES_BACK.isdisjoint(words.split())


def _milder(text: str, place: Place) -> bool:
    """Whether a text beside WARN decides otherwise. To go ahead with concerns is what WARN means."""
    words = folded_words(text)
    decides = words == "act" or words in _REFUSING
    return decides or (place == "answer" and words.partition(" ")[0] in _REFUSING)


def _extras(whole: Object, paper: Object) -> list[Extra]:
    """What stands beside a ballot and around it; of what stands deeper only a veto and another decision."""
    outer = [] if whole is paper else [whole]
    extras = extra_members((paper, *outer), _OWN)
    if not whole.inner:
        return extras
    deeper = extra_members((part for part in whole.walk() if part is not paper and part is not whole), _OWN - CHOICES)
    return [*extras, *(extra for extra in deeper if extra[0] in CHOICES or is_veto(extra[0]))]


def _ballot(choice: tuple[str, bool], confidence: Fraction, risk: Fraction, reasoning: str) -> Ballot:
    word, veto = choice
    return Ballot(vote=Choice(word), veto=veto, confidence=confidence, risk=risk, rationale=prose(reasoning))


def _values(members: tuple[Member, ...]) -> Values:
    found: dict[str, tuple[Scalar | None, ...]] = {}
    for written, value in members:
        name = NAMES.get(written)
        if name:
            found[name] = (*found.get(name, ()), value)
    return found


def _flaw(values: Values, *, complete: bool) -> Why | None:
    """What is wrong before any value is looked at: each of the three once, in full, and one reasoning at most."""
    three = decision, confidence, risk = [values.get(name, ()) for name in ("decision", "confidence", "risk")]
    reasons = values.get("reasoning", ())
    if max(len(decision), len(confidence), len(risk)) > 1 or (len(reasons) > 1 and len(set(reasons)) > 1):
        return "duplicate"
    if not all(three):
        return "incomplete" if complete else "cut_short"
    if not complete and not all(value.whole for (value,) in three if value):
        return "cut_short"
    return None


def _raw(values: Values, name: str) -> str:
    stated = values.get(name)
    return stated[0].raw if stated and stated[0] else ""


def _states(thing: Object) -> bool:
    return any(value is not None and name in CHOICES for name, value in thing.members)


def _doubt(page: Page, whole: Object, paper: Object) -> str:
    """Why a ballot that can be read is not to be trusted."""
    if whole.state != paper.state:
        return "cut_short"
    return "ambiguous" if is_guessed(page, whole, _STRAY) else ""
