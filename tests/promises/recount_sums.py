"""Sums, thresholds and marks that a card names, counted once more from the ballots.

Rankings are compared pair by pair, given points and eliminated in rounds; the marks of a debate are multiplied and
added up again, as far as they are shown; probabilities are pooled in floating point.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from quorate.model import Ranking
from tests.promises.recount import Facts

Match = re.Match[str]
Order = list[set[str]]

PAIR: Final = re.compile(r"(?:'([^']*)' )?(\d+) to (\d+) against '([^']*)'")
HELD: Final = re.compile(r"'([^']*)' ([\d./]+)")
RUNOFF: Final = re.compile(r"round (\d+): (.*?)(?:, ((?:'[^']*'(?:, | and )?)+) eliminated)?(?:; |$)")
SIDES_SUM: Final = re.compile(r"(strength|evidence) ([\d.]+) (?:for )?SUPPORT(?:,| to) ([\d.]+) (?:for )?OPPOSE")
ROUNDS_WON: Final = re.compile(r"SUPPORT won (\d+) of (\d+) rounds, OPPOSE (\d+)")
ARGUED: Final = re.compile(
    r"^(.+?), round (\d+): (SUPPORT|OPPOSE) \(([\d.]+) % sure, evidence ([\d.]+), logic ([\d.]+), strength ([\d.]+)\)$"
)
HUNDREDTH: Final = 0.0051
"""Marks and sums are shown in hundredths, rounded; what is shown as 0.01 may be anything above nothing."""
LEAST_SHOWN: Final = 0.0101
MARGIN: Final = 1.2


def orders(facts: Facts) -> list[Order]:
    """Every ranking over all that anybody ranked, what it leaves out last and together."""
    written = [
        [set(place) for place in one.ballot.vote.ranking]
        for one in facts.counted.values()
        if isinstance(one.ballot.vote, Ranking)
    ]
    every = {option for order in written for place in order for option in place}
    return [[*order, rest] if (rest := every - set().union(*order)) else order for order in written]


def _above(order: Order, one: str, other: str) -> bool:
    place = {option: at for at, options in enumerate(order) for option in options}
    return place[one] < place[other]


def are_pairs(facts: Facts, found: Match) -> bool:
    """Every pair that is named, as many ballots above and below as is said, and a winner that wins all it must."""
    told, ballots = found[0], orders(facts)
    winner = re.match(r"'([^']*)' wins every pair", told)
    pairs = [(one or (winner[1] if winner else ""), int(over), int(under), two)
             for one, over, under, two in PAIR.findall(told)]  # fmt: skip
    every = {option for order in ballots for place in order for option in place}
    named = len(every) - 1 if winner else len(every) * (len(every) - 1) // 2
    return len(pairs) == named and all(
        over == sum(_above(order, one, two) for order in ballots)
        and under == sum(_above(order, two, one) for order in ballots)
        and (over > under or not winner)
        for one, over, under, two in pairs
    )


def are_points(facts: Facts, found: Match) -> bool:
    """A point for every option below, half for every one in the same place; the most points are the first told."""
    told = {option: Fraction(points) for option, points in HELD.findall(found[0].rpartition(": ")[2])}
    points: Counter[str] = Counter()
    for order in orders(facts):
        for at, place in enumerate(order):
            below = sum(map(len, order[at + 1 :]))
            for option in place:
                points[option] += 2 * below + len(place) - 1
    most = [option for option in points if points[option] == max(points.values())]
    leaders = re.findall(r"'([^']*)'", found[0].partition(" most Borda points")[0])
    return told == {option: Fraction(double, 2) for option, double in points.items()} and set(leaders) == set(most)


def are_rounds(facts: Facts, found: Match) -> bool:
    """First places among those that are left, round by round; a winner holds more than half of the ballots."""
    ballots = orders(facts)
    left = {option for order in ballots for place in order for option in place}
    told, held = found[0].partition(": ")[2], dict[str, Fraction]()
    for at, (number, counts, eliminated) in enumerate(RUNOFF.findall(told), 1):
        held = dict.fromkeys(left, Fraction(0))
        for order in ballots:
            first = next(place & left for place in order if place & left)
            for option in first:
                held[option] += Fraction(1, len(first))
        if int(number) != at or {option: Fraction(votes) for option, votes in HELD.findall(counts)} != held:
            return False
        gone = set(re.findall(r"'([^']*)'", eliminated))
        if gone and {held[option] for option in gone} != {min(held.values())}:
            return False
        left -= gone
    winner = re.match(r"'([^']*)' wins the runoff", found[0])
    return winner is None or 2 * held[winner[1]] > len(ballots) or len(held) == 1


def refuted_sums(facts: Facts, rows: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What the arguments of a debate weigh, by the marks that are shown for each."""
    argued = [one for line in rows.get("votes", ()) if (one := ARGUED.match(line))]
    yield from _refuted_marks(facts, argued)
    for line in rows.get("because", ()):
        for told in SIDES_SUM.finditer(line):
            number = 5 if told[1] == "evidence" else 7
            for side, shown in (("SUPPORT", told[2]), ("OPPOSE", told[3])):
                added = [float(one[number]) for one in argued if one[3] == side]
                if abs(sum(added) - float(shown)) > LEAST_SHOWN * (len(added) + 1):
                    yield f"because: {told[0]!r}, and for {side} {added} are shown"
            if "a side wins with more than" in line and max(float(told[2]), float(told[3])) > MARGIN * (
                min(float(told[2]), float(told[3])) + LEAST_SHOWN
            ):
                yield f"because: {line!r}, and a side is ahead by more"
        for told in ROUNDS_WON.finditer(line):
            yield from _refuted_rounds_won(argued, told)


def _refuted_marks(facts: Facts, argued: Sequence[Match]) -> Iterator[str]:
    """A strength is confidence times evidence times logic; where a judge decides, its marks are the mean of both."""
    judged = _judged(facts)
    for one in argued:
        sure, evidence, logic, strength = float(one[4]) / 100, float(one[5]), float(one[6]), float(one[7])
        if abs(sure * evidence * logic - strength) > LEAST_SHOWN * 2:
            yield f"votes: {one[0]!r}: {sure} times {evidence} times {logic} isn't {strength}"
        known = judged.get(one[3])
        if known and max(abs(known[0] - evidence), abs(known[1] - logic)) > LEAST_SHOWN:
            yield f"votes: {one[0]!r}, and the judge gave {known}"


def _judged(facts: Facts) -> dict[str, tuple[float, float]]:
    """By side, the marks of a judge that decides: it saw the sides as A and B in both orders."""
    if facts.settings.get("judge") != "decides":
        return {}
    shares = {
        place[0]: {name: float(value) for name, value in ballot.shares}
        for place, event in facts.settled.items()
        if place[0] in {"judge-ab", "judge-ba"} and (ballot := getattr(event, "ballot", None)) is not None
    }
    if len(shares) < len(("judge-ab", "judge-ba")):
        return {}
    ab, ba = shares["judge-ab"], shares["judge-ba"]
    return {
        "SUPPORT": ((ab["a_evidence"] + ba["b_evidence"]) / 2, (ab["a_logic"] + ba["b_logic"]) / 2),
        "OPPOSE": ((ab["b_evidence"] + ba["a_evidence"]) / 2, (ab["b_logic"] + ba["a_logic"]) / 2),
    }


def _refuted_rounds_won(argued: Sequence[Match], told: Match) -> Iterator[str]:
    """A round is won by more than the margin; one that is too near to it in what is shown may be either."""
    strength: dict[str, dict[str, float]] = {}
    for one in argued:
        sides = strength.setdefault(one[2], {"SUPPORT": 0.0, "OPPOSE": 0.0})
        sides[one[3]] += float(one[7])
    if len(strength) != int(told[2]):
        yield f"because: {told[0]!r}, and {len(strength)} rounds count"
    for side, other, won in (("SUPPORT", "OPPOSE", told[1]), ("OPPOSE", "SUPPORT", told[3])):
        ahead = [sums[side] - MARGIN * sums[other] for sums in strength.values()]
        unsure = 2 * MARGIN * LEAST_SHOWN
        least, most = sum(one > unsure for one in ahead), sum(one > -unsure for one in ahead)
        if not least <= int(won) <= most:
            yield f"because: {told[0]!r}, and {side} is ahead by {ahead}"


def is_pooled(facts: Facts, found: Match) -> bool:
    """The probability whose log-odds are the mean of all; each kept from 1 % to 99 %."""
    odds = [math.log(value / (1 - value)) for one in facts.values for value in [min(max(float(one), 0.01), 0.99)]]
    return abs(float(found[1]) - 1 / (1 + math.exp(-sum(odds) / len(odds)))) < HUNDREDTH


def is_objection(facts: Facts, found: Match) -> bool:
    """So many seats did not choose the boldest outcome, and what they did; the rulebook asks for it."""
    others = {seat for seat in facts.voters if not facts.backs(seat, found[3])}
    casts = Counter(facts.option(seat) if seat in facts.counted else "no ballot" for seat in others)
    told = {words: int(number) for number, words in re.findall(r"(\d+) ([^,]+?)(?:, |$)", found[4])}
    limits = [dict(cap.settings).get("at_least", "1") for cap in facts.convened.rulebook.unless
              if cap.name == "objections"]  # fmt: skip
    return (
        (int(found[1]), int(found[2]), told) == (len(others), len(facts.voters), dict(casts))
        and found[5] in limits
        and len(others) >= int(found[5])
    )


def states_risk(facts: Facts, found: Match) -> bool:
    """What a seat says of the risk, which is above what the sentence compares it with."""
    ballot = facts.counted[found["seat"]].ballot
    chose = found.groupdict().get("chose")
    return (
        ballot.risk is not None
        and abs(100 * ballot.risk - Fraction(found["risk"])) <= Fraction(6, 100)
        and (chose is None or facts.option(found["seat"]) == chose)
    )


def is_sealed(facts: Facts, found: Match) -> bool:
    """What the sealed ballots came to, by heads: nobody's choice wins against more seats that sealed another one."""
    sealed = {seat: one.ballot for seat, one in facts.sealed.items() if not one.ballot.abstain}
    heads = Counter(facts.choice_of(seat, ballot) for seat, ballot in sealed.items())
    if facts.protocol == "conference":
        return heads[found[1]] == max(heads.values())
    if facts.protocol != "tribunal":
        return bool(heads)
    if found[1] == "ACT":
        return 2 * heads["ACT"] > len(facts.voters) and not heads["VETO"]
    # The strict rulebook refuses where a seat is less than 40% sure, whatever all of them chose.
    calm = all(
        ballot.risk is not None
        and ballot.risk < Fraction(3, 10)
        and ballot.confidence is not None
        and ballot.confidence >= Fraction(2, 5)
        for ballot in sealed.values()
    )
    return not (calm and heads["ACT"] == len(facts.voters)) and (not heads["VETO"] or found[1] == "REFUSE")


def found_nothing(facts: Facts, found: Match) -> bool:
    """Searches that were made for these seats and brought no passage."""
    seats = set(filter(None, re.split(r", | and ", found[1])))
    without = {one.seat for one in facts.found if one.kind == "find" and one.why}
    return seats <= without


def left_mark_out(facts: Facts, found: Match) -> bool:
    """Whose answers were read although they bear no mark."""
    read = {
        one.seat
        for one in facts.spoken
        if "unmarked" in one.cautions and (one.ballot is not None or one.argument is not None)
    }
    return set(filter(None, re.split(r", and |, | and ", found[1]))) == read


def _shared(facts: Facts, one: str, other: str) -> Fraction:
    """How many of the texts that two seats quote both of them quote."""
    texts = [" ".join(passage.text.split()) for found in facts.found for passage in found.passages]
    cited = [
        {
            text
            for text in texts
            for source in facts.cast[seat].ballot.evidence
            if " ".join(source.quote.split()) in text
        }
        for seat in (one, other)
    ]
    every = cited[0] | cited[1]
    return Fraction(len(cited[0] & cited[1]), len(every)) if every else Fraction(0)


def share_alike(facts: Facts, found: Match) -> bool:
    """Every two of so many researchers share this much, and these are all whose findings count."""
    seats = list(facts.counted)
    size = 2 if found[1] == "both" else int(found[1].removeprefix("all "))
    shares = [100 * _shared(facts, one, other) for at, one in enumerate(seats) for other in seats[at + 1 :]]
    return size == len(seats) and all(abs(share - Fraction(found[2])) <= Fraction(6, 100) for share in shares)


def share_most(facts: Facts, found: Match) -> bool:
    """Each pair that is named shares as much as is said, and every pair that shares as much is named."""
    told = {
        (one, other): Fraction(share) for one, other, share in re.findall(r"(\w+) and (\w+) \(([\d.]+) %\)", found[0])
    }
    seats = list(facts.counted)
    pairs = {
        (one, other): 100 * _shared(facts, one, other) for at, one in enumerate(seats) for other in seats[at + 1 :]
    }
    return all(abs(pairs[pair] - share) <= Fraction(6, 100) for pair, share in told.items()) and all(
        pair in told for pair, share in pairs.items() if share >= min(told.values())
    )
