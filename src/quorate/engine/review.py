"""A person says what holds of a verdict: checked, written under the lease, and never in the panel's name."""

from quorate import chair
from quorate.engine.recompute import Audit
from quorate.engine.review_outcomes import reviewed_outcome
from quorate.engine.runner import record_of
from quorate.engine.verify import MISREAD, refuse
from quorate.errors import BadSetting
from quorate.ledger import Ledger
from quorate.model import Decided, Reviewed, TurnedAway, Verdict
from quorate.views import Record

__all__ = ["review"]


async def review(ledger: Ledger, id_: str, *, outcome: str, by: str, because: str) -> Record:
    """Write what a person says of a verdict, once it is there; a later review holds, and earlier ones stay on record.

    Raises:
        BadSetting: there is no verdict to review, no such outcome, or no name or reason.
        LedgerMismatch: the verdict is not what the words on record come to, so nobody should vouch for it.
        LedgerError: the record cannot be read or kept, or another process is at it.
    """
    said = {"by": by.strip(), "because": because.strip()}
    for name, text in said.items():
        if not text:
            raise BadSetting(f"a review needs --{name}: who says so, and why, stand in the record beside the outcome")
    whole = await ledger.find(id_)
    async with ledger.own(whole) as book:
        audit = Audit.of([entry.event for entry in book.entries])
        verdict = _reviewable(whole, audit.state)
        refuse(record_of(whole, book.entries, audit), *MISREAD)
        reviewed = Reviewed(outcome=reviewed_outcome(audit.state, verdict, outcome), **said)
        book.write(reviewed)
        audit.add(reviewed)
        await book.committed()
        return record_of(whole, book.entries, audit)


def _reviewable(id_: str, state: chair.State) -> Verdict:
    if isinstance(state.closed, Decided):
        return state.closed.verdict
    if isinstance(state.closed, TurnedAway):
        raise BadSetting(f"{id_} was turned away and nobody was asked, so there is nothing to review; ask it otherwise")
    raise BadSetting(f"{id_} has no verdict yet, so there is nothing to review; go on with: quorate resume {id_}")
