"""Ledgers with decisions in them, for tests of what is made of earlier ones."""

from typing import Any

from quorate import deliberate
from quorate.doors.python import Deliberation
from quorate.ledger import Ledger
from quorate.model import Ask, Question, Reply
from quorate.panelists import WordListener, ignore_words
from quorate.testing import ballot

SEATS = ("Utility", "Accuracy", "Safety")
STAGING = "Should we delete the staging database?"


class Chooses:
    """Chooses the same for every seat, and keeps the prompts it was given."""

    def __init__(self, choice: str, reason: str = "as said", confidence: int = 90) -> None:
        self._said = (choice, confidence, 10, reason)
        self.prompts: list[str] = []

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Vote where a vote is wanted."""
        del overheard
        self.prompts.append(ask.prompt.template)
        return Reply(text=f"So I see it.\n{ballot(ask, *self._said)}", model="test:fake")


async def decide_on(
    ledger: Ledger,
    question: str | Question,
    choice: str = "ACT",
    *,
    panelist: Chooses | None = None,
    **more: Any,  # noqa: ANN401 - as the door takes it
) -> Deliberation:
    """A tribunal whose seats agree at once."""
    answers = panelist or Chooses(choice)
    return await deliberate(
        question,
        panelists=dict.fromkeys(SEATS, answers),
        settings={"debate": "when_split"},
        ledger=ledger,
        **more,
    )
