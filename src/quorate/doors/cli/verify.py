"""`quorate verify` of records and of what was written about them, and `quorate checkpoint` to hold them to later."""

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.records import looked_up, whole_id, with_ledger
from quorate.doors.cli.screen import bytes_from, complain, note, one_line, put_file, say, say_json
from quorate.errors import BadSetting, NotRecorded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quorate.ledger import Ledger
    from quorate.ledger.chain import ChainCheck as Chain
    from quorate.ledger.signing.attestation import CheckpointCheck, Head
    from quorate.service.attestations import StoredRecord
    from quorate.service.records import Verification
    from quorate.views import Record

__all__ = ["checkpoint", "verify"]


@click.command(
    epilog="""\b
Examples:
  quorate verify last
  quorate verify exported.jsonl --json
  quorate verify --against checkpoint.json --key ed25519:…
  quorate verify attestation.json --key ed25519:…"""
)
@click.argument("what", metavar="[ID|FILE|-]", required=False, shell_complete=options.complete_ids_or_files)
@click.option("--against", metavar="FILE", help="A checkpoint: check that every record in it is unchanged.")
@options.trust
@options.ledger
@options.as_json
def verify(
    what: str | None, against: str | None, ledger: str | None, *, as_json: bool, **trust: Unpack[options.TrustOptions]
) -> int:
    """Check that a record is unchanged and its verdict holds.

    The chain of hashes is checked, every reply is read again, the verdict is computed again, and what `quorate list`
    says of it is compared. Give an ID
    (`last`, or a beginning or end that only one id has, is enough), a FILE that `quorate export` wrote, or one that
    `quorate attest` wrote: an attestation is checked against the keys you trust, and against its record if that is
    here. The hashes alone cannot show that the whole record was rewritten; --against a checkpoint that you kept
    elsewhere can.
    """
    if against is not None:
        return _verify_against(against, what, ledger, trust["keys"], as_json=as_json)
    if what is None:
        raise click.UsageError("what should be checked? Give an ID or a FILE, or --against a checkpoint")
    file = _file(what) if what == "-" or Path(what).is_file() else None
    if file is not None and file.startswith(b"{\n"):
        return _verify_statement(file, trust, ledger, as_json=as_json)
    return _verify_record(what, file, ledger, as_json=as_json)


def _verify_record(what: str, file: bytes | None, ledger: str | None, *, as_json: bool) -> int:
    from quorate.service.records import refusal, verification_document, verify_record

    record, chain = _kept(ledger, what) if file is None else _exported(file)
    checked = verify_record(record)
    if as_json:
        say_json(verification_document(record, chain, checked))
    else:
        for line in _verified(chain, checked):
            say(line)
    if not checked.same:
        complain(f"{record.id} {refusal(checked)}")
    return DONE if checked.same else ERROR


def _file(what: str) -> bytes:
    with bytes_from(what) as file:
        return file.read()


def _verified(chain: "Chain", checked: "Verification") -> Iterator[str]:
    """What came of it, line by line; whatever stands in the record is one escaped line of ours."""
    gone = f"; {chain.missing} texts have been forgotten" if chain.missing else ""
    yield f"chain    holds: {chain.entries} entries, the last is {chain.head}{gone}"
    recorded = "no outcome" if checked.recorded is None else one_line(checked.recorded)
    match checked.state:
        case "unfinished":
            yield "verdict  none yet: the deliberation is not finished"
        case "holds":
            yield f"verdict  holds: {recorded}, recomputed from the record"
        case "forgotten":
            yield f"verdict  unproven: {recorded} by the ballots on record; the words behind them cannot be read here"
        case "partly_forgotten":
            yield f"verdict  CANNOT BE CHECKED: {one_line(checked.why)}"
        case "differs":
            yield f"verdict  DIFFERS: {one_line(checked.why)}"
    yield from (f"note     {one_line(said)}" for said in checked.notes)


def _exported(file: bytes) -> "tuple[Record, Chain]":
    from quorate.ledger import export as records
    from quorate.ledger.chain import open_row
    from quorate.service.records import record_of

    lines = BytesIO(file).readlines()
    checked = records.verify_lines(lines)
    parsed = records.parse(lines)
    return record_of(parsed.id, [open_row(row) for row in parsed.rows]), checked


def _kept(ledger: str | None, id_: str) -> "tuple[Record, Chain]":
    from quorate.ledger import export as records

    record = looked_up(ledger, id_)

    async def work(held: "Ledger") -> "Chain":
        return await records.verify(held, record.id)

    return record, with_ledger(ledger, work)


def _verify_statement(file: bytes, trust: options.TrustOptions, ledger: str | None, *, as_json: bool) -> int:
    """Check an attestation, a signed message for a contract, or a proof; whatever does not hold is an error.

    Raises:
        LedgerBroken: it does not hold.
        BadSetting: it cannot be told whether it does.
    """
    from quorate.ledger.signing import attestation
    from quorate.ledger.signing import typed_data as typed

    kind = attestation.is_statement(file)
    if kind == attestation.PROOF:
        return _verify_proof(file, trust, as_json=as_json)
    _trusting(trust["keys"], "a signature")
    if kind == typed.FORM:
        found = typed.check_message(file, trust["keys"])
        # A message for a contract has no state of its own: only what is settled is signed that way.
        told = {
            "id": found["message"]["deliberation"],
            "key": found["address"],
            **_told_of({**found["message"], "state": "decided"}),
        }
    else:
        found = attestation.check_statement(file, trust["keys"])
        told = {"id": found["id"], "key": found["key"], **_told_of(found)}
    compared, notes = _compared(kind, found, _at_hand(told["id"], trust["record"], ledger))
    _tell({**told, "record": compared, "notes": list(notes)}, as_json=as_json)
    return DONE


def _trusting(keys: tuple[str, ...], what: str) -> None:
    if not keys:
        raise BadSetting(
            f"{what} proves nothing by itself, because anybody can make a key; say whom you trust with --key PUBLIC"
        )


def _told_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """What was signed, and where it stood then."""
    reviewed = (found.get("review") or {}).get("outcome")
    return {"outcome": found["outcome"], "state": found.get("state"), "reviewed": reviewed, "time": found["time"]}


def _at_hand(id_: str, record: str | None, ledger: str | None) -> "StoredRecord | None":
    """The record that a statement is about: from a file that was named, else from the ledger, if it is there."""
    from quorate.ledger import export as records
    from quorate.service.attestations import StoredRecord, stored_record

    if record is not None:
        with bytes_from(record) as file:
            lines = file.readlines()
        records.verify_lines(lines)
        read = records.parse(lines)
        return StoredRecord(id=read.id, rows=list(read.rows))

    async def work(held: "Ledger") -> "StoredRecord | None":
        try:
            return await stored_record(held, id_)
        except NotRecorded:
            return None

    return with_ledger(ledger, work)


def _compared(kind: str, found: Mapping[str, Any], whole: "StoredRecord | None") -> tuple[str, tuple[str, ...]]:
    from quorate.ledger.signing import typed_data as typed
    from quorate.service.attestations import agrees, comes_to
    from quorate.service.records import CHANGED, refuse

    if whole is None:
        return "absent", ()
    refuse(whole.record, *CHANGED, "partly_forgotten")
    return "agrees", comes_to(found["message"], whole) if kind == typed.FORM else agrees(found, whole)


def _verify_proof(file: bytes, trust: options.TrustOptions, *, as_json: bool) -> int:
    from quorate.ledger.signing import attestation

    if trust["attested"] is None:
        raise BadSetting("a proof leads to a root; give the attestation that holds it: --attestation FILE --key PUBLIC")
    _trusting(trust["keys"], "an attestation")
    with bytes_from(trust["attested"]) as opened:
        attested = attestation.check_statement(opened.read(), trust["keys"])
    found = attestation.proves(file, attested)
    if as_json:
        say_json({"schema": 1, **{name: found[name] for name in ("id", "entry", "entries", "hash")}, "holds": True})
    else:
        stands = f"entry {found['entry']} of {found['entries']} of {one_line(found['id'])}"
        say(f"proof    holds: {stands} has the hash {found['hash']}")
    return DONE


_STATES: Final = {
    "awaits_review": ", which is not a finding: it waits for a person to review",
    "turned_away": ", which is not a finding: the question was turned away",
}


def _tell(told: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json({"schema": 1, **told, "holds": True})
        return
    say(f"signed   by {one_line(told['key'])}")
    reviewed = f", by a person's review {one_line(told['reviewed'])}" if told["reviewed"] is not None else ""
    outcome = "no outcome" if told["outcome"] is None else one_line(told["outcome"])
    say(f"says     {outcome}{reviewed}{_STATES.get(told['state'], '')} ({one_line(told['id'])})")
    agrees = "agrees: it is here and says the same" if told["record"] == "agrees" else "not here, so not compared"
    say(f"record   {agrees}")
    for said in told["notes"]:
        say(f"note     {one_line(said)}")


def _verify_against(against: str, what: str | None, ledger: str | None, keys: tuple[str, ...], *, as_json: bool) -> int:
    """Hold the ledger, or one record of it, to a checkpoint."""
    from quorate.ledger.signing.attestation import compare, open_checkpoint

    stated, heads = open_checkpoint(_file(against), keys)

    async def work(held: "Ledger") -> "tuple[Sequence[Head], CheckpointCheck]":
        meant = None if what is None else await whole_id(held, what)
        wanted = [head for head in heads if meant in {None, head.id}]
        if not wanted:
            raise NotRecorded(f"the checkpoint says nothing of {what}: it began later; verify it without --against")
        return wanted, await compare(held, wanted)

    wanted, found = with_ledger(ledger, work)
    new = found.new if what is None else 0
    told = {"time": stated.get("time"), "key": stated.get("key") if keys else None, "root": stated.get("root")}
    if as_json:
        counts = {"records": len(wanted), "held": found.held, "grown": found.grown, "new": new}
        say_json({"schema": 1, **told, **counts, "holds": not found.wrong, "wrong": list(found.wrong)})
    else:
        for line in _held_to(told, wanted, found, new):
            say(line)
    for said in found.wrong:
        complain(said)
    return ERROR if found.wrong else DONE


def _held_to(told: dict[str, Any], wanted: "Sequence[Head]", found: "CheckpointCheck", new: int) -> Iterator[str]:
    signed = f"signed by {told['key']}" if told["key"] else "no signature was checked; give --key PUBLIC to check it"
    yield f"anchor   of {one_line(str(told['time']))}, {one_line(signed)}"
    stand = "hold" if not found.wrong else "DO NOT HOLD"
    yield f"records  {stand}: {found.held} of {len(wanted)} begin as they did then, {found.grown} have grown"
    if new:
        yield f"note     {new} are newer than the checkpoint, so it says nothing of them"


@click.command(
    epilog="""\b
Examples:
  quorate checkpoint -o checkpoint.json
  quorate checkpoint --key signing.pem -o checkpoint.json
  quorate verify --against checkpoint.json"""
)
@click.option("--key", metavar="FILE", help="The private key to sign with; `quorate attest keygen` makes one.")
@click.option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout.")
@options.ledger
def checkpoint(key: str | None, output: str | None, ledger: str | None) -> int:
    """Save a checkpoint, to show later if a record was changed.

    Keep the file where nobody who can write the ledger can change it. `quorate verify --against FILE` then shows
    whether any record was changed, cut or removed since. The file contains ids and hashes, and no text.
    """
    from quorate.ledger.signing.attestation import heads_of, make_checkpoint
    from quorate.ledger.signing.signing_keys import load_key
    from quorate.service.versions import made_by

    signing = None if key is None else load_key(Path(key))
    heads = with_ledger(ledger, heads_of)
    put_file(make_checkpoint(heads, made_by(), signing), output)
    counted = f"{len(heads)} record{'s' if len(heads) > 1 else ''}"
    note(f"{counted}; keep the file where nobody who can write the ledger can change it")
    return DONE
