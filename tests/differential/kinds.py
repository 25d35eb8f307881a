"""The second implementation, where a vote is an order, a set or a number: ranked, approval, Delphi."""

from fractions import Fraction

from tests.differential.case import Answer, Case, Word, mean
from tests.differential.heads import latest


def ranked(case: Case) -> Answer:
    """More than half must have ranked; then whoever the rulebook names."""
    words = {seat: word for seat, word in latest(case).items() if not word.abstain}
    if not words:
        return Answer(None, decided=False, rule="all_silent")
    if not 2 * len(words) > len(case.voters):
        return Answer(None, decided=False, rule="quorum")
    ballots = {seat: complete(word, case.options) for seat, word in words.items()}
    winners = {"condorcet": _condorcet, "borda": _borda, "instant_runoff": _runoff}[case.rulebook](
        list(ballots.values()), case.options
    )
    if len(winners) != 1:
        return Answer(None, decided=False, rule=case.rulebook)
    winner = winners[0]
    behind = [seat for seat, ballot in ballots.items() if winner in ballot[0]]
    sure = [words[seat].confidence for seat in behind]
    confidence = mean([one for one in sure if one is not None])
    return Answer(winner, True, case.rulebook, Fraction(len(behind), len(case.voters)), confidence)


Ballot = list[list[str]]


def complete(word: Word, options: tuple[str, ...]) -> Ballot:
    """The ranking with what it leaves out in one last place."""
    named = [option for place in word.ranking for option in place]
    missing = [option for option in options if option not in named]
    return [list(place) for place in word.ranking] + ([missing] if missing else [])


def _place(ballot: Ballot, option: str) -> int:
    return next(number for number, place in enumerate(ballot) if option in place)


def _condorcet(ballots: list[Ballot], options: tuple[str, ...]) -> list[str]:
    over = {
        (a, b): sum(_place(ballot, a) < _place(ballot, b) for ballot in ballots)
        for a in options for b in options if a != b
    }  # fmt: skip
    every = [a for a in options if all(over[a, b] > over[b, a] for b in options if b != a)]
    if every:
        return every
    return [
        a
        for a in options
        if all(_beatpath(over, options, a, b) >= _beatpath(over, options, b, a) for b in options if b != a)
    ]


def _beatpath(over: dict[tuple[str, str], int], options: tuple[str, ...], a: str, b: str) -> int:
    """The strongest path of wins from a to b: a path is as strong as its weakest win, in winning votes."""
    best = 0
    stack: list[tuple[str, int, tuple[str, ...]]] = [(a, 10**9, (a,))]
    while stack:
        here, strength, seen = stack.pop()
        for there in options:
            if there not in seen and over[here, there] > over[there, here]:
                reach = min(strength, over[here, there])
                if there == b:
                    best = max(best, reach)
                else:
                    stack.append((there, reach, (*seen, there)))
    return best


def _borda(ballots: list[Ballot], options: tuple[str, ...]) -> list[str]:
    points = {option: Fraction(0) for option in options}
    for ballot in ballots:
        for a in options:
            for b in options:
                if a != b:
                    mine, theirs = _place(ballot, a), _place(ballot, b)
                    points[a] += 1 if mine < theirs else Fraction(1, 2) if mine == theirs else 0
    return [option for option in options if points[option] == max(points.values())]


def _runoff(ballots: list[Ballot], options: tuple[str, ...]) -> list[str]:
    left = list(options)
    while True:
        held = {option: Fraction(0) for option in left}
        for ballot in ballots:
            first = next(kept for place in ballot if (kept := [option for option in place if option in left]))
            for option in first:
                held[option] += Fraction(1, len(first))
        ahead = [option for option in left if 2 * held[option] > len(ballots)]
        if ahead:
            return ahead
        fewest = [option for option in left if held[option] == min(held.values())]
        others = [held[option] for option in left if option not in fewest]
        if len(fewest) > 1 and not (others and sum(held[option] for option in fewest) < min(others)):
            return left
        left = [option for option in left if option not in fewest]


def approval(case: Case) -> Answer:
    """The option that most seats approve of, if it is one."""
    words = {seat: word for seat, word in latest(case).items() if not word.abstain}
    if not words:
        return Answer(None, decided=False, rule="all_silent")
    if not 2 * len(words) > len(case.voters):
        return Answer(None, decided=False, rule="quorum")
    heads = {option: sum(option in word.approved for word in words.values()) for option in case.options}
    leaders = [option for option in heads if heads[option] == max(heads.values()) > 0]
    least = Fraction(case.settings.get("at_least", "0"))
    if len(leaders) != 1 or heads[leaders[0]] < least * len(case.voters):
        return Answer(None, decided=False, rule="none_most_approved")
    winner = leaders[0]
    sure = [word.confidence for word in words.values() if winner in word.approved]
    share = Fraction(heads[winner], len(case.voters))
    return Answer(winner, True, "most_approved", share, mean([one for one in sure if one is not None]))


FAR = Fraction(10**30)


def delphi(case: Case) -> Answer:
    """The median, if the middle half lies close together wherever the silent seats might have stood.

    The farthest that the quartiles could lie apart is measured by the smallest that the median could be.
    """
    words = {seat: word for seat, word in latest(case).items() if not word.abstain}
    if not words:
        return Answer(None, decided=False, rule="all_silent")
    if not 2 * len(words) > len(case.voters):
        return Answer(None, decided=False, rule="quorum")
    values = [word.value for word in words.values()]
    middle, within = quantile(values, Fraction(1, 2)), Fraction(case.settings.get("within", "1/10"))
    missing = len(case.voters) - len(values)
    worlds = [values + [FAR] * high + [-FAR] * (missing - high) for high in range(missing + 1)]
    apart = max(quantile(world, Fraction(3, 4)) - quantile(world, Fraction(1, 4)) for world in worlds)
    medians = sorted(quantile(world, Fraction(1, 2)) for world in worlds)
    smallest = min(map(abs, medians)) if medians[0] > 0 or medians[-1] < 0 else 0
    close = apart <= within * smallest
    if len(values) < 2 or not close:
        return Answer(None, decided=False, rule="no_agreement")
    near = [word for word in words.values() if abs(word.value - middle) <= within * abs(middle)]
    sure = mean([word.confidence for word in near if word.confidence is not None])
    return Answer(shown(middle), True, "close_median", Fraction(len(near), len(case.voters)), sure)


def quantile(values: list[Fraction], share: Fraction) -> Fraction:
    """Between the two nearest values in order, in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def shown(number: Fraction) -> str:
    """A number in decimal digits, none of them needless; the cases have few."""
    if number.denominator == 1:
        return str(number.numerator)
    digits = next(size for size in range(1, 30) if (number * 10**size).denominator == 1)
    whole = f"{abs(number * 10**digits).numerator:0{digits + 1}d}"
    return f"{'-' if number < 0 else ''}{whole[:-digits]}.{whole[-digits:]}"
