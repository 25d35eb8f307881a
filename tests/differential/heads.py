"""The second implementation, where every seat has one vote: tribunal, strict, conference."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from tests.differential.case import Answer, Case, Word, mean

THIRDS = Fraction(2, 3)


def tribunal(case: Case) -> Answer:
    """Veto, all silent, unanimous, two thirds, ACT and REFUSE tied, else WARN; and what may not become ACT."""
    votes, stated = _decisions(case)
    found = _vetoed_or_silent(case) or _tribunal_count(case, votes, stated)
    return _held(case, _with_figures(case, found, votes, stated), silent_veto=True)


def _tribunal_count(case: Case, votes: dict[str, str], stated: dict[str, str]) -> Answer:
    total = len(case.voters)
    heads = {option: sum(vote == option for vote in votes.values()) for option in ("ACT", "WARN", "REFUSE")}
    for option, count in heads.items():
        if len(stated) == total and count == total:
            return Answer(option, decided=True, rule="unanimous")
    for option, count in heads.items():
        if 3 * count >= 2 * total:
            return Answer(option, decided=True, rule="supermajority")
    if heads["ACT"] == heads["REFUSE"] > heads["WARN"]:
        return Answer("REFUSE", decided=False, rule="tie")
    return Answer("WARN", decided=False, rule="hold")


def strict(case: Case) -> Answer:
    """The first that fits of the strict rulebook."""
    votes, stated = _decisions(case)
    found = _vetoed_or_silent(case) or _strict_count(case, stated)
    return _held(case, _with_figures(case, found, votes, stated), silent_veto=False)


def _strict_count(case: Case, stated: dict[str, str]) -> Answer:
    total, words = len(case.voters), [case.last[seat] for seat in stated]
    act, warn = (sum(vote == option for vote in stated.values()) for option in ("ACT", "WARN"))
    if len(stated) < total:
        return Answer("REFUSE", decided=False, rule="any_silent")
    if any(word.confidence is None or word.confidence < Fraction(40, 100) for word in words):
        return Answer("REFUSE", decided=False, rule="unsure")
    if 100 * act > 80 * total and all(word.risk is not None and word.risk < Fraction(30, 100) for word in words):
        return Answer("ACT", decided=True, rule="safe_act")
    if 100 * (act + warn) >= 60 * total:
        return Answer("WARN", decided=True, rule="short_of_refusal")
    return Answer("REFUSE", decided=False, rule="hold")


def _decisions(case: Case) -> tuple[dict[str, str], dict[str, str]]:
    """Every seat's vote, REFUSE for the silent ones, and those that were stated."""
    stated = {seat: _decision(case.last[seat]) for seat in case.voters if seat in case.last}
    return {seat: stated.get(seat, "REFUSE") for seat in case.voters}, stated


def _decision(word: Word) -> str:
    return "REFUSE" if word.veto else word.choice


def _vetoed_or_silent(case: Case) -> Answer | None:
    powers = {chair.name for chair in case.chairs if chair.vetoes and chair.votes}
    if any(case.last[seat].veto for seat in case.last if seat in powers):
        return Answer("REFUSE", decided=True, rule="veto")
    if not any(seat in case.last for seat in case.voters):
        return Answer("REFUSE", decided=False, rule="all_silent")
    return None


def _with_figures(case: Case, found: Answer, votes: dict[str, str], stated: dict[str, str]) -> Answer:
    most = max(sum(vote == option for vote in votes.values()) for option in ("ACT", "WARN", "REFUSE"))
    none = found.rule in {"veto", "all_silent"}
    agreement = None if none else Fraction(most, len(case.voters))
    return Answer(
        found.outcome, found.decided, found.rule, agreement, _sure(case, stated, found.outcome), review=found.review
    )


def _sure(case: Case, stated: dict[str, str], outcome: str | None) -> Fraction | None:
    sure = [case.last[seat].confidence for seat, vote in stated.items() if vote == outcome]
    return mean([number for number in sure if number is not None])


def _held(case: Case, found: Answer, *, silent_veto: bool) -> Answer:
    """What would be ACT becomes WARN for a demo, a silent seat with the veto, or a sealed vote against it."""
    if found.outcome != "ACT":
        return found
    absent = [chair.name for chair in case.chairs if chair.vetoes and chair.votes and chair.name not in case.last]
    sealed = case.rounds[0] if len(case.rounds) > 1 else {}
    against = sum(_decision(sealed[seat]) != "ACT" for seat in case.voters if seat in sealed)
    rule = "demo" if case.demo else ""
    rule = rule or ("veto_seat_silent" if silent_veto and absent else "")
    rule = rule or ("sealed_vote" if 3 * against >= 2 * len(case.voters) else "")
    if not rule:
        return found
    _, stated = _decisions(case)
    return Answer("WARN", False, rule, found.agreement, _sure(case, stated, "WARN"), review=True)


def conference(case: Case) -> Answer:
    """Latest votes, grouped; where a pair of options may or may not be one, the count that decides less."""
    held = {word.choice for word in latest(case).values()}
    grey = [pair for pair, score in case.alike.items() if score in {None, Fraction(69, 100)} and held.issuperset(pair)]
    apart = _conference_count(case, _groups(case, frozenset()))
    picks = [frozenset(pick) for size in range(1, len(grey) + 1) for pick in combinations(grey, size)]
    named = [_groups(case, pick) for pick in picks]
    others = [(_conference_count(case, names), names) for names in named]
    differ = [found for found, names in others if found.outcome != (apart.outcome and names[apart.outcome])]
    if not differ:
        return apart
    least = next((answer for answer in differ if answer.outcome is None), apart) if apart.outcome else apart
    return replace(least, review=True)


def latest(case: Case) -> dict[str, Word]:
    """Each voter's latest word; a silent seat keeps what it said before."""
    found: dict[str, Word] = {}
    for spoken in case.rounds:
        found |= {seat: word for seat, word in spoken.items() if seat in case.voters}
    return found


def _conference_count(case: Case, named: dict[str, str]) -> Answer:
    words = {seat: word for seat, word in latest(case).items() if not word.abstain}
    votes = {seat: named[word.choice] for seat, word in words.items()}
    total = len(case.voters)
    heads = {option: sum(vote == option for vote in votes.values()) for option in set(votes.values())}
    most = max(heads.values(), default=0)
    leaders = [option for option, count in heads.items() if count == most]
    agreement = Fraction(most, total) if votes else None
    if not votes:
        return Answer(None, decided=False, rule="all_silent")
    if not 2 * len(votes) > total:
        return Answer(None, decided=False, rule="quorum", agreement=agreement)
    if len(leaders) > 1:
        return Answer(None, decided=False, rule="no_winner", agreement=agreement)
    winner = leaders[0]
    sure = [words[seat].confidence for seat, vote in votes.items() if vote == winner]
    rule = "unanimous" if most == total else "plurality"
    return Answer(winner, True, rule, agreement, mean([one for one in sure if one is not None]))


def _groups(case: Case, joined: frozenset[tuple[str, str]]) -> dict[str, str]:
    """The name under which each option counts: complete linkage, the most alike pair first."""
    seen = options_seen(case)
    groups = [[option] for option in seen]
    score = {frozenset(pair): number for pair, number in case.alike.items()}

    def like(a: str, b: str) -> Fraction:
        number = score.get(frozenset((a, b)))
        is_joined = (a, b) in joined or (b, a) in joined
        if number is None:
            return Fraction(9, 10) if is_joined else Fraction(-1)
        return max(number, Fraction(7, 10)) if is_joined else number

    pairs = sorted(combinations(seen, 2), key=lambda pair: (-like(*pair), *sorted(pair)))
    for a, b in pairs:
        one, other = (next(group for group in groups if option in group) for option in (a, b))
        if one is not other and all(like(x, y) >= Fraction(7, 10) for x in one for y in other):
            groups = [group for group in groups if group is not one and group is not other] + [one + other]
    return {option: min(group, key=seen.index) for group in groups for option in group}


def options_seen(case: Case) -> list[str]:
    """The options named in any round, in the order of the rounds, then of the seats."""
    words = (spoken[seat] for spoken in case.rounds for seat in case.voters if seat in spoken)
    return list(dict.fromkeys(word.choice for word in words if not word.abstain))
