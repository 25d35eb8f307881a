"""What is attested of a record, and whether an attestation and a record agree."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, cast

from quorate import chair
from quorate.engine.verify import MISREAD, UNPROVEN, describe_missing_verdict, record_of, refuse
from quorate.errors import BadSetting, LedgerBroken
from quorate.frozen import dataclass
from quorate.ledger import Entry, LedgerReader, Row
from quorate.ledger.chain import now, open_row, verify_chain
from quorate.ledger.serde import canonical, plain
from quorate.model import Decided, Found, Reviewed, Spoken, TurnedAway, Verdict
from quorate.model.lookup import LOOK
from quorate.model.texts import is_forgotten
from quorate.views import Record

if TYPE_CHECKING:
    from quorate.ledger.signing.signing_keys import SigningKey

__all__ = ["StoredRecord", "agrees", "attest", "comes_to", "final_outcome", "prove", "statement_of", "stored_record"]

_OF_TEXTS: Final = ("question", "sources")
"""What cannot be worked out again once the texts are forgotten."""


@dataclass(frozen=True, kw_only=True)
class StoredRecord:
    """A record whose chain holds: its rows as they are stored, and its events, opened and judged once."""

    id: str
    rows: Sequence[Row]

    def upto(self, entries: int, *, imported: bool = False) -> "StoredRecord":
        """The record as it was when it had so many entries, where it was held or where it had been imported."""
        return StoredRecord(id=self.id, rows=[row._replace(imported=imported) for row in self.rows[:entries]])

    @cached_property
    def entries(self) -> Sequence[Entry]:
        return [open_row(row) for row in self.rows]

    @cached_property
    def record(self) -> Record:
        return record_of(self.id, self.entries)

    @property
    def root(self) -> str:
        from quorate.ledger.signing import merkle  # noqa: PLC0415 - a record is read far more often than signed

        return merkle.root(row.hash for row in self.rows)


async def stored_record(ledger: LedgerReader, id_: str) -> StoredRecord:
    """A record from the ledger, its chain checked.

    Raises:
        LedgerBroken: the chain does not hold.
        NotRecorded: no such deliberation.
    """
    found = await ledger.find(id_)
    rows = await ledger.rows(found)
    verify_chain(found, rows)
    return StoredRecord(id=found, rows=rows)


def attest(whole: StoredRecord, key: "SigningKey") -> bytes:
    """Sign what a record says, as it stands in a file.

    Raises:
        BadSetting: it has no verdict yet, or its texts were forgotten.
        LedgerMismatch: the verdict is not what the words on record come to.
    """
    statement = statement_of(whole)
    if is_forgotten(statement["question"]):
        raise BadSetting(f"the texts of {whole.id} were forgotten, so there is no question left to attest")
    checked = refuse(whole.record, *UNPROVEN)
    check = {**checked.document(), "reading": chair.VERSION}
    from quorate.ledger.signing import attestation  # noqa: PLC0415 - a record is read far more often than signed
    from quorate.settings.convene import made_by  # noqa: PLC0415 - a record is read far more often than signed

    return attestation.sign_statement({**statement, "check": check, "time": now(), "made_by": made_by()}, key)


def prove(whole: StoredRecord, number: int) -> bytes:
    """The proof that an entry is part of a record, as it stands in a file.

    Raises:
        BadSetting: there is no such entry.
        LedgerMismatch: the record is not what its words come to.
    """
    refuse(whole.record, *MISREAD)
    if not 0 < number <= len(whole.rows):
        raise BadSetting(f"{whole.id} has entries 1 to {len(whole.rows)}, and no entry {number}")
    from quorate.ledger.signing import attestation  # noqa: PLC0415 - a record is read far more often than signed

    return attestation.proof(whole.id, whole.rows, number)


def statement_of(whole: StoredRecord) -> dict[str, Any]:
    """What a record says: question, outcome, ballots, sources, rules, review, and the root over all of it.

    Raises:
        BadSetting: it has no verdict yet.
    """
    from quorate.views.document import review_of  # noqa: PLC0415 - a record is read far more often than signed

    record = whole.record
    state = record.state
    convened, verdict = state.convened, verdict_on(state, whole.id)
    review = review_of(record)
    book = canonical(plain(convened)["rulebook"])
    return {
        "id": whole.id,
        "question": convened.question.text,
        "protocol": convened.protocol,
        "rulebook": {"name": convened.rulebook.name, "sha256": sha256(book.encode()).hexdigest()},
        **state_in(record),
        "outcome": verdict.outcome,
        "decided": verdict.decided,
        "rule": verdict.rule,
        "requires_human_review": verdict.requires_human_review,
        "demo": convened.panel.demo,
        "ballots": list(_ballots(state)) if isinstance(state.closed, Decided) else [],
        "sources": list(_sources(record)),
        "review": None if review is None else {name: said for name, said in review.items() if name != "earlier"},
        "record": {"entries": len(whole.rows), "head": whole.rows[-1].hash, "root": whole.root},
    }


def state_in(record: Record) -> dict[str, str | None]:
    """Where a verdict stands, and the finding that others may act on; there is none while it waits for a person."""
    ended = next(event for event in record.events if isinstance(event, Decided | TurnedAway))
    if isinstance(ended, TurnedAway):
        return {"state": "turned_away", "finding": None}
    reviews = [event for event in record.events if isinstance(event, Reviewed)]
    settled = _settled(ended.verdict, reviews)
    if reviews and settled is not None:
        return {"state": "reviewed", "finding": settled}
    if settled is None:
        return {"state": "awaits_review", "finding": None}
    return {"state": "decided", "finding": ended.verdict.outcome}


def verdict_on(state: chair.State, id_: str) -> Verdict:
    """How a deliberation ended.

    Raises:
        BadSetting: it has not.
    """
    if not isinstance(state.closed, Decided | TurnedAway):
        raise BadSetting(describe_missing_verdict(id_, state, "attest"))
    return state.closed.verdict


def _ballots(state: chair.State) -> Iterator[dict[str, object]]:
    tally, silence = chair.tally_of(state), state.convened.rulebook.silence
    counted = tally if silence in {"none", "carry"} else tally.assuming(silence)
    for voice in counted.voices:
        sure = None if voice.assumed or voice.confidence is None else str(voice.confidence)
        yield {"seat": voice.seat, "choice": voice.choice, "confidence": sure, "assumed": voice.assumed}


def _sources(record: Record) -> Iterator[dict[str, object]]:
    """Every source that a ballot cites, by hashes: of its address, and of the text that was found there."""
    finds = (event for event in record.events if isinstance(event, Found) and event.kind != LOOK)
    texts = {passage.url: passage.digest for event in finds for passage in event.passages}
    for url in dict.fromkeys(_cited(record)):
        named = sha256(url.encode(errors="surrogatepass")).hexdigest()
        yield {"url_sha256": named, "digest": texts.get(url) or None}


def _cited(record: Record) -> Iterator[str]:
    for event in record.events:
        if isinstance(event, Spoken) and event.ballot is not None:
            yield from (cited.url for cited in event.ballot.evidence)


def agrees(attested: Mapping[str, Any], whole: StoredRecord) -> tuple[str, ...]:
    """See that a record says what was attested of it; what is given back are notes that change nothing.

    Raises:
        LedgerBroken: the record is another one, was cut, or says something else.
    """
    if attested["id"] != whole.id:
        raise LedgerBroken(f"the attestation is about {attested['id']}, the record is {whole.id}; give its record")
    entries = attested["record"]["entries"]
    if len(whole.rows) < entries:
        raise LedgerBroken(
            f"{whole.id} had {entries} entries when it was attested and has {len(whole.rows)}; it was cut"
        )
    then = _statement_then(whole, entries, attested["review"])
    forgotten = is_forgotten(then["question"])
    for name in sorted(then, key=lambda name: name != "record"):
        if _compared(name, then, forgotten=forgotten) != _compared(name, attested, forgotten=forgotten):
            raise LedgerBroken(f"{whole.id} does not say what was attested: its {name} is another; it was changed")
    grown = len(whole.rows) - entries
    notes = (
        f"the record has grown by {grown} since it was attested" if grown else "",
        "its texts have been forgotten, so they were not compared" if forgotten else "",
    )
    return tuple(filter(None, notes))


def _statement_then(whole: StoredRecord, entries: int, review: object) -> dict[str, Any]:
    """What a record said when it was signed. Interfaces of reviews read differently where it had been imported."""
    readings = [statement_of(whole.upto(entries, imported=imported)) for imported in (False, True)]
    return next((one for one in readings if one["review"] == review), readings[0])


def _settled(verdict: Verdict, reviews: Sequence[Reviewed]) -> str | None:
    """What others may act on: what the owner said last, else what the panel decided; none while a person should look.

    A review that may not open a gate can only put an outcome in doubt, never put another in its place.
    """
    outcome = None if verdict.awaits_review else verdict.outcome
    for review in reviews:
        if review.origin.may_loosen:
            outcome = review.outcome
        elif review.outcome != outcome:
            outcome = None
    return outcome


def _forgotten(whole: StoredRecord) -> bool:
    return is_forgotten(whole.record.state.convened.question.text)


def _compared(name: str, statement: Mapping[str, Any], *, forgotten: bool) -> object:
    """A part of a statement, without what cannot be worked out again once the texts are forgotten."""
    said = statement.get(name)
    if not forgotten:
        return said
    if name == "review" and isinstance(said, dict):
        return {**cast("dict[str, object]", said), "because": ""}
    return None if name in _OF_TEXTS else said


def final_outcome(whole: StoredRecord) -> dict[str, object]:
    """What a record came to, for a contract: what a person said last, else what the panel decided.

    Raises:
        BadSetting: nothing is settled: no verdict yet, or a person should look first.
        LedgerMismatch: the verdict is not what the words on record come to.
    """
    record = whole.record
    state = record.state
    reviews = [event for event in record.events if isinstance(event, Reviewed)]
    verdict = verdict_on(state, whole.id)
    outcome = _settled(verdict, reviews)
    if outcome is None or isinstance(state.closed, TurnedAway) or state.brief.panel.demo:
        raise BadSetting(
            f"{whole.id} has settled nothing that a contract could act on: it has no outcome, waits for a person, "
            "was turned away or is a demo; review it first, if it waits: quorate review list"
        )
    question = state.convened.question.text
    if is_forgotten(question):
        raise BadSetting(f"the texts of {whole.id} were forgotten, so there is no question left to attest")
    refuse(record, *UNPROVEN)
    from quorate.ledger.signing.typed_data import message  # noqa: PLC0415 - a record is read far more often than signed

    return message(id_=whole.id, question=question, outcome=outcome, root=whole.root, time=record.times[-1])


def comes_to(said: Mapping[str, Any], whole: StoredRecord) -> tuple[str, ...]:
    """See that a record comes to what was signed for a contract; what is given back are notes that change nothing.

    Raises:
        LedgerBroken: the record is another one, was cut, or says something else.
    """
    for entries in range(len(whole.rows), 0, -1):
        then = whole.upto(entries)
        if f"0x{then.root}" != said["root"]:
            continue
        if not _forgotten(then) and final_outcome(then) != said:
            break
        grown = len(whole.rows) - entries
        return (f"the record has grown by {grown} since it was signed",) if grown else ()
    raise LedgerBroken(f"{whole.id} does not come to what was signed; it was changed or cut, or it is another record")
