"""A conference as a transcript: its rounds, how alike the speeches were, every vote, and what was counted as one."""

from collections.abc import Iterable, Iterator

from quorate.model.numbers import percent
from quorate.views import Record
from quorate.views.conference_votes import SUMMARY, CastVote, ConferenceRecord, conference_record, is_conference
from quorate.views.minutes import cell, line, minutes, question_lines, quote_lines, round_, verdict_lines
from quorate.views.result import Result
from quorate.views.rounds import rounds

__all__ = ["markdown"]


def markdown(record: Record) -> str:
    """The whole deliberation as a page to read, votes last; what is no conference is shown as its minutes."""
    state = record.state
    if not is_conference(state):
        return minutes(record)
    held = conference_record(state)
    parts = [f"# Transcript of {record.id}", *question_lines(state.convened)]
    parts += [part for one in rounds(state, record.events) if one.name != SUMMARY for part in round_(one)]
    parts += [*_similarity(held), *_voting(held), *_summary(held), *verdict_lines(Result.of(record), state)]
    return "\n\n".join(parts) + "\n"


def _similarity(held: ConferenceRecord) -> Iterator[str]:
    yield "## Similarity"
    if not held.talks:
        yield "No speech was compared with an earlier one of its seat."
        yield from _stopped(held)
        return
    yield "How like its own last speech each seat's was. The minimum decides."
    seats = [seat.name for seat in held.state.brief.panel.voters]
    shown: list[tuple[str, ...]] = []
    for talk in held.talks:
        each = dict(talk.each)
        whole = (percent(score) if score is not None else "" for score in (talk.lowest, talk.middle, talk.mean))
        own = (percent(each[seat]) if seat in each else "" for seat in seats)
        shown.append((str(talk.round), *whole, *own, talk.status))
    yield _table(("round", "minimum", "median", "mean", *seats, "status"), shown)
    yield f"OptionScores by {line(', '.join(held.backends) or 'nobody')}."
    yield from _stopped(held)


def _stopped(held: ConferenceRecord) -> Iterator[str]:
    why = held.tally.course.why
    if why:
        yield f"{why[0].upper()}{why[1:]}."


def _voting(held: ConferenceRecord) -> Iterator[str]:
    yield "## Voting"
    if not held.votes:
        yield "No valid vote was cast."
        return
    for number in dict.fromkeys(cast.round for cast in held.votes):
        yield f"### Votes of round {number}"
        cast = (_vote(one) for one in held.votes if one.round == number)
        yield _table(("seat", "option", "confidence", "go on", "counts as", "rationale"), cast)
    yield "### Final tally"
    yield from _tally(held)
    yield from _groups(held)


def _vote(cast: CastVote) -> tuple[str, ...]:
    ballot = cast.ballot
    counts = f"{cast.counts_as} (carried)" if cast.carried else cast.counts_as
    return (
        cast.seat,
        "(abstains)" if ballot.abstain else ballot.choice,
        percent(ballot.confidence) if ballot.confidence is not None else "",
        "yes" if ballot.continue_debate else "no",
        counts,
        ballot.rationale,
    )


def _tally(held: ConferenceRecord) -> Iterator[str]:
    tally = held.tally
    ranked = sorted(tally.cast, key=tally.heads, reverse=True)
    if ranked:
        yield _table(("option", "votes"), ((option, str(tally.heads(option))) for option in ranked))
    without = [f"- {line(seat)} abstained" for seat in tally.abstained]
    without += [f"- {line(seat)} wasn't needed" for seat in tally.not_needed]
    without += [f"- {line(gone.seat)} has no vote: {line(gone.why)}" for gone in tally.silent]
    if without:
        yield "\n".join(without)


def _groups(held: ConferenceRecord) -> Iterator[str]:
    """Which options were counted as one, and why each pair was or was not."""
    grouping = held.grouping
    if grouping is None:
        return
    yield "### Options compared"
    merged = [one for one in grouping.groups if len(one.members) > 1]
    if merged:
        yield "\n".join(f"- {line(one.name)}: {line('; '.join(one.members))}" for one in merged)
    pairs = ((p.a, p.b, percent(p.score), "yes" if p.merged else "no", p.why) for p in grouping.pairs)
    yield _table(("option", "other", "alike", "counted as one", "why"), pairs)


def _summary(held: ConferenceRecord) -> Iterator[str]:
    speech = held.summary
    if speech is not None:
        yield "## Summary"
        yield f"Written by the model of {line(speech.seat)} after the last vote; nothing was decided on it."
        yield quote_lines(speech.text)


def _table(head: tuple[str, ...], body: Iterable[tuple[str, ...]]) -> str:
    written = [" | ".join(map(cell, row)) for row in (head, *body)]
    written.insert(1, "|".join("---" for _ in head))
    return "\n".join(f"| {row} |" if at != 1 else f"|{row}|" for at, row in enumerate(written))
