"""What a verdict rests on, in a few short quotes from those who voted: chosen by code, word for word."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.model import Point, Tally, Verdict, Voice
from quorate.model.once import lazy_pattern
from quorate.model.verdict import PointKind
from quorate.reading.text.listed_options import plain_option

__all__ = ["LONGEST", "MOST", "WHOLE", "first_sentence", "points_of", "whole_sentences"]

MOST: Final = 5
"""Points besides the conditions, of which none is left out."""
LONGEST: Final = 240
WHOLE: Final = 400
"""The most of a condition, or of the reasons for caution."""
_SHORTEST: Final = 12
"""A full stop before so many characters ends an abbreviation or a number, not a sentence."""
_END: Final = lazy_pattern(r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s|\Z)|[\u3002\uff01\uff1f]+|\n")
_ASCII_END: Final = lazy_pattern(r"[.!?]+[\"')\]]*(?=\s|\Z)|\n")
"""The same for a text that has nothing else, compiled in a quarter of the time."""
_HYPHEN: Final = lazy_pattern(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_PLURAL: Final = lazy_pattern(r"(?<=\w{3})(?<!s)(?<!u)(?<!i)s\b")
"""A plural -s of a word of four letters or more that does not end in ss, us or is."""


def points_of(tally: Tally, verdict: Verdict) -> tuple[Point, ...]:
    """The conditions and up to five besides, the most telling first; none where nobody gave a reason."""
    if not any(voice.reason or voice.quotes or voice.conditions for voice in tally.voices):
        return ()
    told = _merged(_said(tally, verdict))
    conditions = [point for point in told if point.kind == "condition"]
    return (*conditions, *[point for point in told if point.kind != "condition"][:MOST])


def _said(tally: Tally, verdict: Verdict) -> Iterator[Point]:
    """All that may be quoted, in the order of what it says about the verdict."""
    if tally.sides:
        return _of_debate(tally)
    if any(voice.quotes for voice in tally.stated()):
        return _of_sources(tally, verdict)
    if verdict.outcome is not None and verdict.outcome in tally.options:
        return _of_gate(tally, verdict)
    return _of_options(tally, verdict)


def _merged(points: Iterable[Point]) -> tuple[Point, ...]:
    """Every point once, with all seats that said the same of the same kind."""
    kept: dict[tuple[str, str], Point] = {}
    for point in filter(lambda one: one.text, points):
        key = (point.kind, _folded(point.text))
        known = kept.setdefault(key, point)
        if point.seat not in known.seats:
            kept[key] = replace(known, also=(*known.also, point.seat))
    return tuple(kept.values())


def _folded(text: str) -> str:
    """What is compared of a text: without case, signs around it, hyphens between letters and plurals."""
    return _PLURAL.sub("", _HYPHEN.sub(" ", plain_option(text)))


def _of_debate(tally: Tally) -> Iterator[Point]:
    """Each side's best argument, as far as its first claim goes."""
    for side in tally.cast:
        argued = [voice for voice in tally.voices if voice.option == side]
        best = max(argued, key=lambda voice: (voice.weight, voice.confidence or Fraction(0)))
        yield Point(seat=best.seat, kind="reason", text=first_sentence(best.quotes[0] if best.quotes else ""))


def _of_sources(tally: Tally, verdict: Verdict) -> Iterator[Point]:
    """What those behind the outcome quote, each seat's best in turn; without a decision, what anybody quotes."""
    behind = [voice for voice in tally.stated() if not verdict.decided or voice.backs(verdict.outcome)]
    for place in range(MOST):
        for voice in _surest(behind):
            if place < len(voice.quotes):
                yield Point(seat=voice.seat, kind="source", text=first_sentence(voice.quotes[place]))


def _of_gate(tally: Tally, verdict: Verdict) -> Iterator[Point]:
    """Why or why not, or on which conditions; and whoever sees it otherwise."""
    behind = _surest(voice for voice in tally.stated() if voice.backs(verdict.outcome))
    if verdict.outcome == tally.options[0]:
        yield from (_point(voice, "reason") for voice in behind[:1])
    else:
        for voice in behind:
            yield from _conditions(voice) if _is_between(tally, voice) else (_reasons(voice),)
    others = _surest(voice for voice in tally.stated() if not voice.backs(verdict.outcome))
    for voice in others:
        yield _point(voice, "dissent" if voice.seat in verdict.dissent else "reason")


def _is_between(tally: Tally, voice: Voice) -> bool:
    return voice.option in tally.options[1:-1]


def _conditions(voice: Voice) -> Iterator[Point]:
    """What must hold first, one by one; of a seat that lists nothing its whole reason, which may say so in prose."""
    for condition in voice.conditions:
        yield Point(seat=voice.seat, kind="condition", text=whole_sentences(condition))
    if not voice.conditions:
        yield _reasons(voice)


def _reasons(voice: Voice) -> Point:
    return Point(seat=voice.seat, kind="reason", text=whole_sentences(voice.reason))


def _of_options(tally: Tally, verdict: Verdict) -> Iterator[Point]:
    """The surest for what won and for the largest minority; without a winner, the surest of each that lead."""
    if verdict.outcome is None:
        yield from (_point(voice, "reason") for option in tally.leaders for voice in _surest(tally.stated(option))[:1])
        return
    behind = _surest(voice for voice in tally.stated() if voice.seat not in verdict.dissent)
    yield from (_point(voice, "reason") for voice in behind[:1])
    yield from (_point(voice, "dissent") for voice in _largest_minority(tally, verdict)[:1])


def _largest_minority(tally: Tally, verdict: Verdict) -> list[Voice]:
    others = [voice for voice in tally.stated() if voice.seat in verdict.dissent]
    largest = max((tally.heads(voice.option) for voice in others), default=0)
    return _surest(voice for voice in others if tally.heads(voice.option) == largest)


def _surest(voices: Iterable[Voice]) -> list[Voice]:
    """The surest first; vetoes before all, equals in the order of the seats."""
    return sorted(voices, key=lambda voice: (not voice.veto, -(voice.confidence or Fraction(0))))


def _point(voice: Voice, kind: PointKind) -> Point:
    return Point(seat=voice.seat, kind=kind, text=first_sentence(voice.reason))


def whole_sentences(text: str) -> str:
    """As many sentences of a text as there is room for, as they stand there; of one that is too long its beginning."""
    whole = text.strip()
    if len(whole) <= WHOLE:
        return whole
    ends = [found.end() for found in _END.finditer(whole, 0, WHOLE) if found.end() >= _SHORTEST]
    return whole[: ends[-1]].strip() if ends else _cut(whole, WHOLE)


def first_sentence(text: str) -> str:
    """The first sentence of a text as it stands there, cut at a word where it is too long."""
    whole = text.strip()
    end = _ASCII_END if whole.isascii() else _END
    ends = (found.end() for found in end.finditer(whole) if found.end() >= _SHORTEST)
    sentence = whole[: next(ends, len(whole))].strip()
    return sentence if len(sentence) <= LONGEST else _cut(sentence, LONGEST)


def _cut(text: str, most: int) -> str:
    """The beginning of a text, up to a word's end where there is one."""
    return text[:most].rsplit(maxsplit=1)[0] if " " in text[:most] else text[:most]
