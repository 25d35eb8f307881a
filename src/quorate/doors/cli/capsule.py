"""`quorate capsule`: a deliberation in one file that anybody can check and count again without quorate."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.records import whole_id, with_ledger
from quorate.doors.cli.screen import put_file
from quorate.errors import BadSetting

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.service.attestations import StoredRecord

__all__ = ["capsule"]


class CapsuleOptions(TypedDict):
    """What `quorate capsule` was told."""

    key: str | None
    redact: tuple[str, ...]
    timestamp: str | None
    timestamp_request: str | None
    html: str | None
    output: str | None
    ledger: str | None


@click.command(
    epilog="""\b
Examples:
  quorate capsule last --key signing.pem -o capsule.json
  python verify_capsule.py capsule.json ed25519:…
  quorate capsule capsule.json --redact 4:words -o for-others.json"""
)
@click.argument("what", metavar="ID|FILE", shell_complete=options.complete_ids)
@click.option("--key", metavar="FILE", help="The private key to sign with; `quorate attest keygen` makes one.")
@click.option(
    "--redact",
    multiple=True,
    metavar="ENTRY[:words|event]",
    help="Withhold an entry, or only its words. Its hash stays, so the rest still holds. Can be given again.",
)
@click.option(
    "--timestamp-request", metavar="FILE", help="Also write a request for a timestamp over the root (RFC 3161)."
)
@click.option("--timestamp", metavar="FILE", help="Put the answer of a timestamp authority into the capsule.")
@click.option(
    "--verifier/--no-verifier", default=True, show_default=True, help="Write the verifier beside the capsule."
)
@click.option(
    "--html",
    metavar="FILE",
    help="Also write a page that shows the capsule in a browser and checks that it is unchanged. It counts no votes.",
)
@click.option("--output", "-o", metavar="FILE", help="Write to this file; by default capsule.json.")
@options.ledger
def capsule(what: str, *, verifier: bool, **wish: Unpack[CapsuleOptions]) -> int:
    """Write a deliberation as one file that others can recompute.

    The capsule contains the question, the panel, the rules, every entry with its hash, the verdict and, with --key, a
    signature. The verifier needs only Python: it checks every byte, counts the votes again and applies the rules.
    FILE is a capsule that was written before: use it to withhold parts, or to add a timestamp. Its signature stays
    valid. ID may be `last`, or a beginning or end that only one id has.
    """
    from quorate.service.capsule_files import VERIFIER, timestamp_request, verifier_program, write_capsule

    where = Path(wish["output"] or "capsule.json")
    if wish["redact"] and Path(what).is_file() and where.exists() and where.samefile(what):
        raise BadSetting(f"{what!r} would lose what is withheld; name another file for the rest with --output")
    made = _changed(_taken(what, wish), wish)
    put_file(write_capsule(made), str(where))
    if verifier:
        put_file(verifier_program(), str(where.parent / VERIFIER))
    if wish["html"] is not None:
        from quorate.service.capsule_files import capsule_id, capsule_page

        put_file(capsule_page(write_capsule(made), f"Capsule {capsule_id(made)}").encode(), wish["html"])
    if wish["timestamp_request"] is not None:
        put_file(timestamp_request(made), wish["timestamp_request"])
    return DONE


def _taken(what: str, wish: CapsuleOptions) -> dict[str, Any]:
    """The capsule as it was written before, or made of a record."""
    from quorate.service.capsule_files import make_capsule, parse_capsule

    if Path(what).is_file():
        if wish["key"] is not None:
            raise click.UsageError("a capsule in a file keeps the signature it has; sign with the id of its record")
        return parse_capsule(_content(what))
    from quorate.ledger.signing.signing_keys import load_key
    from quorate.service.attestations import stored_record

    async def work(held: "Ledger") -> "StoredRecord":
        return await stored_record(held, await whole_id(held, what))

    key = None if wish["key"] is None else load_key(Path(wish["key"]))
    return make_capsule(with_ledger(wish["ledger"], work), key)


def _changed(made: dict[str, Any], wish: CapsuleOptions) -> dict[str, Any]:
    from quorate.service.capsule_files import add_timestamp, withhold

    kept = withhold(made, wish["redact"]) if wish["redact"] else made
    return kept if wish["timestamp"] is None else add_timestamp(kept, _content(wish["timestamp"]))


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as wrong:
        raise BadSetting(f"cannot read {file!r}: {(wrong.strerror or 'it is no file').lower()}") from None
