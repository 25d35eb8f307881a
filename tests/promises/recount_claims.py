"""Every statement of a card that has a number in it, or says all, none or only, and how it is recounted.

A line is covered if every number and every such word in it stands inside a statement that is known here: one that
nobody recounts is reported like one that is false.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from quorate.model import Approval, Ballot, Estimate, Ranking
from tests.promises.recount import SCALE, Facts, plain
from tests.promises.recount_sums import (
    are_pairs,
    are_points,
    are_rounds,
    found_nothing,
    is_objection,
    is_pooled,
    is_sealed,
    left_mark_out,
    refuted_sums,
    share_alike,
    share_most,
    states_risk,
)

Match = re.Match[str]
Check = Callable[[Facts, Match], bool]
Row = tuple[str, tuple[str, ...]]

PERCENT: Final = r"(\d+(?:\.\d+)?) ?%"
TENTH: Final = Fraction(6, 100)
"""A share is shown in tenths of a percent, rounded."""
WEIGHTY: Final = re.compile(
    r"\d|\b(?:all|both|none|only|nobody|no seat|every|any|each|alone|twice|everyone)\b", re.IGNORECASE
)
"""What must be recounted wherever it stands."""


SIDES: Final = {"proponent": "SUPPORT", "advocate": "SUPPORT", "opponent": "OPPOSE", "critic": "OPPOSE"}


def names(text: str) -> set[str]:
    """The seats that a list in words names."""
    return {one for one in re.split(r", and |, or |, | and | or ", text) if one}


def is_share(text: str, share: Fraction | None) -> bool:
    """Whether a percentage as it is shown is this share."""
    return share is not None and abs(Fraction(text) - 100 * share) <= TENTH


def of_seats(facts: Facts, number: int) -> Fraction:
    """A share of the configured seats."""
    return Fraction(number, len(facts.voters))


def assumed(facts: Facts) -> set[str]:
    """Seats for whom the rulebook assumes a vote: those who were silent."""
    if facts.convened.rulebook.silence in {"none", "carry"}:
        return set()
    return set(facts.voters) - set(facts.cast) - facts.not_needed


def counted_heads(facts: Facts, option: str | None) -> int:
    """Heads for an option, assumed ones included; of approvals and rankings whoever backs it."""
    own = sum(facts.backs(seat, option) for seat in facts.counted)
    return own + (len(assumed(facts)) if option == facts.convened.rulebook.silence else 0)


def before_caps(facts: Facts) -> str | None:
    """What the rules chose before a cap, taken from the trace: the first rule that spoke."""
    spoke = [one for one in facts.verdict.trace if one.said]
    if not spoke[1:]:
        return facts.verdict.outcome
    lowered = re.search(r".*, so (.+?) becomes ", spoke[1].said)
    return None if lowered is None or lowered[1] == "no outcome" else lowered[1]


def near_median(facts: Facts) -> set[str]:
    """Whose estimate is within the share of the median that the rule asks for."""
    rule = next(part for part in facts.convened.rulebook.rules if part.name == "close_median")
    within = Fraction(dict(rule.settings).get("within", "1/10"))
    middle = facts.values[(len(facts.values) - 1) // 2] / 2 + facts.values[len(facts.values) // 2] / 2
    found = set[str]()
    for seat, one in facts.counted.items():
        vote = one.ballot.vote
        if isinstance(vote, Estimate) and abs(vote.value - middle) <= within * abs(middle):
            found.add(seat)
    return found


def first_rule(facts: Facts) -> str:
    """Which rule spoke first, whatever a cap made of it."""
    return next(one.rule for one in facts.verdict.trace if one.said)


def behind(facts: Facts) -> int:
    """How many seats themselves are for what the rules decided."""
    if first_rule(facts) == "close_median":
        return len(near_median(facts))
    return sum(facts.backs(seat, before_caps(facts)) for seat in facts.counted)


def _is_backing(facts: Facts, found: Match) -> bool:
    return (int(found[1]), int(found[2])) == (behind(facts), len(facts.voters))


def _is_agreement(facts: Facts, found: Match) -> bool:
    said = found[2] if len(found.groups()) > 1 else None
    option = said or before_caps(facts)
    if first_rule(facts) == "close_median":
        return is_share(found[1], of_seats(facts, behind(facts)))
    if any(isinstance(one.ballot.vote, Approval | Ranking | Estimate) for one in facts.counted.values()):
        return is_share(found[1], of_seats(facts, counted_heads(facts, option)))
    heads = facts.heads + Counter({facts.convened.rulebook.silence: len(assumed(facts))})
    top = max(heads.values(), default=0)
    if not is_share(found[1], of_seats(facts, top)):
        return False
    leaders = [one for one in heads if heads[one] == top]
    return leaders == [option] or (said is None and len(leaders) > 1)


def _is_confidence(facts: Facts, found: Match) -> bool:
    held = sum(bool(one.said) for one in facts.verdict.trace) > 1
    return (held and facts.protocol == "debate") or is_share(found[1], facts.verdict.confidence)


def _are_vetoers(facts: Facts, found: Match) -> bool:
    vetoes = {seat for seat, one in facts.counted.items() if one.ballot.veto and seat in facts.guardians}
    return names(found[1]) == vetoes


def _is_assumed(facts: Facts, found: Match) -> bool:
    """A silent seat, with the reason on record; what a provider said is a quote, replaced before this is asked."""
    reasons = {(event.why, "…" if event.detail else "") for event in facts.silent if event.seat == found[1]}
    return found[1] in assumed(facts) and (
        found[2] is None or (found[2], found[3] or "") in (reasons or {("not_asked", "")})
    )


def _nobody_counts(facts: Facts, _: Match) -> bool:
    return not facts.counted


def _is_split(facts: Facts, found: Match) -> bool:
    """`2 ACT, 1 WARN`: how the stated votes fell."""
    told = re.findall(r"(\d+) (.+?)(?:, |$)", found[0])
    count: Counter[str] = Counter()
    for seat, one in facts.counted.items():
        vote = one.ballot.vote
        if isinstance(vote, Approval):
            count.update(vote.approved or ("for none of them",))
        else:
            count[facts.choice(seat) if facts.protocol != "oracle" else facts.option(seat)] += 1
    return {words: int(number) for number, words in told} == dict(count)


def _is_calls(facts: Facts, found: Match) -> bool:
    return int(found[1]) == len(facts.asked)


def _is_resent(facts: Facts, found: Match) -> bool:
    return int(found[1]) == sum(one.sending > 1 for one in facts.asked)


def _is_tokens(facts: Facts, found: Match) -> bool:
    known = [one.reply.usage for one in facts.spoken]
    total = sum(used.asked + used.answered for used in known if used.asked is not None and used.answered is not None)
    return int(found[1].replace(",", "")) == total


def _is_uncounted(facts: Facts, found: Match) -> bool:
    unknown = sum(one.reply.usage.asked is None or one.reply.usage.answered is None for one in facts.spoken)
    return int(found[1]) == unknown


def _is_money(facts: Facts, found: Match) -> bool:
    money = [one.reply.usage.money for one in facts.spoken]
    known = [one for one in money if one is not None]
    return len(known) == len(money) and abs(Fraction(found[1]) - sum(known, Fraction(0))) <= Fraction(1, 10000)


def _is_vote(facts: Facts, found: Match) -> bool:
    """A seat's line among the votes, with its numbers and what it counts as."""
    seat, choice, counts_as, numbers = found[1], found[2], found[3], found[4] or ""
    if seat not in facts.counted:
        return False
    ballot = facts.counted[seat].ballot
    own = "VETO" if ballot.veto and seat in facts.guardians else ballot.choice
    if facts.protocol == "oracle":
        merged = facts.option(seat) != own
        return (choice, counts_as) == (own, facts.option(seat) if merged else None) and _are_numbers(ballot, numbers)
    told = [own, *([] if counts_as is None else [counts_as])]
    if facts.protocol == "conference":
        merged = facts.choice(seat) != own
        if merged != (counts_as is not None):
            return False
        told[1:] = [facts.choice(seat)] if merged else []
    if isinstance(ballot.vote, Ranking):
        told[0] = _completed(facts, ballot.vote)
    return [choice, *([] if counts_as is None else [counts_as])] == told and _are_numbers(ballot, numbers)


def _are_numbers(ballot: Ballot, numbers: str) -> bool:
    """Whether confidence and risk are told as they were stated."""
    sure, risk = re.search(rf"{PERCENT} sure", numbers), re.search(rf"risk {PERCENT}", numbers)
    return (
        (sure is None) == (ballot.confidence is None)
        and (sure is None or is_share(sure[1], ballot.confidence))
        and (risk is None or is_share(risk[1], ballot.risk))
    )


def _completed(facts: Facts, vote: Ranking) -> str:
    """A ranking over every option that somebody ranked: those it leaves out come last, together."""
    every = [
        one
        for cast in facts.counted.values()
        if isinstance(cast.ballot.vote, Ranking)
        for place in cast.ballot.vote.ranking
        for one in place
    ]
    held = {one for place in vote.ranking for one in place}
    rest = {one for one in every if one not in held}
    return str(
        Ranking(
            (*vote.ranking, *((tuple(one for one in facts.convened.question.options if one in rest),) if rest else ()))
        )
    )


def _is_argument(facts: Facts, found: Match) -> bool:
    seat, number, side, sure = found[1], found[2], found[3], found[4]
    event = facts.settled.get((number, seat, ""))
    argued = getattr(event, "argument", None)
    return argued is not None and side in {"SUPPORT", "OPPOSE"} and is_share(sure, argued.confidence)


def _has_no_vote(facts: Facts, found: Match) -> bool:
    seat, why = found[1], found[2]
    if why == "abstained":
        return seat in facts.cast and facts.cast[seat].ballot.abstain
    if seat in facts.left_out:
        return facts.left_out[seat] == why
    return seat not in facts.cast


def _is_spared(facts: Facts, found: Match) -> bool:
    sealed = facts.sealed.get(found[1])
    told = facts.choice_of(found[1], sealed.ballot) if sealed and not sealed.ballot.abstain else None
    return found[1] in facts.not_needed and found[2] in {told, None if facts.protocol != "tribunal" else told}


def _are_merged(facts: Facts, wordings: list[str]) -> bool:
    """The wordings of one option that are held at the end or were at the beginning, its own name first."""
    held = [one.ballot.choice for one in (*facts.counted.values(), *facts.sealed.values()) if not one.ballot.abstain]
    name = wordings[0]
    return set(wordings) == {name, *(one for one in held if facts.groups.get(one, one) == name)}


def _is_change(facts: Facts, found: Match) -> bool:
    seat, was, now = found[1], found[2], found[3]
    if seat not in facts.changed:
        return False
    return facts.protocol != "tribunal" or facts.changed[seat] == (was, now)


def _nobody_changed(facts: Facts, _: Match) -> bool:
    return not facts.changed


def _no_dissent(facts: Facts, _: Match) -> bool:
    if first_rule(facts) == "close_median":
        return near_median(facts) == set(facts.counted)
    outcome = before_caps(facts)
    return first_rule(facts) in {"condorcet", "borda", "instant_runoff"} or all(
        facts.backs(seat, outcome) for seat in facts.counted
    )


def _dissents(facts: Facts, found: Match) -> bool:
    if facts.protocol == "debate":
        sides = {seat.name: SIDES.get(seat.acts) for seat in facts.convened.panel}
        return all(sides[seat] not in {None, before_caps(facts)} for seat in names(found[1]))
    if first_rule(facts) == "close_median":
        return names(found[1]) == set(facts.counted) - near_median(facts)
    return names(found[1]) == {seat for seat in facts.counted if not facts.backs(seat, before_caps(facts))}


def _carried(facts: Facts, found: Match) -> bool:
    cast = facts.cast.get(found[1])
    return cast is not None and cast.round == found[2] and int(found[2]) < facts.rounds


def _average(facts: Facts, found: Match) -> bool:
    return is_share(found[1], facts.sure())


def _equal(facts: Facts, found: Match) -> bool:
    sure = {one.ballot.confidence for one in facts.counted.values()}
    return len(sure) == 1 and int(found[1]) == len(facts.counted) and is_share(found[2], next(iter(sure)))


def _even(facts: Facts, found: Match) -> bool:
    alike = len({facts.option(seat) for seat in facts.counted}) == 1
    sure = [one.ballot.confidence or Fraction(0) for one in facts.counted.values()]
    whole = len(facts.counted) == len(facts.voters) or "that voted" in found[0]
    return alike and whole and min(sure) * 100 > Fraction(found[1])


def _weak(facts: Facts, found: Match) -> bool:
    sure = [one.ballot.confidence or Fraction(0) for one in facts.counted.values()]
    whole = found[1] == "all who voted" or len(facts.counted) == len(facts.voters)
    return whole and max(sure) * 100 < Fraction(found[2]) and _no_dissent(facts, found)


def _surer(facts: Facts, found: Match) -> bool:
    near = near_median(facts) if first_rule(facts) == "close_median" else None
    behind_it = [
        seat for seat in facts.counted if (seat in near if near is not None else facts.backs(seat, before_caps(facts)))
    ]
    against = [seat for seat in facts.counted if seat not in behind_it]
    return is_share(found[1], facts.sure(against)) and is_share(found[2], facts.sure(behind_it))


def _nobody_voted(facts: Facts, _: Match) -> bool:
    """Who found something has voted, whether it is counted or not."""
    return not facts.cast


def _library(facts: Facts, found: Match) -> bool:
    return int(found[1]) == facts.library and int(found[3]) <= facts.library


def _few(facts: Facts, found: Match) -> bool:
    return all(facts.sources[seat] == int(found[2]) for seat in names(found[1])) and int(found[3]) <= (
        facts.library or 50
    )


def _unverified(facts: Facts, found: Match) -> bool:
    cited = {seat: len(facts.cast[seat].ballot.evidence) for seat in names(found[1])}
    lost = {cited[seat] - facts.sources[seat] for seat in cited}
    return set(cited.values()) == {int(found[2])} and lost == {int(found[3])}


def _round_not_counted(facts: Facts, found: Match) -> bool:
    missing = {
        seat.name
        for seat in facts.convened.panel
        if seat.acts in {"proponent", "opponent"}
        and getattr(facts.settled.get((found[1], seat.name, "")), "argument", None) is None
    }
    return names(found[2]) == missing


def _stopped(facts: Facts, found: Match) -> bool:
    """Seats whose last ballot nobody waited for, and what became of the calls under way."""
    gone = {event.seat for event in facts.withdrawn}
    who = names(found[1])
    cancelled = re.search(r"(\d+) calls? under way cancelled", found[0])
    saved = re.search(r"(\d+) calls? saved", found[0])
    return (
        who == facts.not_needed
        and int(cancelled[1] if cancelled else 0) == len(gone & who)
        and int(saved[1] if saved else 0) == len(who - gone)
    )


def _sealed_differs(facts: Facts, found: Match) -> bool:
    """So many had sealed an option, more than half of the seats, and another one came out."""
    heads = 0
    for seat, one in facts.sealed.items():
        vote = one.ballot.vote
        first = vote.ranking[0] if isinstance(vote, Ranking) else (facts.choice_of(seat, one.ballot),)
        word = ("REFUSE",) if first == ("VETO",) else first
        heads += word == (found[3],) and not one.ballot.abstain
    told = (int(found[1]), int(found[2]), found[4])
    return told == (heads, len(facts.voters), facts.verdict.outcome) and 2 * heads > len(facts.voters)


def _vetoed_early(facts: Facts, found: Match) -> bool:
    vetoes = {seat for seat, one in facts.counted.items() if one.ballot.veto and seat in facts.guardians}
    return names(found[1]) == vetoes and names(found[2]) == facts.not_needed


def _only_voted(facts: Facts, found: Match) -> bool:
    return (int(found[1]), int(found[2])) == (len(facts.counted), len(facts.voters))


def _agents(facts: Facts, found: Match) -> bool:
    return int(found[1]) == len(facts.counted)


def _chose(facts: Facts, found: Match) -> bool:
    heads = counted_heads(facts, found[4].strip("'\""))
    told = (int(found[1]), int(found[2])) == (heads, len(facts.voters))
    return told and is_share(found[3], of_seats(facts, heads))


def _all_chose(facts: Facts, found: Match) -> bool:
    size = {"both": 2, "the only": 1}.get(found[1]) or int(found[1].removeprefix("all "))
    options = {found[2], found[2].strip("'\"")}
    return size == len(facts.voters) == len(facts.counted) and any(
        all(facts.backs(seat, option) for seat in facts.counted) for option in options
    )


def _approve(facts: Facts, found: Match) -> bool:
    heads = facts.heads[found[4]]
    others = max((number for option, number in facts.heads.items() if option != found[4]), default=0)
    return (int(found[1]), int(found[2]), int(found[5])) == (heads, len(facts.voters), others) and is_share(
        found[3], of_seats(facts, heads)
    )


def _lead_of(facts: Facts, found: Match) -> bool:
    return int(found[1]) == max(facts.heads.values()) and int(found[2]) == len(facts.voters)


def _lead(facts: Facts, found: Match) -> bool:
    top = max(facts.heads.values(), default=0)
    return (int(found[1]), int(found[2])) == (sum(number == top for number in facts.heads.values()), top)


def _no_approval(facts: Facts, _: Match) -> bool:
    return not facts.heads


def _ahead(facts: Facts, found: Match) -> bool:
    """So many seats chose an option, so many more than the next, which makes this kind of majority."""
    option, top = found[3], facts.heads[found[3]]
    rest = [number for one, number in facts.heads.items() if one != option]
    kind = "more than half of the seats" if 2 * top > len(facts.voters) else ": the most votes, but not more than half"
    ahead = int(found[4]) == top - max(rest) if found[4] else not rest
    return (int(found[1]), int(found[2])) == (top, len(facts.voters)) and ahead and kind in found[0]


def _assumed_votes(facts: Facts, found: Match) -> bool:
    told = re.findall(r"(?:^|, )([A-Z][\w ]*): ", found[2])
    return int(found[1]) == len(assumed(facts)) == len(told) and set(told) == assumed(facts)


def _counts(facts: Facts, found: Match) -> bool:
    told = {words: int(number) for number, words in re.findall(r"(\d+) ([A-Za-z][^,;]*)", found[0])}
    return all(number == counted_heads(facts, words) for words, number in told.items())


def _had_sealed(facts: Facts, found: Match) -> bool:
    count = Counter(facts.choice_of(seat, one.ballot) for seat, one in facts.sealed.items() if not one.ballot.abstain)
    return {words: int(number) for number, words in re.findall(r"(\d+) ([^,;]+)", found[1])} == dict(count)


def _sealed_against(facts: Facts, found: Match) -> bool:
    against = sum(one.ballot.choice != "ACT" for one in facts.sealed.values())
    return (int(found[1]), int(found[2])) == (against, len(facts.voters))


def argues(facts: Facts) -> list[str]:
    """Whose arguments are weighed in a debate."""
    parts = set(SIDES) if facts.settings.get("allies") == "true" else {"proponent", "opponent"}
    return [seat.name for seat in facts.convened.panel if seat.acts in parts]


def _silences(facts: Facts, found: Match) -> bool:
    """None of so many seats gave a ballot, and the reasons add up to those seats."""
    told = [int(number) for number in re.findall(r"(\d+) [a-z]", found[2] or "")]
    seats = len(argues(facts) if facts.protocol == "debate" else facts.voters)
    size = seats if found[1] == "no seat" else int(re.sub(r"\D", "", found[1]))
    return (
        size == seats
        and not facts.counted
        and (sum(told) in {0, seats, seats - len(facts.not_needed)} or "abstained" in found[0])
    )


def _median(facts: Facts, found: Match) -> bool:
    middle = facts.values[(len(facts.values) - 1) // 2] / 2 + facts.values[len(facts.values) // 2] / 2
    return Fraction(found["median"]) == middle


def _of_numbers(facts: Facts, found: Match) -> bool:
    return (int(found[1]), int(found[2])) == (len(facts.values), len(facts.voters)) and _median(facts, found)


def _missing(facts: Facts, found: Match) -> bool:
    return (int(found[1]), int(found[2])) == (len(facts.voters) - len(facts.values), len(facts.voters))


def _ends(facts: Facts, found: Match) -> bool:
    return (Fraction(found[1]), Fraction(found[2])) == (facts.values[0], facts.values[-1])


def _clipped_ends(facts: Facts, found: Match) -> bool:
    return (Fraction(found[1]), Fraction(found[2])) == (facts.values[0], facts.values[-1])


def _researchers(facts: Facts, found: Match) -> bool:
    heads = sum(facts.option(seat) == found[4] for seat in facts.counted)
    return (int(found[1]), int(found[2])) == (heads, len(facts.voters)) and is_share(found[3], of_seats(facts, heads))


def _debate_rounds(facts: Facts, found: Match) -> bool:
    held = {event.round for event in facts.spoken if event.argument is not None}
    return int(found[1]) >= len(held)


def _one_side_silent(facts: Facts, _: Match) -> bool:
    held: dict[str, set[str]] = {}
    parts = {seat.name: seat.acts for seat in facts.convened.panel}
    for place, event in facts.settled.items():
        if getattr(event, "argument", None) is not None:
            held.setdefault(place[0], set()).add(parts[place[1]])
    return not any({"proponent", "opponent"} <= spoke for spoke in held.values())


def _early(facts: Facts, found: Match) -> bool:
    ends = sum((one := facts.ballot(found[1], seat)) is not None and not one.continue_debate for seat in facts.voters)
    return (int(found[1]), int(found[2]), int(found[3])) == (facts.rounds, ends, len(facts.voters))


def _after_round(facts: Facts, found: Match) -> bool:
    return int(found[1]) == facts.rounds


def _one_domain(facts: Facts, _: Match) -> bool:
    return len({one.domain for one in facts.convened.seated if one.seat in facts.voters}) == 1


def _unsupported(facts: Facts, found: Match) -> bool:
    return names(found[1]) == {seat for seat, why in facts.left_out.items() if why == "unsupported"}


def _is_below(found: Match) -> bool:
    """Whether the first percentage of a sentence is below the second one."""
    one, other = re.findall(rf"({NUMBER}) %", found[0])
    return Fraction(one) < Fraction(other)


def _holds(facts: Facts, _: Match) -> bool:
    """Checked elsewhere: by search over all ballots, by the statistics of past decisions, or against a setting."""
    return bool(facts.events)


def _time(facts: Facts, _: Match) -> bool:
    return bool(facts.events)


NUMBER: Final = r"-?\d+(?:\.\d+)?"
WHO: Final = r"(?:Seat )?\w+(?:, (?:Seat )?\w+)*(?:,? and (?:Seat )?\w+)?"
OPTION: Final = r"'[^']*'|\"[^\"]*\"|[A-Z]+"
OBJECTIONS: Final[tuple[str, Check]] = (
    r"(\d+) of (\d+) seats did not choose (\w+) \(([^)]*)\), and (\d+) (?:is|are) enough to hold it back",
    is_objection,
)
BACKING: Final[tuple[tuple[str, Check], ...]] = (
    (r"^.*?  veto by (.+?)(?=, |  )", _are_vetoers),
    (r"(\d+) of (\d+) seats? ranked the options", _only_voted),
    (r"first for (\d+) of (\d+) seats?", _is_backing),
    (r"(\d+) of (\d+) seats?(?=, |\)|$)", _is_backing),
    (
        r"before the discussion (\d+) of (\d+) seats had chosen something other than ACT",
        _sealed_against,
    ),
    (
        r"(\d+) silent and counted as (\w+)",
        lambda facts, found: int(found[1]) == len(assumed(facts)) and found[2] == facts.convened.rulebook.silence,
    ),
    (rf"agreement {PERCENT}(?: on (.+?))?(?:, not on (.+?))?(?=, |\)|$)", _is_agreement),
    (rf"confidence {PERCENT}", _is_confidence),
    (r"no ballot that counts|no final ballot", _nobody_counts),
    (r"no round with both sides", _one_side_silent),
    (rf"\d+ numbers from ({NUMBER}) to ({NUMBER})", _ends),
    (rf"1 number, ({NUMBER})", lambda facts, found: facts.values == [Fraction(found[1])]),
    (rf"strength {NUMBER} [A-Z]+(?: to {NUMBER} [A-Z]+)?", _holds),
    (
        (
            rf"(?:evidence {NUMBER} for [A-Z]+, {NUMBER} for [A-Z]+(?: \({PERCENT} to {PERCENT}\))?|"
            rf"[A-Z]+ won \d+ of \d+ rounds, [A-Z]+ \d+)"
        ),
        _holds,
    ),
    (r"(?<=  )\d+ (?!of |numbers)[^,]+(?:, \d+ (?!silent)[^,]+?)*(?=, (?:\d+ silent|rule)|$)", _is_split),
    OBJECTIONS,
    (
        r"the (?:votes|arguments) came to (.+?) \(",
        lambda facts, found: found[1] == (before_caps(facts) or "NO OUTCOME"),
    ),
)
CLAIMS: Final[dict[str, tuple[tuple[str, Check], ...]]] = {
    "verdict": BACKING,
    "because": (
        OBJECTIONS,
        (rf"(\d+) of (\d+) seats \({PERCENT}\) (?:chose|count for) ({OPTION})", _chose),
        (
            (
                r"(\d+) of (\d+) seats? chose (?:'([^']*)'|\"[^\"]*\")(?:, (\d+) ahead of the next)?(?:, "
                r"more than half of the seats|: the most votes, but not more than half of the seats)"
            ),
            _ahead,
        ),
        (r"(both|all \d+|the only) seats? chose (.+?)(?=$|; )", _all_chose),
        (rf"(\d+) of (\d+) seats \({PERCENT}\) approve of '([^']*)'; the next option has (\d+)", _approve),
        (r"lead with (\d+) of (\d+) seats each, so none wins", _lead_of),
        (r"(\d+) options lead with (\d+) each, so none wins", _lead),
        (r"; a side wins with more than [\d.]+ times the other", _holds),
        (r"no seat approves of any option, so none wins", _no_approval),
        (r"leads with (\d+) of (\d+) seats, which is not enough", _lead_of),
        (r"only (\d+) of (\d+) seats ha(?:s|ve) a vote, which is no quorum", _only_voted),
        (r"Only (\d+) agents succeeded, need \d+", _agents),
        (r"(\d+) votes? (?:was|were) assumed \((.*)\)", _assumed_votes),
        (r"(?:the seats disagree:|no other rule decides on|no consensus:) (?:\d+ [^,;]+(?:, )?)+", _counts),
        (
            (
                r"(none of the \d+ seats|no seat) (?:gave a (?:final )?ballot|chose an option|made a case|"
                r"gave a finding)((?:: [^;]*)?(?:, \d+ abstained)?)"
            ),
            _silences,
        ),
        (rf"({WHO}) w(?:as|ere) not needed", lambda facts, found: names(found[1]) == facts.not_needed),
        (r"the votes before the discussion were ([^;]+)", _had_sealed),
        (r"before the discussion (\d+) of (\d+) seats had chosen something other than ACT", _sealed_against),
        (
            rf"so {NUMBER} becomes (no outcome|[A-Z]+)",
            lambda facts, found: found[1] == (facts.verdict.outcome or "no outcome"),
        ),
        (
            (
                rf"the median of (\d+) of (\d+) seats is (?P<median>{NUMBER}); the middle half lies from "
                rf"{NUMBER} to {NUMBER}, within {PERCENT} of it"
            ),
            _of_numbers,
        ),
        (rf"the median is (?P<median>{NUMBER}), the middle half lies from {NUMBER} to {NUMBER}", _median),
        (rf"all from ({NUMBER}) to ({NUMBER})", _ends),
        (r"(\d+) of (\d+) seats gave no number and could have stood anywhere", _missing),
        (
            rf"there is one estimate, ({NUMBER}), and no other to compare it with",
            lambda facts, found: facts.values == [Fraction(found[1])],
        ),
        (r"no seat gave a number", lambda facts, _: not facts.values),
        (rf"(\d+) of (\d+) researchers \({PERCENT}\) find (.+?)(?=;|$|, )", _researchers),
        (rf"stated from ({NUMBER}) to ({NUMBER})", _clipped_ends),
        (rf"pooled probability ({NUMBER})", is_pooled),
        (
            r"(both|all \d+|the only) researchers? finds? that it cannot be determined",
            lambda facts, _: all(facts.option(seat) == "UNDETERMINED" for seat in facts.voters),
        ),
        (r"after (\d+) rounds?: ", _debate_rounds),
        (r"the debate ended after (\d+) rounds?", _debate_rounds),
        (r"no round in which both sides spoke", _one_side_silent),
        (rf"strength {NUMBER} for SUPPORT, {NUMBER} for OPPOSE(?: \({PERCENT} to {PERCENT}\))?", _holds),
        (rf"evidence {NUMBER} for SUPPORT, {NUMBER} for OPPOSE(?: \({PERCENT} to {PERCENT}\))?", _holds),
        (r"SUPPORT won \d+ of \d+ rounds, OPPOSE \d+", _holds),
        (r"it stopped after round (\d+): (\d+) of (\d+) seats had heard enough \([^)]*\)", _early),
        (r"it stopped after round (\d+)(?:, the last one allowed|: .*)", _after_round),
        (r"'[^']*' wins every pair, .*|no option wins every pair.*", are_pairs),
        (r".* ha(?:s|ve) the most Borda points.*", are_points),
        (r"'[^']*' wins the runoff: .*|.* are tied in round \d+.*|it is a tie in round.*", are_rounds),
        (
            rf"({WHO}) (?:is|are) less than (\d+) % sure",
            lambda facts, found: all(
                100 * (facts.counted[seat].ballot.confidence or 0) < int(found[2]) for seat in names(found[1])
            ),
        ),
        (
            rf"{PERCENT} of the seats (?:chose|count for) ACT or WARN",
            lambda facts, found: is_share(
                found[1], of_seats(facts, counted_heads(facts, "ACT") + counted_heads(facts, "WARN"))
            ),
        ),
        (
            r"(\d+) of (\d+) seats (?:chose|count for) ACT, every risk below \d+ %",
            lambda facts, found: (
                int(found[1]) == facts.heads["ACT"]
                and all((one.ballot.risk or Fraction(0)) < Fraction(3, 10) for one in facts.counted.values())
            ),
        ),
        (
            r"no challenge round was held, because all seats agreed at once and were sure",
            lambda facts, _: facts.agreed_at_once and not any(one.round == "challenge" for one in facts.asked),
        ),
        (
            r"ACT and REFUSE lead with (\d+) each",
            lambda facts, found: counted_heads(facts, "ACT") == counted_heads(facts, "REFUSE") == int(found[1]),
        ),
        (r"by weight .+? leads with [\d.]+ %, which decides nothing", _holds),
        (
            r"no seat itself (?:chose|argued for) (\S+?)(?=, )",
            lambda facts, found: not any(facts.backs(seat, found[1]) for seat in facts.counted),
        ),
    ),
    "cautions": (
        (
            r"(\d+) of (\d+) seats? had sealed '([^']*)' before the discussion, and the outcome is '([^']*)'",
            _sealed_differs,
        ),
        (rf"the seats are {PERCENT} sure on average", _average),
        (
            rf"those behind .+? are {PERCENT} sure on average, less than {PERCENT}",
            lambda facts, found: is_share(found[1], facts.verdict.confidence),
        ),
        (rf"all (\d+) [\w ]+? are equally sure: {PERCENT}", _equal),
        (rf"all [\w ]+? agree, each more than {PERCENT} sure", _even),
        (rf"(all(?: who voted)?) agree and none is {PERCENT} sure", _weak),
        (rf"those against it are surer \({PERCENT}\) than those for it \({PERCENT}\)", _surer),
        (
            (
                rf"(both|all \d+) researchers share {PERCENT} of their sources with each other"
                r"(?:, of a library with \d+ documents)?"
            ),
            share_alike,
        ),
        (r"nobody voted: see what each seat said, or why it said nothing", _nobody_voted),
        (r"all seats are answered by one provider", _one_domain),
        (r"the library holds (\d+) documents and (\d+) sources are asked for, so (\d+) are enough", _library),
        (
            (
                rf"({WHO}) ha(?:s|ve) fewer sources than asked for: (\d+) of (\d+) sources(?:, \d+ of \d+ "
                rf"\w+(?: sources)?)*"
            ),
            _few,
        ),
        (
            (
                rf"({WHO}) ha(?:s|ve) fewer sources than asked for: (?!\d+ of \d+ sources)(?:(?:, )?\d+ of "
                rf"\d+ \w+(?: sources)?)+"
            ),
            lambda facts, _: not facts.library,
        ),
        (rf"({WHO}) cites? (\d+) sources of which (\d+) do(?:es)? not count", _unverified),
        (rf"({WHO}) cited no source that counts, and a finding without one does not count", _unsupported),
        (r"(\w[\w ]*) was silent in the last round; its \w+ from round (\d+) counts", _carried),
        (r"round (\d+) does not count: (.+) made no case in it", _round_not_counted),
        (r"only one side was heard, or the sides never in the same round", _one_side_silent),
        (
            (
                r"the count was stopped before (.+) had voted, because no ballot of theirs could have "
                r"changed the (?:verdict|outcome); .*"
            ),
            _stopped,
        ),
        (r"could not be read in both orders", _holds),
        (
            rf"(\w[\w ]*) chose (\w+), {PERCENT} sure; its role asks for \d+ %",
            lambda facts, found: (
                facts.choice(found[1]) == found[2] and is_share(found[3], facts.counted[found[1]].ballot.confidence)
            ),
        ),
        (r"the veto of (.+) ended it before the final ballot of (.+?)(?:; .*)?$", _vetoed_early),
        (
            r"calls to (.+) were cancelled, because nothing depended on them any more",
            lambda facts, found: names(found[1]) == {event.seat for event in facts.withdrawn},
        ),
        (
            rf"^(.+?) is {PERCENT} sure with little reasoning$",
            lambda facts, found: is_share(found[2], facts.counted[found[1]].ballot.confidence),
        ),
        (r"read as a share, 0\.85 as 85 %", _holds),
        (r"^(.+) left out the code that shows .* counts because the reply held no other and .*$", left_mark_out),
        (
            r"(\d+) options for (\d+) seats: each may get one vote",
            lambda facts, found: int(found[2]) == len(facts.voters),
        ),
        (
            rf"^(?P<seat>.+?) chose (?P<chose>\w+) although it states a risk of (?P<risk>{NUMBER}) %$",
            states_risk,
        ),
        (rf"^(?P<seat>(?:Seat )?\w+) states a risk of (?P<risk>{NUMBER}) %$", states_risk),
        (
            rf"^(?P<seat>.+?) used its veto at a stated risk of (?P<risk>{NUMBER}) %, below {NUMBER} %$",
            lambda facts, found: (
                states_risk(facts, found) and facts.choice(found["seat"]) == "VETO" and _is_below(found)
            ),
        ),
        (r"these share most of their sources: .*", share_most),
        (r"Counted as one: .*", _holds),
        (r"cites .* more a page or a text cited already; each counts once", _holds),
        (r"nothing was found for ([^:]*):.*", found_nothing),
        (r"round \d+: .*", _holds),
    ),
    "votes": (
        (r"^(.+?), round (\d+): (SUPPORT|OPPOSE) \((\d+(?:\.\d+)?) ?% sure.*\)$", _is_argument),
        (r"^([^:]+): (?!.*\(assumed)(.+?)(?:, counts as (.+?))?(?: \((.+)\))?$", _is_vote),
        (r"^([^:]+): \w+ \(assumed; silent(?:: (\w+)(?: \((.*)\))?)?\)$", _is_assumed),
    ),
    "no vote": (
        (r"^(.+?): not needed(?: \(had sealed (.+)\))?$", _is_spared),
        (r"^(.+?): (\w+)$", _has_no_vote),
    ),
    "counted as one": ((r'^"(.+)"$', lambda facts, found: _are_merged(facts, found[1].split('" and "'))),),
    "dissent": ((r"^none$", _no_dissent), (r"^(.+)$", _dissents)),
    "changed": ((r"^nobody$", _nobody_changed), (r"^(.+?): (.+?) → (.+?)(?: after hearing (.+))?$", _is_change)),
    "sealed vote": ((r"^(.+?) \(what the votes cast before the discussion came to\)$", is_sealed),),
    "agreement": (
        (rf"^{PERCENT}(?: on (.+?))?(?:, not on (.+))?$", _is_agreement),
        (rf"^{PERCENT} of the seats rank it first$", _is_agreement),
    ),
    "confidence": ((rf"^{PERCENT} \(\w+\)$", _is_confidence),),
    "cost": (
        (r"^(\d+) calls?", _is_calls),
        (r"(\d+) of them sent again", _is_resent),
        (r"([\d,]+) tokens", _is_tokens),
        (r"(\d+) repl(?:y gives|ies give) no count that can be used", _is_uncounted),
        (r"\$([\d.]+)", _is_money),
    ),
    "time": ((r"^[\d.]+ s$", _time),),
    "close": ((r"^(?:one other vote by|a veto by|no vote by|another confidence or risk) .* would have .*$", _holds),),
    "weak spots": ((r".*", _holds),),
}


def refuted(facts: Facts, label: str, line: str, quotes: Iterable[str] = ()) -> Iterator[str]:
    """What of a line is false, or has a number or such a word that nobody recounts; `quotes` are somebody's own."""
    rest = line
    for words in sorted(filter(None, quotes), key=len, reverse=True):
        rest = rest.replace(words, "…")
    spans: list[tuple[int, int]] = []
    for pattern, check in CLAIMS.get(label, ()):
        for found in re.finditer(pattern, rest):
            if any(begin <= found.start() and found.end() <= end for begin, end in spans):
                continue
            spans.append(found.span())
            if not check(facts, found):
                yield f"{label}: {line!r}: {found[0]!r} is false"
    uncovered = "".join(" " if any(begin <= at < end for begin, end in spans) else sign for at, sign in enumerate(rest))
    if weighty := WEIGHTY.search(uncovered):
        yield f"{label}: {line!r}: nobody recounts {weighty[0]!r}"


def refuted_rows(facts: Facts, lines: Sequence[Row], quotes: Iterable[str]) -> Iterator[str]:
    """The same of a whole card; what a seat is quoted with must be in its own words."""
    own = list(quotes)
    yield from _missing_conditions(facts, dict(lines).get("go ahead only if", ()))
    yield from refuted_sums(facts, dict(lines))
    for label, told in lines:
        for line in told:
            if label == "go ahead only if":
                yield from _refuted_condition(facts, line)
            elif label == "points":
                yield from refuted_point(facts, line)
            elif label not in {"id", "review", "looked up", "demo", "rulebook", "rule"}:
                # The name of a caution is for programs.
                told_to_people = line.partition(": ")[2] if label == "cautions" else line
                yield from refuted(facts, label, told_to_people, own)


def _refuted_condition(facts: Facts, line: str) -> Iterator[str]:
    """A condition is whole, and just those seats ask for it whose last ballot has it."""
    text, _, who = line.rpartition(" (")
    asking = {
        seat
        for seat, one in facts.counted.items()
        for condition in one.ballot.conditions
        if one_condition(condition) == one_condition(text)
    }
    if names(who.removesuffix(")")) != asking:
        yield f"go ahead only if: {line!r}, and {sorted(asking)} ask for it"


def one_condition(text: str) -> str:
    """A condition without case and final full stop."""
    return " ".join(text.split()).casefold().rstrip(".")


def _missing_conditions(facts: Facts, told: Sequence[str]) -> Iterator[str]:
    """Every condition of those who are behind a warning."""
    shown = {one_condition(line.rpartition(" (")[0]) for line in told}
    if facts.verdict.outcome == "WARN":
        for seat, one in facts.counted.items():
            for condition in one.ballot.conditions:
                if facts.backs(seat, "WARN") and one_condition(condition) not in shown:
                    yield f"go ahead only if: {seat} asks that {condition!r}, and nobody is told"


def refuted_point(facts: Facts, line: str) -> Iterator[str]:
    """A point quotes its seat word for word."""
    for seat in names(line.partition(":")[0].partition(" (")[0]):
        said = [one.reply.text for one in facts.spoken if one.seat == seat]
        text = line.partition(": ")[2].removesuffix("…").strip()
        if not any(text in " ".join(words.replace('\\"', '"').split()) for words in said):
            yield f"points: {line!r}: {seat} never said it"


def quotes_of(facts: Facts) -> set[str]:
    """Whatever a seat or a provider wrote: no statement of ours."""
    found: set[str] = set()
    for one in facts.spoken:
        if one.ballot is not None:
            found |= {one.ballot.rationale, one.ballot.rationale.rstrip(".")}
            found |= {source.quote for source in one.ballot.evidence}
        if one.argument is not None:
            found |= {*one.argument.claims, *one.argument.evidence}
    found |= {one.detail for one in facts.silent}
    found |= {one.why for one in facts.found}
    return found


__all__ = ["SCALE", "plain", "quotes_of", "refuted", "refuted_rows"]
