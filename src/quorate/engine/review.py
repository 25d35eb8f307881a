"""A person says what holds of a verdict: checked, written under the lease, and never in the panel's name."""

from quorate import catalogue, chair
from quorate.engine.chamber import record_of
from quorate.errors import BadSetting
from quorate.ledger import Ledger
from quorate.model import Decided, Reviewed, TurnedAway, Verdict
from quorate.views import Record

__all__ = ["possible_outcomes", "review"]


async def review(ledger: Ledger, id_: str, *, outcome: str, by: str, because: str) -> Record:
    """Write what a person says of a verdict, once it is there; a later review holds, and earlier ones stay on record.

    Raises:
        BadSetting: there is no verdict to review, no such outcome, or no name or reason.
        LedgerError: the record cannot be read or kept, or another process is at it.
    """
    said = {"by": by.strip(), "because": because.strip()}
    for name, text in said.items():
        if not text:
            raise BadSetting(f"a review needs --{name}: who says so, and why, stand in the record beside the outcome")
    whole = await ledger.find(id_)
    async with ledger.own(whole) as book:
        docket = chair.replay((entry.event for entry in book.entries), check=False)
        meant = _meant(docket, _reviewable(whole, docket), outcome)
        book.write(Reviewed(outcome=meant, **said))
        await book.committed()
        return record_of(whole, book.entries)


def _reviewable(id_: str, docket: chair.Docket) -> Verdict:
    if isinstance(docket.closed, Decided):
        return docket.closed.verdict
    if isinstance(docket.closed, TurnedAway):
        raise BadSetting(f"{id_} was turned away and nobody was asked, so there is nothing to review; ask it otherwise")
    raise BadSetting(f"{id_} has no verdict yet, so there is nothing to review; go on with: quorate resume {id_}")


def possible_outcomes(docket: chair.Docket) -> tuple[str, ...]:
    """What a review may say: the protocol's outcomes, and the options that were given or voted for."""
    closed = tuple(catalogue.load("protocol", docket.convened.protocol).OUTCOMES or ())
    tally = chair.tally_of(docket)
    voted = (voice.option for voice in tally.voices)
    return tuple(filter(None, dict.fromkeys((*closed, *docket.brief.question.options, *tally.options, *voted))))


def _meant(docket: chair.Docket, verdict: Verdict, written: str) -> str:
    """The outcome as it is on record; a demo panel may not be made to approve, by a person neither.

    Raises:
        BadSetting: there is none.
    """
    known = possible_outcomes(docket)
    alike = [one for one in known if one == written] or [one for one in known if one.casefold() == written.casefold()]
    if len(alike) != 1:
        listed = ", ".join(known) or "none, since nobody voted for anything"
        raise BadSetting(f"{written!r} is no outcome of this deliberation; there are {listed}")
    settings = next((one.settings for one in docket.convened.rulebook.unless if one.name == "demo"), ())
    cap = catalogue.load("rule", "demo").cap
    stated = Verdict(outcome=alike[0], decided=True, rule=verdict.rule, because="")
    if cap(chair.tally_of(docket), stated, **dict(settings)) is not None:
        raise BadSetting(f"this is a demo panel, which answers nothing, so a review cannot make it {alike[0]}")
    return alike[0]
