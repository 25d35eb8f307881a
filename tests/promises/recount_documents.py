"""Every number of the JSON document, the minutes, the page and the result formats, recounted from the events."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from quorate import chair
from quorate.model import Approval, Decided, Ranking, Rulebook, Silence, Tally, Voice
from quorate.offline.html_report import html_report
from quorate.rules import apply_rulebook
from quorate.views import VIEWS, Record
from quorate.views.card import rows, verdict_line
from quorate.views.compat.counsel import counsel
from quorate.views.compat.oracle_view import oracle_view
from quorate.views.compat.s4 import s4
from quorate.views.compat.s4_log import s4_log
from quorate.views.debate_view import debate_view
from quorate.views.document import document
from quorate.views.escape import one_line
from quorate.views.floor import floor
from quorate.views.html_card import html_card
from quorate.views.markdown import markdown
from quorate.views.minutes import minutes
from quorate.views.result import Result
from tests.promises.recount import Facts
from tests.promises.recount_claims import argues, assumed, before_caps, near_median, quotes_of, refuted, refuted_rows

Json = Mapping[str, Any]
CLOSE: Final = 1e-6


def refuted_statements(record: Record) -> Iterator[str]:
    """Whatever is said of a deliberation that its events refute."""
    facts, result = Facts(record.events), Result.of(record)
    lines, quotes = rows(result), quotes_of(facts)
    line = verdict_line(result).removesuffix(record.id).rstrip()
    outcome = one_line(facts.verdict.outcome or "NO OUTCOME", 80)
    yield from refuted(facts, "verdict", f"…  {line.removeprefix(f'{outcome}  ')}", quotes)
    yield from refuted_rows(facts, lines, quotes)
    yield from _refuted_close(record, [line for label, told in lines if label == "close" for line in told])
    weak = [line for label, told in lines if label == "weak spots" for line in told]
    yield from (*_refuted_blocks(record, weak), *_refuted_alone(record, weak))
    yield from refuted_document(facts, document(record))
    yield from _missing_lines(lines, minutes(record), html_card(record, styled=False))
    yield from _refuted_rounds(facts, minutes(record))
    yield from _refuted_page(facts, record)
    yield from _refuted_formats(facts, record)


def _is(number: float | None, share: Fraction | None) -> bool:
    if number is None or share is None:
        return number is None and share is None
    return abs(number - float(share)) <= CLOSE


def _refuted_close(record: Record, lines: Sequence[str]) -> Iterator[str]:
    """Whose single ballot would have changed what came out, tried one by one under the rulebook on record."""
    tally, book = chair.tally_of(record.state), record.state.convened.rulebook
    if tally.sides or tally.demo or any(voice.vote is not None or voice.value is not None for voice in tally.voices):
        return
    end = _ending(tally, book)
    changing = {seat for seat in tally.eligible if any(_ending(other, book) != end for other in _others(tally, seat))}
    named = {seat for seat in tally.eligible for line in lines if re.search(rf"\b{seat}\b(?! \w+ would)", line)}
    if tally.stated() and named != changing:
        yield f"close: {lines} and the ballots of {sorted(changing)} alone would have changed it"


BLOCKS: Final = re.compile(r"any one seat that is (missing or against it|missing|against it) can block a decision")


def _refuted_blocks(record: Record, lines: Sequence[str]) -> Iterator[str]:
    """Whether every seat can block by missing, by voting against what all others choose, or by either."""
    tally, book = chair.tally_of(record.state), record.state.convened.rulebook
    approves = record.state.convened.protocol == "approval"
    for told in (found for line in lines for found in BLOCKS.finditer(line)):
        options = tally.listed or tally.options or ("one option", "another option")
        # Where nothing is decided though all agree, nothing can be blocked.
        chosen = [one for one in options if _ending(_all_for(tally, one, approves=approves), book) == (one, True)]
        ways = {"missing": (None,), "against it": options}
        able = [
            way
            for way, others in ways.items()
            if any(
                _ending(_all_for(tally, one, (tally.eligible[0], other), approves=approves), book) != (one, True)
                for one in chosen
                for other in others
                if other != one
            )
        ]
        if told[1] != " or ".join(able):
            yield f"weak spots: {told[0]!r}, and one seat blocks by being {able}"


ALONE: Final = re.compile(r"(?:^|; )([^;]+?) alone can (bring (\S+?)|block a decision)(?=;|$)")


def _refuted_alone(record: Record, lines: Sequence[str]) -> Iterator[str]:
    """Whether each seat that is named can do alone what is said, by a vote, a veto or silence against all others."""
    tally, book = chair.tally_of(record.state), record.state.convened.rulebook
    if record.state.convened.protocol == "approval":
        return
    options = tally.listed or tally.options or ("one option", "another option")
    for told in (found for line in lines for found in ALONE.finditer(line)):
        for seat in (one for one in tally.eligible if re.search(rf"\b{re.escape(one)}\b", told[1])):
            own = [Voice(seat=seat, option=one, confidence=Fraction(1), risk=Fraction(0)) for one in options]
            moves = [*own, *(replace(one, confidence=Fraction(0), risk=Fraction(1)) for one in own), None]
            if seat in tally.guardians:
                moves.append(replace(own[-1], veto=True))
            ends = {
                (chosen, _ending(_with_voice(_all_for(tally, chosen), seat, move), book))
                for chosen in options
                for move in moves
                if move is None or move.option != chosen
            }
            brings = any(end == (told[3], True) for chosen, end in ends if chosen != told[3])
            blocks = any(
                end != (chosen, True) and _ending(_all_for(tally, chosen), book) == (chosen, True)
                for chosen, end in ends
            )
            if not (brings if told[3] else blocks):
                yield f"weak spots: {told[0]!r}, and {seat} can't"


def _all_for(tally: Tally, option: str, but: tuple[str, str | None] = ("", None), *, approves: bool = False) -> Tally:
    """All seats for one option, sure and calm; but one is missing, or for another option and unsure of it."""
    who, other = but
    cast = {seat: other if seat == who else option for seat in tally.eligible}
    voices = tuple(
        Voice(
            seat=seat,
            option=word,
            confidence=Fraction(word == option),
            risk=Fraction(word != option),
            vote=Approval((word,)) if approves else None,
        )
        for seat, word in cast.items()
        if word is not None
    )
    silent = tuple(Silence(seat=seat, why="timeout") for seat, word in cast.items() if word is None)
    return Tally(
        eligible=tally.eligible, options=tally.options, voices=voices, silent=silent, guardians=tally.guardians
    )


def _ending(tally: Tally, book: Rulebook) -> tuple[str | None, bool]:
    verdict = apply_rulebook(tally, book)
    return verdict.outcome, verdict.decided


def _others(tally: Tally, seat: str) -> Iterator[Tally]:
    """The tally with every other ballot that this seat could have cast, silence and a veto of its own included."""
    own = next((voice for voice in tally.voices if voice.seat == seat), Voice(seat=seat, option=""))
    moods = ((own.confidence, own.risk), (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    options = tally.listed or tally.options or (*tally.cast, "another option")
    cast = [
        replace(own, option=option, veto=False, confidence=sure, risk=risk)
        for option in options
        for sure, risk in moods
    ]
    if seat in tally.guardians:
        cast += [replace(own, option=options[-1], veto=True, confidence=sure, risk=risk) for sure, risk in moods]
    for voice in (*cast, None):
        yield _with_voice(tally, seat, voice)


def _with_voice(tally: Tally, seat: str, voice: Voice | None) -> Tally:
    kept = {one.seat: one for one in tally.voices if one.seat != seat} | ({seat: voice} if voice else {})
    silent = [one for one in tally.silent if one.seat != seat] + ([] if voice else [Silence(seat=seat, why="timeout")])
    agreed = tally.course.stop == "agreed" and tally.sealed is not None
    return replace(
        tally,
        voices=tuple(kept[name] for name in tally.eligible if name in kept),
        silent=tuple(silent),
        abstained=tuple(one for one in tally.abstained if one != seat),
        not_needed=tuple(one for one in tally.not_needed if one != seat),
        sealed=_with_voice(tally.sealed, seat, voice) if agreed and tally.sealed else tally.sealed,
    )


def refuted_document(facts: Facts, shown: Json) -> Iterator[str]:
    """The JSON document, field by field."""
    verdict = shown["verdict"]
    for name, holds in _document_fields(facts, shown, verdict):
        if not holds:
            yield f"json: {name} is false: {verdict.get(name, shown.get(name))}"
    for vote in verdict["votes"]:
        if not _is_vote(facts, vote):
            yield f"json: votes: {vote} is false"


def _document_fields(facts: Facts, shown: Json, verdict: Json) -> Iterator[tuple[str, bool]]:
    used = [one.reply.usage for one in facts.spoken]
    known = [one.asked + one.answered for one in used if one.asked is not None and one.answered is not None]
    money = [one.money for one in used]
    yield "calls", shown["cost"]["calls"] == len(facts.asked)
    yield "tokens", shown["cost"]["tokens"] == (sum(known) if known or not facts.asked else None)
    yield "uncounted", shown["cost"]["uncounted"] == len(used) - len(known)
    yield (
        "money",
        _is(
            shown["cost"]["money"],
            None if None in money or (facts.asked and not used) else sum((one for one in money if one), Fraction(0)),
        ),
    )
    if facts.protocol != "debate":
        yield "participation", verdict["participation"] == _participation(facts)
        yield "without_vote", _without_vote(facts, verdict["without_vote"])
        yield "votes", {one["seat"] for one in verdict["votes"]} == {*facts.counted, *assumed(facts)}
    yield "dissent", facts.protocol == "debate" or _is_dissent(facts, verdict["dissent"])
    yield "merged", facts.protocol == "conference" or verdict["merged"] == []
    changed = verdict["sealed"]["changed"] if verdict["sealed"] else []
    if verdict["sealed"]:
        yield "sealed", {one["seat"] for one in changed} == set(facts.changed)
        yield "sealed", all(set(one["heard"]) <= {seat.name for seat in facts.convened.panel} for one in changed)
    for point in verdict["points"]:
        yield "points", _is_point(facts, point)


def _participation(facts: Facts) -> dict[str, int]:
    carried = sum(
        facts.protocol != "tribunal" and int(one.round) < facts.rounds
        for one in facts.counted.values()
        if one.round.isdecimal() and facts.protocol != "approval"
    )
    abstained = sum(one.ballot.abstain for one in facts.cast.values())
    return {
        "eligible": len(facts.voters),
        "received": len(facts.counted) - carried,
        "carried": carried,
        "abstained": abstained,
        "failed": len(facts.voters) - len(facts.counted) - abstained - len(facts.not_needed),
        "not_needed": len(facts.not_needed),
    }


def _without_vote(facts: Facts, told: Sequence[Json]) -> bool:
    missing = set(facts.voters) - set(facts.counted) - assumed(facts)
    return {one["seat"] for one in told} == missing and all(
        (one["why"] == "not_needed") == (one["seat"] in facts.not_needed)
        and (one["why"] == "abstained") == (one["seat"] in facts.cast and facts.cast[one["seat"]].ballot.abstain)
        for one in told
    )


def _is_dissent(facts: Facts, told: Sequence[str]) -> bool:
    """Nobody who is behind the outcome dissents from it; who does has chosen something else."""
    near = near_median(facts) if facts.verdict.rule == "close_median" else None
    return all(
        seat in facts.counted and (seat not in near if near is not None else not facts.backs(seat, before_caps(facts)))
        for seat in told
    )


def _is_vote(facts: Facts, vote: Json) -> bool:
    seat = vote["seat"]
    if "round" in vote:
        event = facts.settled.get((vote["round"], seat, ""))
        argued = getattr(event, "argument", None)
        marks = (vote["evidence_quality"], vote["logical_consistency"])
        product = None if None in marks else vote["confidence"] * marks[0] * marks[1]
        return (
            argued is not None
            and _is(vote["confidence"], argued.confidence)
            and (product is None or abs(product - vote["strength"]) < 10 * CLOSE)
        )
    if vote["assumed"]:
        return seat in assumed(facts)
    ballot = facts.counted[seat].ballot
    numbers = _is(vote["confidence"], ballot.confidence) and _is(vote["risk"], ballot.risk)
    own = facts.option(seat) if facts.protocol == "oracle" else facts.choice(seat)
    if isinstance(ballot.vote, Ranking):
        return numbers and vote["ranking"][0] == list(ballot.vote.ranking[0])
    if isinstance(ballot.vote, Approval):
        return numbers and vote["approved"] == list(ballot.vote.approved)
    return numbers and vote["choice"] == own and vote.get("words", ballot.choice) == ballot.choice


def _is_point(facts: Facts, point: Json) -> bool:
    said = " ".join(one.reply.text for one in facts.spoken if one.seat in point["seat"])
    words = " ".join(said.replace('\\"', '"').split())
    return point["text"].removesuffix("…").strip() in words or point["seat"] not in {one.seat for one in facts.spoken}


def _missing_lines(lines: Sequence[tuple[str, tuple[str, ...]]], *pages: str) -> Iterator[str]:
    """Minutes and page say what the card says: each label stands on both."""
    for page in pages:
        for label, _ in lines:
            if label not in page and label != "id":
                yield f"the row {label!r} is missing on a page"


HEADING: Final = re.compile(r"^### (?:⚔ )?([^:\n]+?)(?: challenges ([^:\n]+))?(?:: (.*))?$", re.MULTILINE)


def _refuted_rounds(facts: Facts, page: str) -> Iterator[str]:
    """The headings of the minutes: nobody is called silent who spoke, and nobody's ballot is another's."""
    spoke = {one.seat for one in facts.spoken}
    for seat, about, told in HEADING.findall(page):
        if about and about not in {one.name for one in facts.convened.panel}:
            yield f"minutes: nobody is called {about!r}"
        silent = told.startswith("silent")
        if not silent and not told.startswith("not needed") and seat not in spoke:
            yield f"minutes: {seat!r} said nothing, and the minutes say {told!r}"


def _refuted_page(facts: Facts, record: Record) -> Iterator[str]:
    """The page shows entries: what each seat holds after the last, and who moved."""
    if not html_report(record).startswith("<!doctype html>"):
        yield "page: the report is no page"
    shown = floor(next(event for event in facts.events if isinstance(event, Decided)), record.state)
    rows_shown: Any = shown.get("tally", ())
    for row in rows_shown if facts.protocol not in {"debate", "ranked", "approval"} else ():
        own = {
            seat
            for seat in facts.counted
            if (
                facts.option(seat)
                if facts.protocol != "delphi"
                else facts.counted[seat].ballot.choice.partition(" (")[0]
            )
            == row["choice"]
        }
        if set(row["seats"]) != own or row["heads"] != len(own):
            yield f"page: tally {row} is false"


def _refuted_formats(facts: Facts, record: Record) -> Iterator[str]:
    if VIEWS["s4"].fits(facts.protocol):
        yield from _refuted_s4(facts, s4(record), s4_log(record))
    if VIEWS["counsel"].fits(facts.protocol):
        markdown(record)
        yield from _refuted_counsel(facts, counsel(record))
    if VIEWS["oracle"].fits(facts.protocol):
        yield from _refuted_oracle(facts, oracle_view(record))
    if VIEWS["debate"].fits(facts.protocol):
        yield from _refuted_debate(facts, debate_view(record))


def _refuted_s4(facts: Facts, shown: Json, log: Json) -> Iterator[str]:
    told = shown["metadata"]
    count = {
        option: facts.heads[option] + (len(assumed(facts)) if option == facts.convened.rulebook.silence else 0)
        for option in ("ACT", "WARN", "REFUSE")
    }
    alike = (
        len({facts.option(seat) for seat in facts.counted}) == 1
        and not assumed(facts)
        and len(facts.counted) == len(facts.voters)
    )
    held = sum(bool(one.said) for one in facts.verdict.trace) > 1
    holds = {
        "vote_breakdown": told["vote_breakdown"] == count,
        "dissenting_votes": told["dissenting_votes"] == len(facts.verdict.dissent),
        "consensus_type": told["consensus_type"] != "unanimous" or (alike and not held),
        "max_risk": told["max_risk"] is None
        or told["max_risk"] == float(100 * max(one.ballot.risk or Fraction(0) for one in facts.counted.values())),
        "veto": told["veto"] == any(one.ballot.veto and seat in facts.guardians for seat, one in facts.counted.items()),
        "individual_votes": {one["agent"] for one in told["individual_votes"]} == {*facts.counted, *assumed(facts)},
        "rounds": len(log["rounds"][1]["data"])
        == len({(one.seat, one.about) for one in facts.spoken if one.round == "challenge" and not one.unreadable}),
    }
    yield from (f"s4: {name} is false: {told.get(name)}" for name, held_ in holds.items() if not held_)


def _refuted_counsel(facts: Facts, shown: Json) -> Iterator[str]:
    voting = shown["voting_result"]
    if voting is None:
        if facts.cast:
            yield "counsel: voting_result is null, and there are votes"
        return
    if voting["final_tally"] != dict(facts.heads):
        yield f"counsel: final_tally is false: {voting['final_tally']}"
    if set(voting["abstained"]) != {seat for seat, one in facts.cast.items() if one.ballot.abstain}:
        yield f"counsel: abstained is false: {voting['abstained']}"
    if shown["rounds_completed"] != facts.rounds and facts.settings.get("stop_when_settled") != "true":
        yield f"counsel: rounds_completed is false: {shown['rounds_completed']}"


def _refuted_oracle(facts: Facts, shown: Json) -> Iterator[str]:
    for one in shown["agent_results"]:
        seat = one["agent_id"]
        if one["outcome"] is not None and (one["source_count"] != facts.sources[seat] and facts.found):
            yield f"oracle: {seat} has {one['source_count']} sources"
        if (one["failed"] is None) != (seat in facts.counted):
            yield f"oracle: {seat} failed: {one['failed']}"
    heads = max(facts.heads.values(), default=0)
    if not _is(shown["agreement_ratio"], Fraction(heads, len(facts.voters))):
        yield f"oracle: agreement_ratio is false: {shown['agreement_ratio']}"


def _refuted_debate(facts: Facts, shown: Json) -> Iterator[str]:
    sides = {"pro": Fraction(0), "con": Fraction(0)}
    strong = dict.fromkeys(sides, 0.0)
    for held in shown["rounds"]:
        for one in held["arguments"]:
            if one["seat"] in argues(facts):
                strong[one["side"]] += one["strength"] or 0.0
    for side, total in strong.items():
        if abs(total - shown[f"{side}_strength"]) > 100 * CLOSE:
            yield f"debate: {side}_strength is {shown[f'{side}_strength']}, and arguments add up to {total}"
