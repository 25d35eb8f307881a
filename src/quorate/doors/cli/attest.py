"""`quorate attest`: statements about a record that travel without it; `quorate verify` checks them."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.records import whole_id, with_ledger
from quorate.doors.cli.screen import put_file, say

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.service.attestations import StoredRecord

__all__ = ["attest"]


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
@click.argument("what", metavar="ID|keygen", shell_complete=options.complete_ids_or("keygen"))
@click.option(
    "--key", metavar="FILE", help="The private key to sign with; for keygen, the file to write the new one to."
)
@click.option(
    "--as",
    "form",
    type=click.Choice(("ed25519", "eip712")),
    default="ed25519",
    show_default=True,
    help="The kind of signature: ed25519 over one JSON file, or eip712 over typed data for a smart contract.",
)
@click.option("--entry", type=int, metavar="NUMBER", help="Prove that the record holds this entry, instead of signing.")
@click.option("--chain-id", type=int, metavar="NUMBER", help="For eip712: the chain the signature is for.")
@click.option("--contract", metavar="0x…", help="For eip712: the contract the signature is for.")
@click.option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout.")
@options.ledger
def attest(what: str, **wish: Unpack[AttestOptions]) -> int:
    """Sign a verdict, for people who do not have its record.

    The signed statement contains the question, the outcome, its state (decided, waiting for review, reviewed), the
    ballots, hashes of the sources, the rules, the review, and the root of a hash tree over every entry. A verdict
    that does not follow from its record is not signed. `attest keygen` makes a key in a new file and prints its
    public half. ID may be `last`, or a beginning or end that only one id has.
    """
    if what == "keygen":
        say(_made(wish))
        return DONE
    if wish["entry"] is None and wish["key"] is None:
        raise click.UsageError("who signs? Give --key FILE; `quorate attest keygen --key FILE` makes one")
    from quorate.service.attestations import stored_record

    async def work(held: "Ledger") -> "StoredRecord":
        return await stored_record(held, await whole_id(held, what))

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
    from quorate.service.attestations import attest, final_outcome, prove

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
