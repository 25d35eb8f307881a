"""Each seat's latest vote, options in the same words counted as one; votes are carried, never added up over rounds."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.analysis.conference_course import (
    USUAL,
    ConferenceSettings,
    OtherNames,
    count_rounds,
    course_of,
    group_names,
    latest,
    other_names,
    talk,
)
from quorate.analysis.option_groups import OptionPair
from quorate.frozen import dataclass
from quorate.model import Brief, Caution, Change, Course, Heard, Seat, Silence, Tally, Verdict, Voice
from quorate.model.numbers import percent
from quorate.model.specs import CountSpec


def count(brief: Brief, heard: Heard, outcomes: tuple[str, ...], *, terms: ConferenceSettings = USUAL) -> Tally:
    """Count what each seat holds after the last round that was held."""
    course = course_of(heard, terms)
    told = replace(course, why=_why_stopped(heard, course, terms))
    names = group_names(heard, len(course.rounds), terms.alike)
    return _with_course(heard, _counted(brief, heard, outcomes, names), told, names)


def _why_stopped(heard: Heard, course: Course, terms: ConferenceSettings) -> str:
    number = len(course.rounds)
    after, lowest = f"it stopped after round {number}", talk(heard, number, terms).lowest
    match course.stop:
        case "early":
            return (
                f"{after}: {_content(heard, number)} seats had heard enough ({percent(terms.stop_share)} were needed)"
            )
        case "converged" if lowest is not None:
            return f"{after}: for two rounds every seat said nearly the same as before ({_at_least(lowest)})"
        case "impasse" if lowest is not None:
            return f"{after}: {_impasse(lowest, terms)}"
        case "max_rounds" if number > 1:
            return f"{after}, the last one allowed"
        case _:
            return ""


def _content(heard: Heard, number: int) -> str:
    ballots = [heard.ballot(str(number), seat) for seat in heard.panel.voters]
    return f"{sum(one is not None and not one.continue_debate for one in ballots)} of {len(ballots)}"


def _impasse(lowest: Fraction, terms: ConferenceSettings) -> str:
    if lowest >= terms.still:
        return f"an impasse: every seat said nearly the same as before ({_at_least(lowest)}), and the votes differ"
    return f"an impasse: for two rounds a seat said something else than before ({percent(lowest)} alike in the last)"


def _at_least(lowest: Fraction) -> str:
    return "100 % alike" if lowest == 1 else f"{percent(lowest)} alike or more"


def _counted(brief: Brief, heard: Heard, outcomes: tuple[str, ...], names: Mapping[str, str]) -> Tally:
    last = count_rounds(heard)
    votes = latest(heard, last)
    voices = tuple(
        Voice(
            seat=vote.seat,
            option=names.get(vote.ballot.choice, vote.ballot.choice),
            words=vote.ballot.choice,
            weight=brief.panel.seat(vote.seat).weight,
            confidence=vote.ballot.confidence,
            reason=vote.ballot.rationale,
            carried_from=str(vote.round) if vote.round < last else "",
        )
        for vote in votes
        if not vote.ballot.abstain
    )
    cast = {vote.seat for vote in votes}
    eligible = tuple(seat.name for seat in brief.panel.voters)
    return Tally(
        eligible=eligible,
        options=outcomes,
        voices=tuple(sorted(voices, key=lambda voice: eligible.index(voice.seat))),
        silent=tuple(_silence(heard, seat, last) for seat in brief.panel.voters if seat.name not in cast),
        abstained=tuple(vote.seat for vote in votes if vote.ballot.abstain),
        demo=brief.panel.demo,
        listed=_listed(brief),
    )


def _listed(brief: Brief) -> tuple[str, ...]:
    return brief.question.options if dict(brief.settings).get("options") == "given" else ()


def _with_course(heard: Heard, tally: Tally, course: Course, names: Mapping[str, str]) -> Tally:
    sealed = _sealed(heard, tally, names)
    return replace(
        tally,
        course=replace(course, status=_status(tally) or course.status),
        sealed=sealed,
        changes=tuple(_changes(heard, sealed, tally)),
        cautions=tuple(_cautions(heard, tally)),
    )


def _status(tally: Tally) -> str:
    """What the votes say; they go before what similarity says, and without any vote they say nothing."""
    if not tally.voices:
        return ""
    if 2 * len(tally.voices) <= len(tally.eligible):
        return "no_quorum"
    if len(tally.leaders) > 1:
        return "tie"
    unanimous = len(tally.voices) == len(tally.eligible) and len(tally.cast) == 1
    return "unanimous_consensus" if unanimous else "majority_decision"


def _sealed(heard: Heard, tally: Tally, names: Mapping[str, str]) -> Tally:
    """The votes of the first round, cast before anybody had heard anybody, counted in the same groups as the last."""
    votes = latest(heard, 1)
    voices = tuple(
        Voice(
            seat=vote.seat,
            option=names.get(vote.ballot.choice, vote.ballot.choice),
            words=vote.ballot.choice,
            confidence=vote.ballot.confidence,
        )
        for vote in votes
        if not vote.ballot.abstain
    )
    cast = {vote.seat for vote in votes}
    return Tally(
        eligible=tally.eligible,
        options=(),
        voices=voices,
        silent=tuple(_silence(heard, seat, 1) for seat in heard.panel.voters if seat.name not in cast),
        abstained=tuple(vote.seat for vote in votes if vote.ballot.abstain),
        demo=tally.demo,
    )


def _changes(heard: Heard, sealed: Tally, now: Tally) -> Iterator[Change]:
    """Who ended in another group; who only words an option otherwise has not changed its mind."""
    before = {voice.seat: voice.option for voice in sealed.voices}
    for voice in now.voices:
        was = before.get(voice.seat, voice.option)
        if was != voice.option:
            others = tuple(
                seat.name for seat in heard.panel.voters if heard.speech("1", seat) and seat.name != voice.seat
            )
            yield Change(seat=voice.seat, was=was, now=voice.option, heard=others)


def _silence(heard: Heard, seat: Seat, last: int) -> Silence:
    known = heard.silence(str(last), seat) if last else None
    spoke = heard.speech(str(last), seat) if last else None
    why = spoke.cautions[0] if spoke and spoke.cautions else "no_vote"
    return known or Silence(seat=seat.name, why=why)


def _cautions(heard: Heard, tally: Tally) -> Iterator[Caution]:
    for voice in tally.voices:
        if voice.carried_from:
            text = f"{voice.seat} was silent in the last round; its vote from round {voice.carried_from} counts"
            yield Caution(name="carried", seat=voice.seat, text=text)
    for found in heard.finds.values():
        if found.why and found.kind == "compare":
            yield Caution(name="similarity", text=f"round {found.round}: {found.why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recount:
    """A count in which some pairs that may be the same are, the names options then have, and what it comes to."""

    pairs: tuple[OptionPair, ...]
    names: Mapping[str, str]
    tally: Tally
    verdict: Verdict

    def differs(self, verdict: Verdict) -> bool:
        """Whether it comes to another outcome; an option under the name it now has is none."""
        same = verdict.outcome and self.names.get(verdict.outcome, verdict.outcome)
        return (self.verdict.outcome, self.verdict.decided) != (same, verdict.decided)


def stricter_count(
    tally: Tally, heard: Heard, decide: Callable[[Tally], Verdict], *, terms: ConferenceSettings = USUAL
) -> Tally:
    """The count that decides least, where options that may or may not be the same make another outcome of it."""
    ways = tuple(other_names(heard, len(tally.course.rounds), terms.alike))
    if not ways:
        return tally
    verdict = decide(tally)
    others = [one for one in _recounts(tally, heard, ways, decide) if one.differs(verdict)]
    if not others:
        return replace(tally, cautions=(*tally.cautions, _on_similar(ways)))
    # What is undecided either way stays as it was counted.
    least = next((one for one in others if not one.verdict.decided), None) if verdict.decided else None
    counted = least.tally if least else tally
    return replace(counted, cautions=(*tally.cautions, _on_grouping(least or others[0], verdict)))


def _recounts(
    tally: Tally, heard: Heard, ways: Iterable[OtherNames], decide: Callable[[Tally], Verdict]
) -> Iterator[_Recount]:
    for pairs, names in ways:
        voices = tuple(replace(voice, option=names[voice.words]) for voice in tally.voices)
        counted = _with_course(heard, replace(tally, voices=voices), tally.course, names)
        yield _Recount(pairs=pairs, names=names, tally=counted, verdict=decide(counted))


def _on_similar(ways: tuple[OtherNames, ...]) -> Caution:
    """The outcome is the same either way, so the pairs are only named."""
    pairs = dict.fromkeys(pair for merged, _ in ways for pair in merged)
    told = _named_pairs(tuple(pairs), "and")
    return Caution(
        name="similar_options",
        text=f"options that read alike were counted apart: {told}. Counted as one, the outcome is the same",
    )


def _on_grouping(other: _Recount, verdict: Verdict) -> Caution:
    text = (
        f"it is uncertain whether options mean the same: {_named_pairs(other.pairs, 'with')}. "
        f"Counted as one: {_come_to(other.verdict)}. Counted apart: {_come_to(verdict)}"
    )
    return Caution(name="grouping_matters", text=text)


def _named_pairs(pairs: Sequence[OptionPair], joint: str) -> str:
    named = " and ".join(f"{pair.a!r} {joint} {pair.b!r}" for pair in pairs[:_NAMED])
    return f"{named} and {len(pairs) - _NAMED} more pairs" if len(pairs) > _NAMED else named


def _come_to(verdict: Verdict) -> str:
    return f"{verdict.outcome!r}" if verdict.decided else "no decision"


_NAMED: Final = 3

SPEC: Final = CountSpec(count=count, compares=True, stricter=stricter_count)
