"""The verdict at a glance: one line, and what stands behind it, from the one document, escaped for any screen."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from quorate.model import Convened
from quorate.views.escape import one_line

__all__ = ["Row", "demo_notice", "rows", "share", "verdict_line"]

Row = tuple[str, tuple[str, ...]]
Document = Mapping[str, Any]

SCRIPTED: Final = "This is a demo panel: its speeches are scripted and it does not answer the question."
EMBEDDED: Final = "This is a demo panel: the small model in process answers, and its opinions carry no information."
_LONGEST: Final = 80


def demo_notice(convened: Convened) -> str:
    """What a demo panel says of itself before anything else; empty for any other."""
    small = any(sat.model.startswith("embedded:") for sat in convened.seated)
    return (EMBEDDED if small else SCRIPTED) if convened.panel.demo else ""


def verdict_line(document: Document) -> str:
    """Outcome, count and id; nothing a model wrote but the outcome itself, where outcomes are open."""
    verdict = document["verdict"]
    if verdict is None:
        return f"NO VERDICT YET  {document.get('id', '')}".rstrip()
    return "  ".join(filter(None, (outcome(verdict), _counted(document, verdict), document.get("id"))))


def outcome(verdict: Document) -> str:
    """The outcome as it is shown; there may be none."""
    return one_line(verdict["outcome"], _LONGEST) if verdict["outcome"] is not None else "NO OUTCOME"


def _counted(document: Document, verdict: Document) -> str:
    notes = [_basis(document, verdict), "" if verdict["decided"] else "undecided"]
    notes.append(_reviewed(document) or ("for a person to review" if verdict["requires_human_review"] else ""))
    notes.append("demo panel" if verdict["demo"] else "")
    return ", ".join(filter(None, notes))


def _reviewed(document: Document) -> str:
    """What a person said last; nothing that only waits for one."""
    review = document.get("review")
    if review is None or review["state"] != "given":
        return ""
    return f"{one_line(review['by'], _LONGEST)} reviewed it: {one_line(review['outcome'], _LONGEST)}"


def _basis(document: Document, verdict: Document) -> str:
    if document.get("state") == "turned_away":
        return "the question was turned away"
    vetoes = [one_line(vote["seat"], _LONGEST) for vote in verdict["votes"] if vote["choice"] == "VETO"]
    if vetoes:
        return f"veto by {_and(vetoes)}"
    rule, stated = (
        f"rule {one_line(verdict['rule'], _LONGEST)}",
        [vote for vote in verdict["votes"] if not vote["assumed"]],
    )
    assumed = len(verdict["votes"]) - len(stated)
    if not stated:
        return f"no seat answered, {rule}"
    if any("strength" in vote for vote in stated):
        return f"{_strengths(stated)}, confidence {share(verdict['confidence'])}, {rule}"
    behind = sum(vote["choice"] == verdict["outcome"] for vote in stated)
    counted = f"{behind} of {verdict['participation']['eligible']} seats" if verdict["decided"] else _split(stated)
    agreed = f"agreement {share(verdict['agreement'])}" if verdict["decided"] else ""
    return ", ".join(filter(None, (counted, f"{assumed} assumed" if assumed else "", agreed, rule)))


def _strengths(votes: Sequence[Document]) -> str:
    """What the arguments of each side weigh together, in the order the sides first spoke."""
    if all(vote["evidence_quality"] is None for vote in votes):
        return "no round with both sides"
    sides = dict.fromkeys(one_line(vote["choice"], _LONGEST) for vote in votes)
    sums = {side: sum(vote["strength"] for vote in votes if vote["choice"] == side) for side in sides}
    return "strength " + " to ".join(f"{weight:.2f} {side}" for side, weight in sums.items())


def _split(votes: Sequence[Document]) -> str:
    """How the stated votes fell, in the order they were cast: 1 ACT, 2 WARN."""
    counts = Counter(one_line(vote["choice"], _LONGEST) for vote in votes)
    return ", ".join(f"{number} {choice}" for choice, number in counts.items())


def rows(document: Document) -> tuple[Row, ...]:
    """Everything else a reader should know, label by label; labels without anything to say are left out."""
    verdict = document["verdict"]
    if verdict is None:
        return (*_costs(document),)
    doubts = (*_doubts(verdict), ("review", _reviews(document)), ("withstands", [verdict["withstands"]["sentence"]]))
    found = (*_reasons(verdict), *_votes(verdict), *doubts, *_costs(document))
    return tuple((label, tuple(one_line(line) for line in lines)) for label, lines in found if lines)


def _reasons(verdict: Document) -> Iterator[tuple[str, Sequence[str]]]:
    yield "because", [verdict["because"]]
    yield "rule", [f"{verdict['rule']}{'' if verdict['decided'] else ' (undecided)'}"]
    yield "agreement", [share(verdict["agreement"])]
    yield "confidence", [share(verdict["confidence"])]


def _votes(verdict: Document) -> Iterator[tuple[str, Sequence[str]]]:
    yield "votes", [_vote(vote) for vote in verdict["votes"]]
    yield "dissent", [_and(verdict["dissent"]) if verdict["dissent"] else "none"] if verdict["votes"] else []
    sealed = verdict["sealed"]
    if sealed is not None:
        yield "sealed vote", [f"{sealed['outcome']} before the discussion"] if sealed["outcome"] is not None else []
        yield "changed", [_change(change) for change in sealed["changed"]] or ["nobody"]


def _vote(vote: Document) -> str:
    if vote["assumed"]:
        return f"{vote['seat']}: {vote['choice']} (assumed; {vote['reason']})"
    numbers = [f"{share(vote['confidence'])} sure"] if vote["confidence"] is not None else []
    numbers += [f"risk {share(vote['risk'])}"] if vote["risk"] is not None else []
    if "strength" in vote:
        numbers.append(_marks(vote))
    stated = f" ({', '.join(numbers)})" if numbers else ""
    where = f", round {vote['round']}" if "round" in vote else ""
    return f"{vote['seat']}{where}: {vote['choice']}{stated}"


def _marks(vote: Document) -> str:
    if vote["evidence_quality"] is None:
        return "not counted: the other side was silent"
    marks = f"evidence {vote['evidence_quality']:.2f}, logic {vote['logical_consistency']:.2f}"
    return f"{marks}, strength {vote['strength']:.2f}"


def _change(change: Document) -> str:
    after = f" after hearing {_and(change['heard'])}" if change["heard"] else ""
    return f"{change['seat']}: {change['from']} → {change['to']}{after}"


def _doubts(verdict: Document) -> Iterator[tuple[str, Sequence[str]]]:
    yield "cautions", [f"{caution['name']}: {caution['text']}" for caution in verdict["cautions"]]


def _reviews(document: Document) -> list[str]:
    review = document.get("review")
    if review is None or review["state"] != "given":
        asked = document["verdict"]["requires_human_review"]
        return ["a person should look at this before anything is done"] if asked else []
    return [_review(review), *(f"before that, {_review(one)}" for one in review["earlier"])]


def _review(review: Document) -> str:
    when = f" at {review['at'][:16].replace('T', ' ')}" if review["at"] else ""
    return f"{review['by']} said {review['outcome']}{when}: {review['because']}"


def _costs(document: Document) -> Iterator[Row]:
    if "cost" in document:
        cost = document["cost"]
        tokens = "unknown" if cost["tokens"] is None else f"{cost['tokens']:,}"
        money = "price unknown" if cost["money"] is None else f"${cost['money']:.4f}"
        yield "cost", (f"{cost['calls']} calls, {tokens} tokens{_uncounted(cost)}, {money}",)
        yield "time", (f"{document['seconds']:.1f} s",)
    if "id" in document:
        yield "id", (document["id"],)


def _uncounted(cost: Document) -> str:
    replies = cost.get("uncounted", 0)
    return (
        f" ({replies} {'reply gives' if replies == 1 else 'replies give'} no count that can be used)" if replies else ""
    )


def share(value: float | None) -> str:
    """A share of the document as people write it: 66.7 %."""
    return "none" if value is None else f"{value * 100:.1f}".removesuffix(".0") + " %"


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
