"""A capsule: one deliberation in one file that anybody can check and count again without quorate.

It holds every entry of the record, byte for byte, the votes as they were counted, the verdict, and a signature over
what binds all of it. Words and entries can be withheld afterwards: their hashes stay, so the rest still holds.

The first line of the file holds the SHA-256 of all other lines. What is signed is the line "quorate capsule 1" and
below it the text of `signed`, as it stands in the file.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, cast

from quorate import chair
from quorate.engine.verify import UNPROVEN, refuse
from quorate.errors import BadSetting, LedgerBroken
from quorate.ledger import Row
from quorate.ledger.chain import absent, draw_salt
from quorate.ledger.serde import canonical, hash_text, load_object
from quorate.model import Approval, Ballot, Decided, Ranking, Spoken, Tally, Voice
from quorate.offline.attest import StoredRecord, verdict_on
from quorate.reading.text.listed_options import plain_option
from quorate.views import Record

if TYPE_CHECKING:
    from quorate.ledger.signing.signing_keys import SigningKey

__all__ = [
    "add_timestamp",
    "capsule_of",
    "capsule_page",
    "make_capsule",
    "parse_capsule",
    "timestamp_request",
    "verifier_files",
    "withhold",
    "write_capsule",
]

FORM: Final = "quorate_capsule"
SIGNED: Final = ("id", "head", "root", "kinds", "verdict", "outcomes", "domains")
"""What the signed text repeats of a capsule; beside it stand the hashes of the counted votes."""
_BEGINS: Final = b'{"quorate_capsule":1,"sha256":"%b",\n'
_VERIFIER: Final = ("verify_capsule.py", "capsule_rules.py")
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
    record, publics = whole.record, [load_object(row.public) for row in whole.rows]
    verdict = verdict_on(record.state, whole.id)
    asked = record.state.convened.question.text if not absent(whole.rows[0]) else None
    capsule: Document = {
        "id": whole.id,
        "question": asked,
        "panel": publics[0]["panel"],
        "rulebook": publics[0]["rulebook"],
        "verdict": {"outcome": verdict.outcome, "decided": verdict.decided, "rule": verdict.rule},
        "outcomes": [],
        "domains": [],
        "tally": [],
        "kinds": [public["event"] for public in publics],
        "head": whole.rows[-1].hash,
        "root": whole.root,
        "withheld": [[row.number, "words"] for row in whole.rows if absent(row)],
        "entries": [_entry(row) for row in whole.rows],
    }
    if isinstance(record.state.closed, Decided):
        capsule |= _counted(record)
    return capsule if key is None else {**capsule, **_signature(capsule, key)}


def _entry(row: Row) -> Document:
    written = {"time": row.time, "hash": row.hash, "event": row.public.decode(errors="surrogatepass")}
    words = load_object(row.words)
    return {**written, "salt": row.salt, "words": words} if words else written


def _counted(record: Record) -> Document:
    """The votes as they were counted. Each bears a salt, so that one can be withheld and nobody can guess it."""
    tally = chair.tally_of(record.state)
    meant = dict(tally.meant)
    rows = (*_votes(record, tally), *_without_vote(record, tally))
    return {
        "outcomes": list(tally.options),
        "domains": [[seat, domain, meant.get(seat, domain)] for seat, domain in tally.domains],
        "tally": [canonical({"salt": draw_salt(), **row}) for row in rows],
    }


def _votes(record: Record, tally: Tally) -> Iterator[Document]:
    entries = _entries(record)
    for voice in tally.voices:
        number, spoken = _spoken_by(voice, entries)
        named = _named(spoken.ballot, voice) if spoken.ballot else {}
        row = {"seat": voice.seat, "entry": number, "choices": list(voice.choices)}
        stated = {"named": named, "round": voice.round, **_figures(voice, tally)}
        yield {**row, **{name: said for name, said in stated.items() if said}}


def _spoken_by(voice: Voice, entries: Sequence[tuple[int, Spoken]]) -> tuple[int, Spoken]:
    """The entry that holds a vote: the seat's last, or its last of a round."""
    round_ = voice.round or voice.carried_from
    own = [(number, spoken) for number, spoken in entries if spoken.seat == voice.seat]
    return next(one for one in reversed(own) if round_ in {"", one[1].round})


def _figures(voice: Voice, tally: Tally) -> dict[str, str]:
    """What a verifier takes as stated: the weight of a finding's sources, or the marks of an argument."""
    if tally.sides:
        marks = {"quality": voice.quality, "consistency": voice.consistency}
        return {name: str(mark) for name, mark in marks.items() if mark is not None}
    return {} if tally.figure("overlap") is None else {"weight": str(voice.weight)}


def _entries(record: Record) -> Sequence[tuple[int, Spoken]]:
    """Every entry with a ballot or an argument up to the verdict, by its number."""
    found: list[tuple[int, Spoken]] = []
    for number, event in enumerate(record.events, 1):
        if isinstance(event, Decided):
            break
        if isinstance(event, Spoken) and (event.ballot is not None or event.argument is not None):
            found.append((number, event))
    return found


def _named(ballot: Ballot, voice: Voice) -> dict[str, str]:
    """Under which name each option that the seat wrote is counted, where that is another."""
    match ballot.vote, voice.vote:
        case Approval(written), Approval(counted):
            pairs = _matched(written, counted)
        case Ranking(places), Ranking(order):
            pairs = _matched([one for place in places for one in place], [one for place in order for one in place])
        case _, None:
            pairs = ((ballot.choice, voice.option),)
        case _:
            pairs = ()
    return {one: other for one, other in pairs if one != other}


def _matched(written: Sequence[str], counted: Sequence[str]) -> tuple[tuple[str, str], ...]:
    by_words = {plain_option(option): option for option in counted}
    return tuple((option, by_words[plain_option(option)]) for option in written)


def _without_vote(record: Record, tally: Tally) -> Iterator[Document]:
    entries = {spoken.seat: number for number, spoken in _entries(record)}
    yield from ({"seat": seat, "entry": entries[seat], "abstained": True} for seat in tally.abstained)
    yield from ({"seat": gone.seat, "silent": gone.why} for gone in tally.silent)


def _signature(capsule: Mapping[str, Any], key: "SigningKey") -> Document:
    text = canonical({**{name: capsule[name] for name in SIGNED}, "tally": [_hash(one) for one in capsule["tally"]]})
    said = f"quorate capsule 1\n{text}".encode(errors="surrogatepass")
    return {"key": key.public, "signature": key.sign(said).hex(), "signed": text}


def _hash(vote: str | Mapping[str, str]) -> str:
    return hash_text("", vote) if isinstance(vote, str) else vote["sha256"]


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
    capsule: Document = json.loads(file)
    return {name: value for name, value in capsule.items() if name not in {FORM, "sha256"}}


def withhold(capsule: Mapping[str, Any], what: Sequence[str]) -> Document:
    """The same capsule without what is named: `4` or `4:event` is a whole entry, `4:words` only what was said in it.

    A signature holds afterwards too. With a ballot goes what was counted of it, and with the question its text.

    Raises:
        BadSetting: there is no such entry.
    """
    redacted = cast("Document", json.loads(json.dumps(capsule)))
    for number, part in (_place(one, len(redacted["entries"])) for one in what):
        _drop(redacted, number, part)
    return redacted


def _drop(capsule: Document, number: int, part: str) -> None:
    """Take a part of an entry out, and whatever repeats it elsewhere."""
    entry, withheld = capsule["entries"][number - 1], dict(capsule["withheld"])
    if part == "event":
        capsule["tally"] = list(_without_entry(capsule, number))
    for name in ("salt", "words") if part == "words" else ("salt", "words", "time", "event"):
        entry.pop(name, None)
    if number == 1:
        asked = None if capsule["question"] else capsule["question"]
        capsule |= {"question": asked, **({"panel": None, "rulebook": None} if part == "event" else {})}
    if part == "event" or _NAMED in entry.get("event", ""):
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
    """The counted votes; of a seat whose vote was in that entry only the hash."""
    for vote in capsule["tally"]:
        told = isinstance(vote, str) and json.loads(vote).get("entry") == number
        yield {"sha256": _hash(vote)} if told else vote


def add_timestamp(capsule: Mapping[str, Any], answer: bytes) -> Document:
    """The same capsule with what a time stamping authority answered (RFC 3161).

    Raises:
        BadSetting: the answer is about something else.
    """
    if imprint(capsule["root"]) not in answer:
        raise BadSetting("the timestamp is not over the root of this capsule; request one with --timestamp-request")
    return {**capsule, "timestamp": b64encode(answer).decode()}


_SHA256: Final = bytes.fromhex("300d06096086480165030402010500")


def imprint(root: str) -> bytes:
    """What a timestamp is over, in DER: SHA-256, and the root."""
    inner = _SHA256 + b"\x04\x20" + bytes.fromhex(root)
    return bytes((0x30, len(inner))) + inner


def timestamp_request(capsule: Mapping[str, Any]) -> bytes:
    """A request for a timestamp over the root, as an authority takes it; it asks for the certificate too."""
    inner = b"\x02\x01\x01" + imprint(capsule["root"]) + b"\x01\x01\xff"
    return bytes((0x30, len(inner))) + inner


def timestamp_of(capsule: Mapping[str, Any]) -> bytes:
    """What the authority answered, empty if nobody was asked."""
    return b64decode(capsule.get("timestamp", ""))


def verifier_files() -> Iterator[tuple[str, bytes]]:
    """The programs that check a capsule without quorate, by name."""
    folder = files("quorate.offline").joinpath("capsule_files")
    return ((name, folder.joinpath(name).read_bytes()) for name in _VERIFIER)


def capsule_page(file: bytes, title: str) -> str:
    """The page around a capsule, which stands in it byte for byte."""
    script = files("quorate.offline").joinpath("capsule_files", "capsule.js").read_text(encoding="utf-8")
    return _TEMPLATE.format(
        policy=_POLICY.format(script=_policy_hash(script), style=_policy_hash(_STYLE)),
        title=escape(title),
        style=_STYLE,
        capsule=file.decode("ascii"),
        script=script,
    )


def _policy_hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


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
<div id="said" role="status">Not checked yet.</div>
<h2>Entries</h2>
<ol id="entries"></ol>
</main>
<script type="application/json" id="capsule">{capsule}</script>
<script>{script}</script>
</body>
</html>
"""
