"""Scripted speeches for trying quorate out with no model at hand: they do not answer the question and say so."""

import asyncio
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate import catalogue
from quorate.model import Approval, Ask, Estimate, Ranking, Reply, Usage
from quorate.panelists import WordListener, ignore_words

__all__ = ["Demo"]


class Demo:
    """Says the same to every question. Words are let out slowly only when somebody listens."""

    def __init__(self, pace: float = 0.03) -> None:
        self.pace = pace

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """A scripted speech for this seat and round, with its ballot where one is wanted."""
        speech = SPEECHES.get((ask.round, ask.seat.name), SPEECHES.get((ask.round, ""), OTHERWISE))
        text = speech.format(seat=ask.seat.name, about=ask.about.name if ask.about else "")
        if overheard is not ignore_words:
            for word in text.split(" "):
                overheard(word + " ")
                await asyncio.sleep(self.pace)
        if ask.wants == "decision":
            text = f"{text}\n\n{_ballot(ask, text)}"
        if ask.wants in {"finding", "quantity", "probability"}:
            stated = '"outcome": "UNDETERMINED", "confidence": 0.5, "reasoning": "scripted", "evidence": []'
            text = f'{text}\n\nFINDING {{"mark": "{ask.mark}", {stated}}}'
        form = catalogue.form(ask.wants)
        if form.vote in {Approval, Estimate, Ranking}:
            text = f"{text}\n\n{form.sample(ask.terms(ask.mark))}"
        return Reply(text=text, model="demo:scripted", usage=Usage(asked=0, answered=0, money=Fraction(0)))


def _ballot(ask: Ask, text: str) -> str:
    decision, confidence, risk = BALLOTS.get((ask.round, ask.seat.name), ("WARN", 60, 40))
    reason = text.partition(". ")[2].replace("\n", " ")
    return (
        f'BALLOT {{"mark": "{ask.mark}", "decision": "{decision}", "confidence": {confidence}, '
        f'"risk": {risk}, "reasoning": "{reason}"}}'
    )


BALLOTS: Final[Mapping[tuple[str, str], tuple[str, int, int]]] = MappingProxyType(
    {
        ("analysis", "Utility"): ("ACT", 75, 20),
        ("analysis", "Accuracy"): ("WARN", 65, 35),
        ("analysis", "Safety"): ("WARN", 70, 45),
        ("revision", "Utility"): ("WARN", 70, 25),
        ("revision", "Accuracy"): ("WARN", 68, 30),
        ("revision", "Safety"): ("WARN", 72, 40),
    }
)

SPEECHES: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("analysis", "Utility"): "This is a scripted speech. A real model would weigh here what acting gains, for whom "
        "and how soon; the script leans towards acting.",
        (
            "analysis",
            "Accuracy",
        ): "This is a scripted speech. A real model would say here what it knows, what it assumes "
        "and what it cannot verify; the script cannot verify anything.",
        ("analysis", "Safety"): "This is a scripted speech. A real model would ask here what cannot be undone and who "
        "would be harmed; the script asks for a way back before anything is done.",
        ("challenge", "Utility"): "This is a scripted challenge to {about}. Waiting costs something too: which fact, "
        "found tomorrow, would change your mind?",
        (
            "challenge",
            "Accuracy",
        ): "This is a scripted challenge to {about}. You state a number without saying where it "
        "comes from: what would you measure to get it?",
        (
            "challenge",
            "Safety",
        ): "This is a scripted challenge to {about}. Suppose you are wrong: what is the way back, "
        "and has anybody tried it?",
        ("revision", "Utility"): "This is a scripted revision. Safety asked for a way back and there is none in the "
        "script, so acting without a caution is no longer defended.",
        ("revision", "Accuracy"): "This is a scripted revision. Neither challenge brought a new fact, so the position "
        "stands, a little surer.",
        ("revision", "Safety"): "This is a scripted revision. The caution asked for has been granted, so no veto is "
        "needed.",
    }
)

OTHERWISE: Final = "This is a scripted speech by {seat}. It does not answer the question."
