import dataclasses
import json
import os
from fractions import Fraction
from functools import cache
from hashlib import sha256
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quorate.errors import LedgerBroken, OtherVersion
from quorate.ledger import export as records
from quorate.ledger import serde as codec
from quorate.ledger.chain import absent, draw_salt, open_row, seal
from quorate.model import Argument, Event, Panel, Seat
from quorate.model.texts import FORGOTTEN
from tests.ledger.sample import CONVENED, EVENTS, SPOKEN
from tests.written import EVERY_EVENT

SALT = "00" * 16

HOSTILE = (
    *('"', "\\", "/", "\x00", "\x1f", "\x7f", "\x85", "\u2028", "\u2029", "\ufeff", "\ufffe", "\ud83d", "\ude00"),
    *("😀", "\r\n\t\f\b", '{"sha256":"', "</script>", "e\u0301", "\U0010ffff"),
)
TEXT = st.text(st.characters(exclude_categories=()), max_size=20) | st.lists(st.sampled_from(HOSTILE)).map("".join)
NUMBERS = st.integers() | st.sampled_from(
    [sign * 2**power + by for sign in (1, -1) for power in (53, 63, 64, 80) for by in (-1, 0, 1)]
)


def slow_bytes(plain: object) -> bytes:
    """The hashed form as it was first written, by the standard library: what is on record may never read otherwise."""
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return text.encode(errors="surrogatepass")


EMPTY = [(type(empty), empty) for empty in (None, "", (), False, 0)]


def slow_plain(value: object, field: "dataclasses.Field[Any] | None" = None) -> Any:  # noqa: ANN401  JSON is of any type
    """An event in plain JSON types as it was first written, looking at each value as it comes."""
    if field is not None and field.metadata.get("words"):
        return [slow_word(text) for text in value] if isinstance(value, tuple) else slow_word(str(value))
    if isinstance(value, tuple):
        return [slow_plain(item) for item in value]
    if isinstance(value, Fraction):
        return str(value)
    if not dataclasses.is_dataclass(value):
        return value
    written: dict[str, object] = {}
    for each in dataclasses.fields(value):
        item = getattr(value, each.name)
        if each.metadata.get("inline"):
            written |= slow_plain(item)
        elif (type(item), item) not in EMPTY or item != each.default:
            written[each.name] = slow_plain(item, each)
    return written


def slow_word(text: str) -> object:
    return {"sha256": sha256((SALT + text).encode(errors="surrogatepass")).hexdigest()} if text else ""


@cache
def any_(hint: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401  a type's own hints are of any type
    """Every value a field of that type may hold, lone surrogates included."""
    if hint is Panel:
        seats = st.lists(any_(Seat), min_size=1, max_size=3, unique_by=lambda seat: seat.name.casefold())
        return st.builds(Panel, seats=seats.map(tuple), demo=st.booleans())
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: any_(hints[field.name]) for field in dataclasses.fields(hint)})
    arms = get_args(hint)
    if get_origin(hint) is Literal:
        return st.sampled_from(arms)
    if get_origin(hint) is tuple:
        return st.lists(any_(arms[0]), max_size=2).map(tuple) if arms[-1] is ... else st.tuples(*map(any_, arms))
    if arms:
        return st.one_of(*map(any_, arms))
    return {
        str: TEXT,
        int: NUMBERS,
        bool: st.booleans(),
        NoneType: st.none(),
        Fraction: st.fractions(),
    }[hint]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
@given(drawn=st.data())
def test_every_event_is_read_back_as_it_was_written(kind: type, drawn: st.DataObject) -> None:
    event = drawn.draw(any_(kind))

    public, words = codec.encode(event, SALT)

    assert codec.decode(public, words) == event
    assert public == slow_bytes(json.loads(public.decode(errors="surrogatepass")))
    assert codec.encode(codec.decode(public, words), SALT) == (public, words)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
@given(drawn=st.data())
def test_the_hashed_form_is_byte_for_byte_what_the_standard_library_writes(kind: type, drawn: st.DataObject) -> None:
    event = drawn.draw(any_(kind))

    row = seal(event, 1, "0" * 64, "2026-11-16T00:00:00.000000Z")

    public, words = codec.encode(event, SALT)
    assert public == slow_bytes(slow_plain(event) | {"event": kind.__name__})
    assert codec.canonical_bytes(words) == slow_bytes(words)
    assert codec.canonical_bytes(codec.plain(event)) == slow_bytes(codec.plain(event))
    assert codec.canonical_event(event) == slow_bytes(codec.plain(event))
    assert absent(row) == 0
    assert open_row(row).event == event


@pytest.mark.parametrize("alone", [0x3000, pytest.param(0x110000, marks=pytest.mark.promise)])
def test_no_character_is_written_otherwise_than_by_the_standard_library(alone: int) -> None:
    """All of them among their neighbours; by themselves, halves of pairs and those below `alone`."""
    for plane in range(0, 0x110000, 0x100):
        together = [chr(one) for one in range(plane, plane + 0x100)]
        single = together if plane < alone or 0xD800 <= plane < 0xE000 else []
        for text in (*single, "".join(together)):
            assert codec.canonical_bytes({text: text}) == slow_bytes({text: text})


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**30, 10**400])
def test_a_number_of_any_size_is_read_back(number: int) -> None:
    event = dataclasses.replace(SPOKEN, reply=dataclasses.replace(SPOKEN.reply, took=number))

    public, words = codec.encode(event, SALT)

    assert f'"took":{number}'.encode() in public
    assert codec.decode(public, words) == event


def test_a_forked_child_draws_no_salt_of_its_parents() -> None:
    draw_salt()
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        os.write(writing, "\n".join(draw_salt() for _ in range(300)).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        drawn = pipe.read().split()

    mine = [draw_salt() for _ in range(600)]
    assert len({*drawn, *mine}) == 900
    assert {len(salt) for salt in drawn} == {32}


def test_a_split_surrogate_pair_stays_split() -> None:
    reply = dataclasses.replace(SPOKEN.reply, text="\ud83d" + "\ude00", model="\ud83d" + "\ude00")
    event = dataclasses.replace(SPOKEN, reply=reply)

    assert codec.decode(*codec.encode(event, SALT)) == event


def test_words_stand_apart_under_a_salted_hash() -> None:
    public, words = codec.encode(SPOKEN, SALT)

    assert b"I would wait" not in public
    assert SPOKEN.reply.text in words.values()
    assert codec.encode(SPOKEN, "11" * 16)[1].keys().isdisjoint(words)
    assert "words" not in json.dumps(codec.plain(SPOKEN))
    assert codec.plain(SPOKEN)["reply"]["text"] == SPOKEN.reply.text


def test_whoever_changes_what_he_is_shown_changes_no_record() -> None:
    before = codec.encode(CONVENED, SALT)
    for field in ("panel", "rulebook"):
        codec.plain(CONVENED)[field].clear()

    assert codec.encode(CONVENED, SALT) == before
    assert codec.plain(CONVENED) == json.loads(codec.canonical_event(CONVENED))


def test_missing_words_read_as_forgotten() -> None:
    event = codec.decode(codec.encode(SPOKEN, SALT)[0], {})

    assert event == dataclasses.replace(
        SPOKEN,
        reply=dataclasses.replace(SPOKEN.reply, text=FORGOTTEN),
        ballot=event.ballot,  # type: ignore[union-attr]
        argument=Argument(side="con", claims=(FORGOTTEN,), evidence=(FORGOTTEN,), confidence=Fraction(3, 4)),
    )


@pytest.mark.parametrize(
    ("public", "error", "sentence"),
    [
        ('{"event":"Applauded"}', OtherVersion, "another version .* can't read the event 'Applauded'"),
        ('{"event":"Halted","why":"x","mood":"y"}', OtherVersion, "can't read the field 'mood' of Halted"),
        ('{"event":"Halted"}', LedgerBroken, "Halted is incomplete"),
        ('{"event":"Halted","why":1}', LedgerBroken, "1 stands where a text should"),
        ('{"event":"Asked","round":"a","seat":"b","attempt":true}', LedgerBroken, "True stands where a whole number"),
        ('{"event":"Asked","round":"a","seat":"b","prompt":"bare"}', LedgerBroken, "hash of somebody's words"),
        ('{"event":"Found","kind":"a","round":"b","scores":[[1,2]]}', LedgerBroken, "a list of 3"),
        ('{"event":"Found","kind":"a","round":"b","scores":[[1,2,"1/0"]]}', LedgerBroken, "a fraction"),
        ('{"event":"Found","kind":"a","round":"b","scores":[[1,2,"1e999999999"]]}', LedgerBroken, "a fraction"),
        ('{"event":"Found","kind":"a","round":"b","scores":{}}', LedgerBroken, "a list"),
        ('{"event":"Routed","why":"a","seated":[]}', LedgerBroken, "a SeatModel"),
        ('{"why":"x"}', LedgerBroken, "does not say which event"),
        ('{"event":"Halted","why":NaN}', LedgerBroken, "nan stands"),
        ('{"event":"Halted","why":36893488147419103232}', LedgerBroken, "36893488147419103232 stands where a text"),
        ('{"event":"Asked","round":"a","seat":"b","attempt":1e3}', LedgerBroken, "1000.0 stands where a whole number"),
        ("[" * 100_000, LedgerBroken, "is not JSON"),
        ("[]", LedgerBroken, "no JSON object"),
        ("{", LedgerBroken, "is not JSON"),
    ],
)
def test_what_was_never_written_is_refused_with_a_sentence(public: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        codec.decode(public, {})


def test_a_panel_that_cannot_be_is_refused() -> None:
    public, words = codec.encode(EVENTS[0], SALT)

    with pytest.raises(LedgerBroken, match="Convened holds what cannot be: two seats"):
        codec.decode(public.replace(b'"Utility"', b'"Safety"'), words)


def test_the_golden_record_still_verifies_and_reads_as_it_was_written() -> None:
    lines = EVERY_EVENT.read_bytes().splitlines()

    assert records.verify_lines(lines).missing == 0
    rows = [row._replace(imported=False) for row in records.parse(lines).rows]
    assert tuple(open_row(row).event for row in rows) == EVENTS


def test_the_golden_record_is_written_as_it_was() -> None:
    """If this fails the format has changed: `make golden` writes the golden records again."""
    for row in records.parse(EVERY_EVENT.read_bytes().splitlines()).rows:
        public, _ = codec.encode(open_row(row._replace(imported=False)).event, row.salt)
        assert public == row.public


def test_the_golden_record_holds_every_event() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))
