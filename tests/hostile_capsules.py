"""Capsules that a forger spelled, repeated or added to; all hashes fit, and a key that he holds signs them.

The verifier and the page must agree on each: one reader that takes what another refuses is how a forger is believed.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from quorate import catalogue
from quorate.ledger.chain import first, link
from quorate.ledger.serde import canonical
from quorate.ledger.signing.merkle import root as root_of
from quorate.ledger.signing.signing_keys import SigningKey
from quorate.offline.capsule import imprint, make_capsule, withhold, write_capsule
from tests.capsules import Capsule, record_of_events
from tests.play import convened, play, words

Cases = Iterator[tuple[str, bytes]]

TIMES = (
    *("yesterday", "", "2026-01-01", "2026-13-01T00:00:00.000000Z", "2026-02-30T00:00:00.000000Z"),
    *("2023-02-29T00:00:00.000000Z", "1900-02-29T00:00:00.000000Z", "2026-00-01T00:00:00.000000Z"),
    *("2026-01-01T24:00:00.000000Z", "2026-01-01T25:00:00.000000Z", "2026-12-31T23:59:60.000000Z"),
    *("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000+00:00", "2026-01-01 00:00:00.000000Z"),
    *("٢٠٢٦-01-01T00:00:00.000000Z", '2026-01-01T00:00:00.000000Z","x":"', "0000-01-01T00:00:00.000000Z"),
    "2026-01-01T00:00:00.000000Z\n",
)
NUMBERS = ("1.0", "1e0", "1E0", "1.5", "-0", "01", "9007199254740993", "9" * 5000, "1e400", "NaN", "Infinity")
"""What one reader takes for one number, and another for another number or for none."""
_KIND = re.compile(r'"event":"([A-Z][A-Za-z]+)"')
TOO_DEEP = "[" * 300 + "]" * 300


class Forger:
    """Makes capsules of one deliberation, and hashes and signs again whatever is changed in them."""

    def __init__(self, key: SigningKey) -> None:
        self.key = key
        self._whole = {name: json.dumps(self._made(name)) for name in ("tribunal", "debate")}

    def _made(self, protocol: str) -> Capsule:
        panel = catalogue.protocol(protocol).panel
        return make_capsule(record_of_events(play(convened(panel, protocol), lambda ask: words(ask, "ACT"))), self.key)

    def capsule(self, *hidden: str, protocol: str = "tribunal") -> Capsule:
        """A capsule of its own for each caller, with these parts withheld."""
        whole: Capsule = json.loads(self._whole[protocol])
        return withhold(whole, hidden)

    def signed(self, capsule: Capsule) -> bytes:
        """The file, signed over the statement as it is now."""
        said = f"quorate capsule 1\n{capsule['statement']}".encode(errors="surrogatepass")
        return write_capsule({**capsule, "signature": self.key.sign(said).hex()})

    def stated(self, change: Callable[[str], str]) -> bytes:
        """With another text of the statement."""
        capsule = self.capsule()
        return self.signed({**capsule, "statement": change(capsule["statement"])})

    def linked(self, entries: list[dict[str, Any]]) -> bytes:
        """With other entries, their hashes made anew."""
        capsule = self.capsule()
        facts = json.loads(capsule["statement"])
        before, hashes = first(facts["id"]), list[str]()
        for number, entry in enumerate(entries, 1):
            before = link(before, number, entry["time"], entry["event"].encode(errors="surrogatepass"))
            hashes.append(before)
        kinds = [_KIND.findall(entry["event"])[0] for entry in entries]
        facts |= {"kinds": kinds, "head": before, "root": root_of(hashes)}
        return self.signed({**capsule, "entries": entries, "statement": canonical(facts)})

    def event(self, place: int, change: Callable[[str], str]) -> bytes:
        """With another text of one event."""
        entries = self.capsule()["entries"]
        entries[place]["event"] = change(entries[place]["event"])
        return self.linked(entries)

    def entry(self, place: int, *hidden: str, **parts: object) -> bytes:
        """With other parts of one entry."""
        capsule = self.capsule(*hidden)
        capsule["entries"][place] |= parts
        return write_capsule(capsule)

    def row(self, *rows: object) -> bytes:
        """A debate with other figures, stated as they are."""
        capsule = self.capsule(protocol="debate")
        hashes = [sha256(row.encode()).hexdigest() if isinstance(row, str) else row for row in rows]
        stated = [row["sha256"] if isinstance(row, dict) else row for row in hashes]
        facts = {**json.loads(capsule["statement"]), "tally": stated}
        return self.signed({**capsule, "tally": list(rows), "statement": canonical(facts)})

    def rows(self) -> list[str]:
        rows: list[str] = self.capsule(protocol="debate")["tally"]
        return rows

    def timestamp(self, answer: bytes) -> bytes:
        return write_capsule({**self.capsule(), "timestamp": b64encode(answer).decode()})

    def answer(self) -> bytes:
        """Bytes in the form of a timestamp over the root of this capsule."""
        names = bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("060b2a864886f70d0109100104")
        inner = b"".join(names) + imprint(json.loads(self.capsule()["statement"])["root"])
        return bytes((0x30, 0x81, len(inner))) + inner


def rehashed(rest: bytes) -> bytes:
    """A file whose first line fits its other lines, as anybody can make one."""
    return b'{"quorate_capsule":1,"sha256":"%b",\n' % sha256(rest).hexdigest().encode() + rest


def rest_of(capsule: Capsule) -> bytes:
    return write_capsule(capsule).partition(b"\n")[2]


def put(written: str, changed: str) -> Callable[[str], str]:
    """Replaces what must be there."""

    def change(text: str) -> str:
        assert written in text
        return text.replace(written, changed, 1)

    return change


def plus(text: str, value: str) -> str:
    """One more member at the end of an object."""
    return f'{text[:-1]},"zzz":{value}}}'


def unsorted(text: str) -> str:
    return json.dumps(dict(reversed(json.loads(text).items())), separators=(",", ":"), ensure_ascii=False)


def sound(forger: Forger) -> Cases:
    """What both must accept: the control of all that follows, and words that are hard to spell."""
    yield "as made", write_capsule(forger.capsule())
    yield "withheld", write_capsule(forger.capsule("1:words", "3"))
    yield "hashed anew", forger.linked(forger.capsule()["entries"])
    yield "figures stated anew", forger.row(*forger.rows())
    yield "a timestamp", forger.timestamp(forger.answer())
    hard = {"zzz": "\U0001f600 \ud800 \\ud800 \x7f \u2028 </script> & é \t\x01", "__proto__": {}, "9": 1, "10": -2}
    yield "hard words", forger.event(0, lambda text: canonical({**json.loads(text), **hard}))
    signs = {"zzz\uffff": 1, "zzz\U0001f600": 9007199254740991}
    yield "keys beyond 16 bits", forger.event(0, lambda text: canonical({**json.loads(text), **signs}))


def hostile(forger: Forger) -> Cases:
    """What both must refuse."""
    yield from _files(forger)
    yield from _lists(forger)
    yield from _signatures(forger)
    yield from _statements(forger)
    yield from _events(forger)
    yield from _entries(forger)
    yield from _figures(forger)
    yield from _timestamps(forger)


def _files(forger: Forger) -> Cases:
    whole, rest = write_capsule(forger.capsule()), rest_of(forger.capsule())
    yield "byte order mark", b"\xef\xbb\xbf" + whole
    yield "first line spaced", whole.replace(b'":1,', b'": 1,', 1)
    for name, other in (
        *(("more at the end", rest + b"{}"), ("an empty line", rest + b"\n"), ("a blank", rest + b" ")),
        *(("no last line", rest[:-1]), ("CRLF", rest.replace(b"\n", b"\r\n"))),
        ("one line", json.dumps(forger.capsule())[1:].encode() + b"\n"),
        ("a key twice", rest.replace(b'"entries": [', b'"entries": [],\n "entries": [', 1)),
        ("the version twice", rest.replace(b'"withheld"', b'"quorate_capsule": 1,\n "withheld"', 1)),
        ("a key escaped", rest.replace(b'"tally"', b'"t\\u0061lly"', 1)),
        ("a sign escaped", rest.replace(b"tribunal", b"tribun\\u0061l", 1)),
        ("a slash escaped", rest.replace(b"</", b"<\\/", 1) + b" "),
    ):
        yield name, rehashed(other)
    yield "other order", write_capsule(dict(reversed(forger.capsule().items())))
    for part in ("remark", "__proto__", "constructor"):
        yield f"one more part: {part}", write_capsule({**forger.capsule(), part: {}})
    for part in ("statement", "withheld", "tally", "entries"):
        yield f"no {part}", write_capsule({k: v for k, v in forger.capsule().items() if k != part})


def _lists(forger: Forger) -> Cases:
    rest, one = rest_of(forger.capsule("1:words")), b'   1,\n   "words"'
    for number in (*NUMBERS, "true", '"1"', "null"):
        yield f"withheld {number[:9]}", rehashed(rest.replace(one, one.replace(b"1", number.encode())))
    whole = forger.capsule("1:words", "3")
    words_, event = whole["withheld"]
    for wrong in ([words_, words_, event], [[1, "event"], words_, event], [event, words_], [[*words_, "x"], event], []):
        yield f"withheld {wrong}", write_capsule({**whole, "withheld": wrong})
    empties: tuple[object, ...] = ({}, "", None)
    for empty in empties:
        for part in ("withheld", "tally", "entries"):
            yield f"{part} {empty!r}", write_capsule({**forger.capsule(), part: empty})


def _signatures(forger: Forger) -> Cases:
    whole = forger.capsule()
    signature, key = whole["signature"], whole["key"]
    for other in (signature.upper(), " ".join(re.findall("..", signature)), signature[:-1], [signature], None):
        yield f"signature {other!r:.20}", write_capsule({**whole, "signature": other})
    for other in (key[:8] + key[8:].upper(), key[8:], [key], None):
        yield f"key {other!r:.20}", write_capsule({**whole, "key": other})
    for part in ("key", "signature"):
        yield f"without {part}", write_capsule({name: value for name, value in whole.items() if name != part})


def _statements(forger: Forger) -> Cases:
    for name, change in (
        *(("blank", put('{"domains"', '{ "domains"')), ("blank after", "{} ".format), ("blank before", " {}".format)),
        *(("byte order mark", "\ufeff{}".format), ("unsorted", unsorted), ("escape", put('"head"', '"he\\u0061d"'))),
        ("verdict twice", put('"verdict":{', '"verdict":{"outcome":"REFUSE"},"verdict":{')),
        ("decided 1", put('"decided":true', '"decided":1')),
        ("decided in words", put('"decided":true', '"decided":"true"')),
        ("other rule", put('"rule":"', '"rule":"x')),
        ("one more of the verdict", put('"decided":true', '"because":"x","decided":true')),
        *(("one more", lambda text: plus(text, "1")), ("a list", lambda _: "[]"), ("nothing", lambda _: "null")),
    ):
        yield f"statement: {name}", forger.stated(change)
    for part in ("domains", "head", "id", "kinds", "root", "tally", "verdict"):
        facts = json.loads(forger.capsule()["statement"])
        del facts[part]
        yield f"statement without {part}", forger.stated(lambda _, facts=facts: canonical(facts))  # type: ignore[misc]


def _events(forger: Forger) -> Cases:
    for name, change in (
        *(("blank", put('"protocol":', '"protocol": ')), ("unsorted", unsorted)),
        ("protocol twice", put('"protocol":', '"protocol":"oracle","protocol":')),
        ("hidden twice", put("{", '{"__proto__":1,"__proto__":1,')),
        ("too deep", lambda text: plus(text, TOO_DEEP)),
        ("sorted in another way", lambda text: plus(text, '"","zzz\U0001f600":2,"zzz\uffff":1')),
        ("control sign", lambda text: plus(text, '"\\u001F"')),
    ):
        yield f"event: {name}", forger.event(0, change)
    for number in NUMBERS:
        yield f"event with {number[:9]}", forger.event(0, lambda text, number=number: plus(text, number))  # type: ignore[misc]
    entries = forger.capsule()["entries"]
    kinds = [json.loads(entry["event"])["event"] for entry in entries]
    for kind in ("Convened", "Admitted", "Spoken", "Decided"):
        once = entries[kinds.index(kind)]
        yield f"{kind} twice", forger.linked([*entries, once])
    other = {**json.loads(entries[-1]["event"])}
    other["verdict"] = {**other["verdict"], "outcome": "REFUSE"}
    yield "two verdicts", forger.linked([*entries, {**entries[-1], "event": canonical(other)}])
    yield "no verdict", forger.linked(entries[:-1])
    yield "not from the start", forger.linked(entries[1:])
    yield "a kind of event that is none", forger.linked([*entries, {**entries[-1], "event": '{"event":"Approved"}'}])
    for time in TIMES:
        yield f"time {time!r}", forger.linked([entries[0], {**entries[1], "time": time}, *entries[2:]])


def _entries(forger: Forger) -> Cases:
    more: tuple[dict[str, object], ...] = ({"remark": ""}, {"hash": "0" * 64}, {"salt": "x"})
    for parts in (*more, dict[str, object](words={}), dict[str, object](words=None)):
        yield f"entry with {parts}", forger.entry(1, **parts)
    yield "words that are not its own", forger.entry(0, words={sha256(b"x").hexdigest(): "x"})
    yield "no event", forger.entry(1, event="")
    yield "salt is no text", forger.entry(0, salt=1)
    hash_ = forger.capsule("3")["entries"][2]["hash"]
    for other in (hash_.upper(), hash_[:-1], " ".join(re.findall("..", hash_)), [hash_]):
        yield f"hash {other!r:.20}", forger.entry(2, "3", hash=other)
    last = forger.capsule(str(len(forger.capsule()["entries"])))
    for other in (last["entries"][-1]["hash"].upper(), " ".join(re.findall("..", last["entries"][-1]["hash"]))):
        entries = [*last["entries"][:-1], {"hash": other}]
        statement = canonical({**json.loads(last["statement"]), "head": other})
        yield f"last hash {other:.9}", forger.signed({**last, "entries": entries, "statement": statement})


def _figures(forger: Forger) -> Cases:
    row, *rows = forger.rows()
    entry = json.loads(row)["entry"]
    for name, other in (
        *(("blank", f"{row} "), ("unsorted", unsorted(row)), ("twice", put('"entry"', '"entry":1,"entry"')(row))),
        *(
            ("1.0", put(f'"entry":{entry}', f'"entry":{entry}.0')(row)),
            ("not JSON", "x"),
            ("of no entry", '{"salt":""}'),
        ),
    ):
        yield f"figure {name}", forger.row(other, *rows)
    yield "a figure twice", forger.row(row, *rows, row)
    yield "a figure left out, and no entry", forger.row({"sha256": sha256(row.encode()).hexdigest()}, *rows)
    yield "a figure with more", forger.row({"sha256": sha256(row.encode()).hexdigest(), "x": 1}, *rows)


def _timestamps(forger: Forger) -> Cases:
    answer = forger.answer()
    root, long = imprint(json.loads(forger.capsule()["statement"])["root"]), answer[3:]
    made_up = (b"", root, b"at noon " + root, answer + b"\0", answer[:-1], long, b"\x30\x80" + long, b"\x30\xff" + long)
    for other in (*made_up, b"\x30", answer.replace(root[-9:], b"123456789")):
        yield f"timestamp {other[:9].hex()} {len(other)}", forger.timestamp(other)
    spelt = b64encode(answer).decode()
    for odd in (f"{spelt[:4]}\n{spelt[4:]}", f"!{spelt}", f" {spelt}", f"{spelt} ", f"{spelt}=", [spelt], None, 5, ""):
        yield f"timestamp spelt {odd!r:.9}", write_capsule({**forger.capsule(), "timestamp": odd})
