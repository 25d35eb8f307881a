"""The verdict at a glance: one line, and what stands behind it, escaped for any screen."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate import catalogue
from quorate.analysis.ballot_cautions import confidence_band
from quorate.analysis.debate_margin import plainly
from quorate.errors import QuorateError
from quorate.model import Approval, Change, Convened, Estimate, Ranking, Verdict, Voice
from quorate.model.events import Interface
from quorate.model.numbers import decimal
from quorate.model.panel import name_list
from quorate.model.verdict import HELD
from quorate.rules import rulebook_origin
from quorate.views.close_votes import close_lines
from quorate.views.document import number
from quorate.views.escape import one_line
from quorate.views.point_lines import conditions, quoted_point
from quorate.views.result import Cost, Decision, Result, Review, RightOutcome

__all__ = [
    "Row",
    "card_lines",
    "card_text",
    "demo_notice",
    "dollars",
    "held_back",
    "outcome",
    "own_words",
    "portion",
    "rows",
    "share",
    "verdict_line",
]

_ORIGINS: Final = MappingProxyType({"own": "this panel's own", "changed": "with other settings than it ships with"})
"""What is said of a rulebook that does not ship as it stands."""

Row = tuple[str, tuple[str, ...]]

SCRIPTED: Final = "This is a demo panel: its speeches are scripted and it does not answer the question."
EMBEDDED: Final = "This is a demo panel: the small model in process answers, and its opinions carry no information."
DEMONSTRATION: Final = "this is a demonstration: the verdict says nothing about the question"
BEFORE: Final = " (what the votes cast before the discussion came to)"
_LONGEST: Final = 80
_MOST_NAMED: Final = 7
"""Options or seats that one line names; of more it says how many."""
_NOT_BY_STRENGTH: Final = frozenset({"evidence_based", "majority_vote"})
"""Rules of a debate that go by another sum; their reason names it first."""


def demo_notice(convened: Convened) -> str:
    """What a demo panel says of itself before anything else; empty for any other."""
    small = any(sat.model.startswith("embedded:") for sat in convened.seated)
    return (EMBEDDED if small else SCRIPTED) if convened.panel.demo else ""


def verdict_line(result: Result) -> str:
    """Outcome, count and id; nothing a model wrote but the outcome itself, where outcomes are open."""
    decision = result.decision
    if decision is None:
        return f"{result.without_verdict}  {result.id}".rstrip()
    return "  ".join(filter(None, (outcome(decision.verdict), _counted(result, decision), result.id)))


def outcome(verdict: Verdict) -> str:
    """The outcome as it is shown; there may be none."""
    return one_line(verdict.outcome, _LONGEST) if verdict.outcome is not None else "NO OUTCOME"


def _counted(result: Result, decision: Decision) -> str:
    verdict, review = decision.verdict, result.review
    asked = "for a person to review" if verdict.requires_human_review else ""
    notes = [_basis(result, decision), "" if verdict.decided else _undecided(decision)]
    notes.append(asked if review is None else _reviewed(review))
    origin = rulebook_origin(decision.rulebook, decision.protocol)
    notes.append(f"{origin} rulebook {one_line(decision.rulebook.name, _LONGEST)}" if origin in _ORIGINS else "")
    notes.append("demo panel" if decision.tally.demo and not held_back(decision) else "")
    return ", ".join(filter(None, notes))


def _undecided(decision: Decision) -> str:
    """That nothing was decided, and where the outcome comes from all the same; what was held back says so itself."""
    by_default = decision.verdict.outcome is not None and not held_back(decision)
    return f"undecided, so {outcome(decision.verdict)} by default" if by_default else "undecided"


def _reviewed(review: Review) -> str:
    return f"{one_line(review.by, _LONGEST)} reviewed it: {one_line(review.outcome, _LONGEST)}"


def _basis(result: Result, decision: Decision) -> str:
    verdict, votes = decision.verdict, decision.votes
    if result.state == "turned_away":
        return "the question was turned away"
    vetoes = _vetoes(decision)
    if vetoes:
        return f"veto by {name_list(vetoes)}"
    rule, stated = f"rule {one_line(verdict.rule, _LONGEST)}", [vote for vote in votes if not vote.assumed]
    if not stated:
        sealed = decision.tally.sealed
        return f"{'no final ballot' if sealed and sealed.stated() else 'no ballot that counts'}, {rule}"
    return f"{held_back(decision) or _backing(decision, stated)}, {rule}"


def _vetoes(decision: Decision) -> list[str]:
    """Who decided it by a veto; under a rulebook without such a rule a veto is a vote like any other."""
    try:
        by_veto = catalogue.rule(decision.verdict.rule).power
    except QuorateError:
        by_veto = False
    return [one_line(vote.seat, _LONGEST) for vote in decision.votes if by_veto and vote.choice == "VETO"]


def held_back(decision: Decision) -> str:
    """What the votes came to, and why a cap made something more careful of it; empty where none did."""
    spoke = [trace.said for trace in decision.verdict.trace if trace.said]
    if not spoke[1:]:
        return ""
    said = spoke[1].removeprefix(f"{spoke[0]}{HELD}")
    before = replace(decision, verdict=decision.before_caps)
    stated = [vote for vote in before.votes if not vote.assumed]
    what = "arguments" if decision.tally.sides else "votes"
    came = f"the {what} came to {outcome(before.verdict)} ({_backing(before, stated)})"
    return f"held: {came}, but {one_line(said.rpartition(', so ')[0] or said)}"


def _backing(decision: Decision, stated: Sequence[Voice]) -> str:
    """What the stated votes say for the outcome: the weight of their arguments, their rankings, or their number."""
    if any(vote.round for vote in stated):
        return f"{_weighed(decision.verdict, stated)}, confidence {portion(decision.verdict.confidence)}"
    if any(isinstance(vote.vote, Ranking) for vote in stated):
        return _ranked(decision, stated)
    return ", ".join(_support(decision, stated))


def _ranked(decision: Decision, votes: Sequence[Voice]) -> str:
    """How many seats rank the outcome first, equals included; without one, how many ranked at all."""
    outcome, seats = decision.verdict.outcome, f"of {_seats(decision)}"
    if not decision.verdict.decided or outcome is None:
        return f"{len(votes)} {seats} ranked the options"
    rankings = (vote.vote.ranking for vote in votes if isinstance(vote.vote, Ranking))
    return f"first for {sum(outcome in place for ranking in rankings for place in ranking[:1])} {seats}"


def _seats(decision: Decision) -> str:
    seats = len(decision.tally.eligible)
    return "1 seat" if seats == 1 else f"{seats} seats"


def _support(decision: Decision, stated: Sequence[Voice]) -> Iterator[str]:
    """How many seats stand behind the outcome, how many of them were assumed, and how far they agree."""
    verdict, assumed = decision.verdict, len(decision.votes) - len(stated)
    behind = sum(vote.seat not in verdict.dissent for vote in stated)
    yield f"{behind} of {_seats(decision)}" if verdict.decided else _split(stated)
    if assumed:
        yield f"{assumed} silent and counted as {one_line(decision.rulebook.silence, _LONGEST)}"
    if verdict.decided and verdict.agreement is not None:
        yield f"agreement {portion(verdict.agreement)}{_agreed(decision)}"


def _weighed(verdict: Verdict, votes: Sequence[Voice]) -> str:
    """What the arguments of each side weigh together, in the order the sides first spoke; or what the rule went by."""
    if all(vote.quality is None for vote in votes):
        return "no round with both sides"
    if verdict.rule in _NOT_BY_STRENGTH:
        return one_line(verdict.because.partition("; ")[0])
    sums: dict[str, Fraction] = {}
    for vote in votes:
        side = one_line(vote.option, _LONGEST)
        sums[side] = sums.get(side, Fraction(0)) + vote.weight
    return "strength " + " to ".join(f"{plainly(weight)} {side}" for side, weight in sums.items())


def _choices(vote: Voice) -> tuple[str, ...]:
    """Every option a vote approves of, or the vote in words."""
    if isinstance(vote.vote, Approval):
        return vote.vote.approved or ("for none of them",)
    return (vote.choice,)


def _split(votes: Sequence[Voice]) -> str:
    """How the stated votes fell, in the order they were cast: 1 ACT, 2 WARN. Of several numbers, how far apart."""
    numbers = sorted(vote.vote.value for vote in votes if isinstance(vote.vote, Estimate))
    if numbers[1:]:
        return f"{len(numbers)} numbers from {decimal(numbers[0])} to {decimal(numbers[-1])}"
    if numbers:
        return f"1 number, {decimal(numbers[0])}"
    counts = Counter(one_line(choice, _LONGEST) for vote in votes for choice in _choices(vote))
    told = counts.most_common(_MOST_NAMED) if len(counts) > _MOST_NAMED else list(counts.items())
    more = f" and {len(counts) - len(told)} other options" if len(counts) > len(told) else ""
    return ", ".join(f"{number} {choice}" for choice, number in told) + more


def rows(result: Result) -> tuple[Row, ...]:
    """Everything else a reader should know, label by label; labels without anything to say are left out."""
    decision = result.decision
    if decision is None:
        failed, right = [one.sentence for one in result.failures], [_turned_out(one) for one in result.outcomes[-1:]]
        found: tuple[tuple[str, Sequence[str]], ...] = (("because", failed), ("turned out", right), *_costs(result))
    else:
        found = (
            *_reasons(decision),
            *_doubts(result, decision),
            *_votes(decision),
            *_figures(decision),
            ("files read", result.files),
            ("looked up", result.lookups),
            *result.learned,
            *_costs(result),
        )
    return tuple((label, tuple(one_line(line) for line in lines)) for label, lines in found if lines)


def card_lines(result: Result) -> Iterator[str]:
    """The card without a frame: a label, then its lines."""
    for label, lines in rows(result):
        for place, line in enumerate(lines):
            yield f"{label if place == 0 else '':<12}{line}"


def card_text(result: Result) -> str:
    """The verdict and the card, as plain text."""
    return "\n".join((verdict_line(result), *card_lines(result)))


def _reasons(decision: Decision) -> Iterator[tuple[str, Sequence[str]]]:
    yield "demo", [DEMONSTRATION] if decision.tally.demo else []
    yield "because", [decision.verdict.because]
    yield "go ahead only if", conditions(decision.verdict)
    yield "points", [quoted_point(decision, point) for point in decision.verdict.points if point.kind != "condition"]


def _doubts(result: Result, decision: Decision) -> Iterator[tuple[str, Sequence[str]]]:
    """What changes how to take the verdict; on a demo panel it makes no difference who could decide alone."""
    yield "cautions", [f"{caution.name}: {caution.text}" for caution in decision.verdict.cautions]
    yield "review", _reviews(result, decision)
    yield "turned out", [_turned_out(one) for one in result.outcomes[-1:]]
    yield "close", close_lines(decision)
    yield "weak spots", [decision.tolerance.notice] if decision.tolerance.notice and not decision.tally.demo else []


def _figures(decision: Decision) -> Iterator[tuple[str, Sequence[str]]]:
    verdict, origin = decision.verdict, rulebook_origin(decision.rulebook, decision.protocol)
    yield "rule", [f"{verdict.rule}{_held(verdict)}{'' if verdict.decided else ' (undecided)'}"]
    yield "rulebook", [f"{decision.rulebook.name}, {_ORIGINS[origin]}"] if origin in _ORIGINS else []
    if verdict.agreement is not None:
        yield "agreement", [portion(verdict.agreement) + (_first(decision) or _agreed(decision))]
    if verdict.confidence is not None:
        yield "confidence", [f"{portion(verdict.confidence)} ({confidence_band(verdict.confidence)})"]


def _held(verdict: Verdict) -> str:
    """Which rule had decided, where a cap made its outcome a more careful one."""
    spoke = [trace.rule for trace in verdict.trace if trace.said]
    return f", which held back what {spoke[0]} decided" if spoke[1:] else ""


def _agreed(decision: Decision) -> str:
    """On what the seats agree, where that is not the outcome."""
    choice, came_out = decision.agreed_on, decision.verdict.outcome
    if not choice or choice == came_out:
        return ""
    return f" on {choice}" if came_out is None else f" on {choice}, not on {came_out}"


def _first(decision: Decision) -> str:
    """What a share of the seats says of an outcome that need not be anybody's first choice."""
    ranked = any(isinstance(vote.vote, Ranking) for vote in decision.votes)
    return " of the seats rank it first" if ranked and decision.verdict.agreement is not None else ""


def _votes(decision: Decision) -> Iterator[tuple[str, Sequence[str]]]:
    yield "votes", [_vote(vote) for vote in decision.votes]
    yield "counted as one", [" and ".join(f'"{one}"' for one in words) for words in decision.tally.merged.values()]
    yield "no vote", decision.without_vote_lines
    yield "dissent", _dissent(decision)
    sealed = decision.sealed
    if sealed is not None:
        yield "sealed vote", [f"{sealed.outcome}{BEFORE}"] if sealed.outcome is not None else []
        yield "changed", [_change(change) for change in decision.tally.changes] or ["nobody"]


def _dissent(decision: Decision) -> list[str]:
    """Who voted otherwise; where nothing was decided there is nothing to dissent from, and nobody is said to agree."""
    verdict = decision.verdict
    if verdict.dissent:
        return [name_list(verdict.dissent)]
    return ["none"] if verdict.decided and decision.tally.stated() else []


def _vote(vote: Voice) -> str:
    if vote.assumed:
        return f"{vote.seat}: {vote.choice} (assumed; {vote.reason})"
    numbers = [f"{portion(vote.confidence)} sure"] if vote.confidence is not None else []
    numbers += [f"risk {portion(vote.risk)}"] if vote.risk is not None else []
    if vote.round:
        numbers.append(_marks(vote))
    stated = f" ({', '.join(numbers)})" if numbers else ""
    where = f", round {vote.round}" if vote.round else ""
    return f"{vote.seat}{where}: {own_words(vote)}{stated}"


def own_words(vote: Voice) -> str:
    """What a seat chose in its own words, and what that counts as where options were merged."""
    return f"{vote.words}, counts as {vote.choice}" if vote.is_merged else vote.choice


def _marks(vote: Voice) -> str:
    if vote.quality is None:
        return "not counted: the other side was silent"
    marks = f"evidence {plainly(vote.quality)}, logic {plainly(vote.consistency or Fraction(0))}"
    return f"{marks}, strength {plainly(vote.weight)}"


def _change(change: Change) -> str:
    after = f" after hearing {name_list(change.heard)}" if change.heard else ""
    return f"{change.seat}: {change.was} → {change.now}{after}"


def _reviews(result: Result, decision: Decision) -> list[str]:
    if not result.reviews:
        asked = decision.verdict.requires_human_review
        return ["a person should look at this before anything is done"] if asked else []
    latest, *earlier = map(_review, reversed(result.reviews))
    return [latest, *(f"before that, {one}" for one in earlier)]


def _review(review: Review) -> str:
    when = f" at {review.at[:16].replace('T', ' ')}" if review.at else ""
    how = "" if review.origin.may_loosen else f" ({_BY_INTERFACE[review.origin.interface]}: can't open a gate)"
    return f"{review.by} said {review.outcome}{when}{how}: {review.because}"


_BY_INTERFACE: Final[Mapping[Interface, str]] = MappingProxyType(
    {
        "terminal": "at a terminal",
        "command": "by a command nobody confirmed",
        "page": "on the owner's page",
        "api": "through the API",
        "mcp": "through MCP",
        "python": "from Python",
        "langgraph": "from LangGraph",
        "imported": "imported with the record",
    }
)
"""How a review came, in words."""


def _turned_out(one: RightOutcome) -> str:
    by = f", says {one.by}" if one.by else ""
    when = f" at {one.at[:16].replace('T', ' ')}" if one.at else ""
    return f"{one.value} was right{by}{when}{f': {one.because}' if one.because else ''}"


def _costs(result: Result) -> Iterator[Row]:
    cost = result.cost
    if cost is not None:
        tokens = "unknown" if cost.tokens is None else f"{cost.tokens:,}"
        demo = result.decision is not None and result.decision.tally.demo
        paid = "" if demo and not cost.money else f", {dollars(cost.money)}"
        again = f" ({cost.resent} of them sent again)" if cost.resent else ""
        yield "cost", (f"{cost.calls} calls{again}, {tokens} tokens{_uncounted(cost)}{paid}",)
        yield "time", (f"{round(result.seconds, 3):.1f} s",)
    if result.id:
        yield "id", (result.id,)


def dollars(money: Fraction | None) -> str:
    """What was paid, in words where it is nothing, next to nothing or unknown."""
    if money is None:
        return "price unknown"
    if not money:
        return "free"
    return f"${float(money):.4f}" if money >= _LEAST else "less than $0.0001"


_LEAST: Final = Fraction(1, 20000)


def _uncounted(cost: Cost) -> str:
    gives = "reply gives" if cost.uncounted == 1 else "replies give"
    return f" ({cost.uncounted} {gives} no count that can be used)" if cost.uncounted else ""


def portion(value: Fraction | None) -> str:
    """A share as people write it: 66.7 %."""
    return share(number(value))


def share(value: float | None) -> str:
    """The same of a number that was read from JSON or goes into it."""
    return "none" if value is None else f"{value * 100:.1f}".removesuffix(".0") + " %"
