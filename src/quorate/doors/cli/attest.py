"""`quorate attest`, and `quorate verify` of what it wrote: statements about a record that travel without it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.records import with_ledger
from quorate.doors.cli.screen import bytes_from, note, one_line, say, say_bytes, say_json
from quorate.errors import BadSetting, NotRecorded

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.offline.attest import StoredRecord

__all__ = ["attest", "put_file", "verify_statement"]


class AttestOptions(TypedDict):
    """What `quorate attest` was told."""

    key: str | None
    form: Literal["ed25519", "eip712"]
    entry: int | None
    chain_id: int | None
    contract: str | None
    output: str | None
    ledger: str | None


@click.command(
    epilog="""\b
Examples:
  quorate attest keygen --key signing.pem
  quorate attest last --key signing.pem -o attestation.json
  quorate verify attestation.json --key ed25519:…"""
)
@click.argument("what", metavar="ID|keygen")
@click.option("--key", metavar="FILE", help="The private key that signs; with keygen, where the new one is kept.")
@click.option(
    "--as",
    "form",
    type=click.Choice(("ed25519", "eip712")),
    default="ed25519",
    show_default=True,
    help="Which signature: over one JSON file, or over typed data for a contract.",
)
@click.option("--entry", type=int, metavar="NUMBER", help="Prove that the record holds this entry, instead of signing.")
@click.option("--chain-id", type=int, metavar="NUMBER", help="With eip712: the chain the signature is meant for.")
@click.option("--contract", metavar="0x…", help="With eip712: the contract the signature is meant for.")
@click.option("--output", "-o", metavar="FILE", help="Write there instead of to stdout.")
@options.ledger
def attest(what: str, **wish: Unpack[AttestOptions]) -> int:
    """Sign what a record says, for those who do not have it.

    The statement holds question, outcome, where it stands (decided, waiting for review, reviewed), ballots, hashes of
    the sources, rules, review, and the root of a hash tree over every entry. What the words on record do not come to is
    not signed. `attest keygen` makes a key in a new file and prints its public half. ID may be `last` or a
    unique beginning.
    """
    if what == "keygen":
        say(_made(wish))
        return DONE
    if wish["entry"] is None and wish["key"] is None:
        raise click.UsageError("who signs? Give --key FILE; `quorate attest keygen --key FILE` makes one")
    from quorate.offline.attest import stored_record

    async def work(held: "Ledger") -> "StoredRecord":
        return await stored_record(held, what)

    put_file(_stated(with_ledger(wish["ledger"], work), wish), wish["output"])
    return DONE


def _made(wish: AttestOptions) -> str:
    if wish["key"] is None:
        raise click.UsageError("where should the key be kept? Give --key FILE; the file must not be there yet")
    if wish["form"] == "eip712":
        from quorate.ledger.signing import typed_data as typed

        return typed.new_key(Path(wish["key"]))
    from quorate.ledger.signing.signing_keys import new_key

    return new_key(Path(wish["key"]))


def _stated(whole: "StoredRecord", wish: AttestOptions) -> bytes:
    from quorate.ledger.signing import typed_data as typed
    from quorate.ledger.signing.signing_keys import load_key
    from quorate.offline.attest import attest, final_outcome, prove

    if wish["entry"] is not None:
        return prove(whole, wish["entry"])
    key = Path(wish["key"] or "")
    if wish["form"] == "ed25519":
        return attest(whole, load_key(key))
    chain, contract = wish["chain_id"], wish["contract"]
    if chain is None or contract is None:
        raise click.UsageError(
            "which contract on which chain is it meant for? Give --contract 0x… and --chain-id NUMBER"
        )
    return typed.sign_message(final_outcome(whole), typed.Domain.of(chain, contract), key)


def put_file(file: bytes, where: str | None) -> None:
    """Write a statement to a file that only its owner can read, or to stdout.

    Raises:
        BadSetting: it cannot be written there.
    """
    if where is None:
        say_bytes(file)
        return
    # What stands under that name is written over, but no link is followed: it could lead anywhere.
    over = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(where, over, 0o600), "wb") as out:
            out.write(file)
    except (OSError, ValueError) as wrong:
        said = wrong.strerror if isinstance(wrong, OSError) else None
        raise BadSetting(f"cannot write {where!r}: {(said or 'it is no name of a file').lower()}") from None
    note(f"written: {one_line(where)}")


def verify_statement(file: bytes, trust: options.TrustOptions, ledger: str | None, *, as_json: bool) -> int:
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
        told = {"id": found["message"]["deliberation"], "key": found["address"], **_told_of(found["message"])}
    else:
        found = attestation.check_statement(file, trust["keys"])
        told = {"id": found["id"], "key": found["key"], **_told_of(found)}
    compared, notes = _compared(kind, found, _at_hand(told["id"], trust["record"], ledger))
    _tell({**told, "record": compared, "notes": list(notes)}, as_json=as_json)
    return DONE


def _trusting(keys: tuple[str, ...], what: str) -> None:
    if not keys:
        raise BadSetting(
            f"{what} proves nothing by itself, for anybody can make a key; say whom you trust with --key PUBLIC"
        )


def _told_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """What was signed, and where it stood then; earlier versions said that in other fields."""
    review = found.get("review") or {}
    waits = not found.get("decided", True) or found.get("requires_human_review", False)
    state = "reviewed" if review.get("state") == "given" else "awaits_review" if waits else "decided"
    told = {"outcome": found["outcome"], "state": found.get("state", state), "reviewed": review.get("outcome")}
    return {**told, "time": found["time"]}


def _at_hand(id_: str, record: str | None, ledger: str | None) -> "StoredRecord | None":
    """The record that a statement is about: from a file that was named, else from the ledger, if it is there."""
    from quorate.ledger import export as records
    from quorate.offline.attest import StoredRecord, stored_record

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
    from quorate.engine.verify import CHANGED, refuse
    from quorate.ledger.signing import typed_data as typed
    from quorate.offline.attest import agrees, comes_to

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
    "awaits_review": ", which is no finding: it waits for a person to review",
    "turned_away": ", which is no finding: the question was turned away",
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
