"""How well a deliberation went, in five figures from 0 to 1 and their mean. They see form, not truth.

- logical_consistency: of a debate's arguments the mean of their consistency; otherwise, for each seat, the share of its
  sentences that contradict none it said before, nothing if its ballot contradicts its own numbers; the mean of these.
- evidence_quality: of a debate's arguments the mean of their evidence; otherwise, for each seat, the mean mark of its
  three best sentences; the mean of these.
- argument_diversity: one minus the mean share of words that two seats have in common, over all pairs of seats.
- consensus_quality: the verdict's agreement, half of it where nothing was decided; of a debate, where no heads are
  counted, the share of all strength on the stronger side in its place.
- decision_confidence: the verdict's confidence.

What cannot be measured is None and takes no part in the mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from itertools import combinations
from typing import Final

from quorate.analysis.argument_quality import coherence, grade_evidence, material
from quorate.analysis.word_sets import topics
from quorate.frozen import dataclass
from quorate.model import Argument, Brief, Heard, Speech, Tally, Verdict
from quorate.model.once import lazy_pattern

__all__ = ["Quality", "depth", "quality"]

BEST: Final = 3
LONGEST: Final = 60
"""Sentences of a seat that are looked at: every one is compared with every other."""
_SENTENCE: Final = lazy_pattern(r"(?<=[.!?])\s+|\n+")
_WORDS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """The five figures; None is what cannot be measured here."""

    logical_consistency: Fraction | None
    evidence_quality: Fraction | None
    argument_diversity: Fraction | None
    consensus_quality: Fraction | None
    decision_confidence: Fraction | None

    @property
    def overall(self) -> Fraction | None:
        """The mean of those that could be measured."""
        return _mean([getattr(self, field.name) for field in fields(self)])


def quality(brief: Brief, heard: Heard, tally: Tally, verdict: Verdict) -> Quality:
    """Measure a finished deliberation."""
    spoke = _sentences_by_seat(brief, heard, tally)
    argued = [voice for voice in tally.voices if voice.consistency is not None and voice.quality is not None]
    return Quality(
        logical_consistency=_mean([voice.consistency for voice in argued]) if argued else _consistency(spoke, tally),
        evidence_quality=_mean([voice.quality for voice in argued]) if argued else _evidence(spoke, brief),
        argument_diversity=_diversity(spoke),
        consensus_quality=_consensus(verdict, tally),
        decision_confidence=verdict.confidence,
    )


def _sentences_by_seat(brief: Brief, heard: Heard, tally: Tally) -> dict[str, tuple[str, ...]]:
    """What each seat said; of a debate only those who argue: a moderator's summary would pass for a second opinion."""
    seats = tally.eligible if tally.sides else [seat.name for seat in brief.panel]
    said = {seat: _sentences(_speeches(heard, seat)) for seat in seats}
    return {seat: sentences for seat, sentences in said.items() if sentences}


def _stronger(tally: Tally) -> Fraction | None:
    """The share of all strength on the stronger side, nothing if no argument weighs; none if nobody argued."""
    whole = sum((voice.weight for voice in tally.voices), Fraction(0))
    most = max((tally.weight(option) for option in tally.cast), default=Fraction(0))
    return (most / whole if whole else Fraction(0)) if tally.voices else None


def _consensus(verdict: Verdict, tally: Tally) -> Fraction | None:
    """Agreement that carried no decision is worth half."""
    agreed = _stronger(tally) if tally.sides else verdict.agreement
    return agreed if agreed is None or verdict.decided else agreed / 2


def depth(heard: Heard) -> int:
    """How many different words that say something were used, over all that was said."""
    said = (words.text for words in heard.words.values() if isinstance(words, Speech))
    return len(frozenset[str]().union(*(topics(text) for text in said)))


def _speeches(heard: Heard, seat: str) -> list[str]:
    mine = [words for place, words in heard.words.items() if place[1] == seat and isinstance(words, Speech)]
    return [speech.text for speech in mine]


def _sentences(texts: Sequence[str]) -> tuple[str, ...]:
    """What was said, sentence by sentence, each once; positions and crumbs left out."""
    split = (part.strip() for text in texts for part in _SENTENCE.split(text))
    whole = (part for part in split if len(part.split()) >= _WORDS and not part.startswith("Position:"))
    return tuple(dict.fromkeys(whole))[:LONGEST]


def _consistency(spoke: Mapping[str, tuple[str, ...]], tally: Tally) -> Fraction | None:
    torn = {caution.seat for caution in tally.cautions if caution.name == "inconsistent"}
    return _mean([Fraction(0) if seat in torn else coherence(_case(sentences)) for seat, sentences in spoke.items()])


def _evidence(spoke: Mapping[str, tuple[str, ...]], brief: Brief) -> Fraction | None:
    known = material(brief.question)
    marks = [
        sorted((one.mark for one in grade_evidence(_case(said), known)), reverse=True)[:BEST] for said in spoke.values()
    ]
    return _mean([_mean(best) for best in marks])


def _case(sentences: tuple[str, ...]) -> Argument:
    return Argument(side="pro", claims=sentences, evidence=sentences)


def _diversity(spoke: Mapping[str, tuple[str, ...]]) -> Fraction | None:
    words = [topics(" ".join(sentences)) for sentences in spoke.values()]
    shared = [Fraction(len(one & other), len(one | other)) for one, other in combinations(words, 2) if one | other]
    alike = _mean(shared)
    return None if alike is None else 1 - alike


def _mean(numbers: Sequence[Fraction | None]) -> Fraction | None:
    known = [number for number in numbers if number is not None]
    return sum(known, Fraction(0)) / len(known) if known else None
