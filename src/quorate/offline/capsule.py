"""A capsule: one deliberation in one file that anybody can check and count again without quorate.

`verify_capsule.py` checks it and counts the votes. The page shows it and checks that it is unchanged.

It holds every entry of the record, byte for byte, the few figures that a verifier takes as stated, the verdict, and
a signature over what binds all of it. Words and entries can be withheld afterwards: their hashes stay.

The first line of the file holds the SHA-256 of all other lines. What is signed is the line "quorate capsule 1" and
below it the text of `statement`, as it stands in the file. Question, panel and rulebook stand in the first entry.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, cast

from quorate import chair
from quorate.engine.verify import UNPROVEN, refuse
from quorate.errors import BadSetting, LedgerBroken
from quorate.ledger import Row
from quorate.ledger.chain import absent, draw_salt, first, link
from quorate.ledger.serde import canonical, hash_text, load_object
from quorate.model import Decided, Spoken, Tally, Voice
from quorate.offline.attest import StoredRecord, verdict_on
from quorate.views import Record
from quorate.views.html_card import policy_hash

if TYPE_CHECKING:
    from quorate.ledger.signing.signing_keys import SigningKey

__all__ = [
    "VERIFIER",
    "add_timestamp",
    "capsule_id",
    "capsule_of",
    "capsule_page",
    "make_capsule",
    "parse_capsule",
    "timestamp_request",
    "verifier_program",
    "withhold",
    "write_capsule",
]

FORM: Final = "quorate_capsule"
_BEGINS: Final = b'{"quorate_capsule":1,"sha256":"%b",\n'
VERIFIER: Final = "verify_capsule.py"
"""What the program is called that checks a capsule without quorate."""
_FILES: Final = "capsule_files"
Document = dict[str, Any]


def make_capsule(whole: StoredRecord, key: "SigningKey | None" = None) -> Document:
    """A record as a capsule.

    Raises:
        BadSetting: it has no verdict yet.
        LedgerMismatch: the verdict is not what the words on record come to.
    """
    verdict_on(whole.record.state, whole.id)
    refuse(whole.record, *UNPROVEN)
    return capsule_of(whole, key)


def capsule_of(whole: StoredRecord, key: "SigningKey | None" = None) -> Document:
    """The same without a look at whether the verdict follows from the words."""
    record, verdict = whole.record, verdict_on(whole.record.state, whole.id)
    decided = isinstance(record.state.closed, Decided)
    tally = chair.tally_of(record.state) if decided else None
    rows = [canonical({"salt": draw_salt(), **row}) for row in _figures(record, tally)] if tally else []
    statement = canonical(
        {
            "id": whole.id,
            "kinds": [load_object(row.public)["event"] for row in whole.rows],
            "head": whole.rows[-1].hash,
            "root": whole.root,
            "verdict": {"outcome": verdict.outcome, "decided": verdict.decided, "rule": verdict.rule},
            "domains": _domains(tally) if tally else [],
            "tally": [_hash(row) for row in rows],
        }
    )
    capsule: Document = {
        "statement": statement,
        "withheld": [[row.number, "words"] for row in whole.rows if absent(row)],
        "tally": rows,
        "entries": [_entry(row) for row in whole.rows],
    }
    return capsule if key is None else {**capsule, **_signature(statement, key)}


def capsule_id(capsule: Mapping[str, Any]) -> str:
    """The id of the deliberation that a capsule is about."""
    return str(_facts(capsule)["id"])


def _facts(capsule: Mapping[str, Any]) -> Document:
    return load_object(capsule["statement"])


def _entry(row: Row) -> Document:
    written = {"time": row.time, "event": row.public.decode(errors="surrogatepass")}
    words = load_object(row.words)
    return {**written, "salt": row.salt, "words": words} if words else written


def _domains(tally: Tally) -> list[list[str]]:
    """Each seat, the fault domain it is in, and the one it was meant to be in."""
    meant = dict(tally.meant)
    return [[seat, domain, meant.get(seat, domain)] for seat, domain in tally.domains]


def _figures(record: Record, tally: Tally) -> Iterator[Document]:
    """What a verifier takes as stated, by entry: what the sources of a finding weigh, or the marks of an argument.

    Each bears a salt, so that one can be withheld and nobody can guess it.
    """
    if tally.sides:
        entries = {(spoken.seat, spoken.round): number for number, spoken in _spoken(record)}
        counted = (voice for voice in tally.voices if voice.quality is not None)
        return ({"entry": entries[voice.seat, voice.round], **_marks(voice)} for voice in counted)
    return iter(()) if tally.figure("overlap") is None else _weights(record, tally)


def _weights(record: Record, tally: Tally) -> Iterator[Document]:
    entries = {spoken.seat: number for number, spoken in _spoken(record)}
    yield from ({"entry": entries[voice.seat], "weight": str(voice.weight)} for voice in tally.voices)
    yield from ({"entry": entries[gone.seat], "silent": gone.why} for gone in tally.silent if gone.seat in entries)


def _marks(voice: Voice) -> dict[str, str]:
    marks = {"quality": voice.quality, "consistency": voice.consistency}
    return {name: str(mark) for name, mark in marks.items() if mark is not None}


def _spoken(record: Record) -> Iterator[tuple[int, Spoken]]:
    """Every entry with a ballot or an argument up to the verdict, by its number."""
    for number, event in enumerate(record.events, 1):
        if isinstance(event, Decided):
            break
        if isinstance(event, Spoken) and (event.ballot is not None or event.argument is not None):
            yield number, event


def _signature(statement: str, key: "SigningKey") -> Document:
    said = f"quorate capsule 1\n{statement}".encode(errors="surrogatepass")
    return {"key": key.public, "signature": key.sign(said).hex()}


def _hash(row: str | Mapping[str, str]) -> str:
    return hash_text("", row) if isinstance(row, str) else row["sha256"]


_ESCAPED: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def write_capsule(capsule: Mapping[str, Any]) -> bytes:
    """A capsule as it stands in a file: ASCII, and nothing in it ends the element of a page that it may stand in."""
    rest = json.dumps(capsule, indent=1)[2:].translate(_ESCAPED).encode() + b"\n"
    return _BEGINS % sha256(rest).hexdigest().encode() + rest


def parse_capsule(file: bytes) -> Document:
    """Read a capsule back, if no byte of it was changed.

    Raises:
        LedgerBroken: it is none, or it was changed.
    """
    _, _, rest = file.partition(b"\n")
    if not file.startswith(_BEGINS % sha256(rest).hexdigest().encode()):
        raise LedgerBroken("this is not a capsule as quorate writes it: it was changed or cut; get it again")
    whole: Document = json.loads(file)
    capsule = {name: value for name, value in whole.items() if name not in {FORM, "sha256"}}
    if write_capsule(capsule) != file:  # a repeated key or another spelling, which another reader may read otherwise
        raise LedgerBroken("this is not a capsule as quorate writes it: it was spelt in another way; get it again")
    return capsule


def withhold(capsule: Mapping[str, Any], what: Sequence[str]) -> Document:
    """The same capsule without what is named: `4` or `4:event` is a whole entry, `4:words` only what was said in it.

    A signature holds afterwards too. With an entry go the figures that are stated about it.

    Raises:
        BadSetting: there is no such entry.
    """
    redacted = cast("Document", json.loads(json.dumps(capsule)))
    hashes = _hashes(redacted)
    for number, part in (_place(one, len(hashes)) for one in what):
        _drop(redacted, number, part, hashes[number - 1])
    return redacted


def _hashes(capsule: Mapping[str, Any]) -> list[str]:
    """The hash of every entry, as the chain has it."""
    before, found = first(_facts(capsule)["id"]), list[str]()
    for number, entry in enumerate(capsule["entries"], 1):
        public = entry.get("event", "").encode(errors="surrogatepass")
        before = link(before, number, entry["time"], public) if public else entry["hash"]
        found.append(before)
    return found


def _drop(capsule: Document, number: int, part: str, hash_: str) -> None:
    """Take a part of an entry out, and the figures about it."""
    entry, withheld = capsule["entries"][number - 1], dict(capsule["withheld"])
    if part == "event":
        capsule["tally"] = list(_without_entry(capsule, number))
        capsule["entries"][number - 1] = {"hash": hash_}
    for name in ("salt", "words"):
        entry.pop(name, None)
    if part == "event" or (withheld.get(number) != "event" and _NAMED in entry.get("event", "")):
        withheld[number] = part
    capsule["withheld"] = [[place, what] for place, what in sorted(withheld.items())]


_NAMED: Final = '{"sha256":"'


def _place(written: str, entries: int) -> tuple[int, str]:
    number, _, part = written.partition(":")
    part = part or "event"
    known = number.isascii() and number.isdecimal() and 0 < int(number[:9]) <= entries
    if not known or part not in {"event", "words"}:
        raise BadSetting(f"cannot withhold {written!r}; give an entry from 1 to {entries}, such as 4:words or 4:event")
    return int(number), part


def _without_entry(capsule: Mapping[str, Any], number: int) -> Iterator[object]:
    """The stated figures; of those about an entry only the hash."""
    for row in capsule["tally"]:
        told = isinstance(row, str) and json.loads(row).get("entry") == number
        yield {"sha256": _hash(row)} if told else row


def add_timestamp(capsule: Mapping[str, Any], answer: bytes) -> Document:
    """The same capsule with what a time stamping authority answered (RFC 3161).

    Raises:
        BadSetting: the answer is about something else.
    """
    if not _is_answer(answer) or imprint(_facts(capsule)["root"]) not in answer:
        raise BadSetting("the timestamp is not over the root of this capsule; request one with --timestamp-request")
    return {**capsule, "timestamp": b64encode(answer).decode()}


def _is_answer(answer: bytes) -> bool:
    """Whether it is one value in DER, with a signed token in it. Who signed it is for `openssl ts -verify` to check."""
    if len(answer) < 4 or answer[0] != 0x30 or answer[1] == 0x80:  # noqa: PLR2004  a sequence, of a stated length
        return False
    octets = answer[1] & 0x7F if answer[1] > 0x80 else 0  # noqa: PLR2004
    size = int.from_bytes(answer[2 : 2 + octets]) if octets else answer[1]
    return len(answer) == 2 + octets + size and all(oid in answer for oid in _TOKEN)


_TOKEN: Final = (bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("060b2a864886f70d0109100104"))
"""The names, in DER, of signed data and of what a time stamping authority signs."""
_SHA256: Final = bytes.fromhex("300d06096086480165030402010500")


def imprint(root: str) -> bytes:
    """What a timestamp is over, in DER: SHA-256, and the root."""
    inner = _SHA256 + b"\x04\x20" + bytes.fromhex(root)
    return bytes((0x30, len(inner))) + inner


def timestamp_request(capsule: Mapping[str, Any]) -> bytes:
    """A request for a timestamp over the root, as an authority takes it; it asks for the certificate too."""
    inner = b"\x02\x01\x01" + imprint(_facts(capsule)["root"]) + b"\x01\x01\xff"
    return bytes((0x30, len(inner))) + inner


def verifier_program() -> bytes:
    """The program that checks a capsule without quorate."""
    return files("quorate.offline").joinpath(_FILES, VERIFIER).read_bytes()


def capsule_page(file: bytes, title: str) -> str:
    """The page around a capsule, which stands in it byte for byte."""
    script = files("quorate.offline").joinpath(_FILES, "capsule.js").read_text(encoding="utf-8")
    return _TEMPLATE.format(
        policy=_POLICY.format(script=policy_hash(script), style=policy_hash(_STYLE)),
        title=escape(title),
        style=_STYLE,
        capsule=file.decode("ascii"),
        script=script,
    )


_POLICY: Final = "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'"
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
input { width: 100%; font: inherit; box-sizing: border-box; }
button { font: inherit; margin-top: 0.5rem; }
"""
_TEMPLATE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>Capsule</h1>
<label for="key">Key of the signer, as the signer published it: ed25519:…</label>
<input id="key" autocomplete="off" spellcheck="false">
<button id="check" type="button">Check</button>
<p>This page checks that the capsule is unchanged and who signed it. It does not count the votes; the program
verify_capsule.py does.</p>
<div id="result" role="status">Not checked yet.</div>
<h2>Entries</h2>
<ol id="entries"></ol>
</main>
<script type="application/json" id="capsule">{capsule}</script>
<script>{script}</script>
</body>
</html>
"""
