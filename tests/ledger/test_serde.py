import dataclasses
import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quorate.errors import LedgerBroken, LedgerNewer
from quorate.ledger import export as records
from quorate.ledger import serde as codec
from quorate.ledger.chain import open_row
from quorate.model import Argument, Event, Panel, Seat
from quorate.model.texts import FORGOTTEN
from tests.ledger.sample import EVENTS, SPOKEN

GOLDEN = Path(__file__).parents[1] / "golden" / "ledger-1.jsonl"
SALT = "00" * 16
ADDED_SINCE: frozenset[str] = frozenset()
"""Fields with a default that were added after the golden record was made."""

TEXT = st.text(st.characters(exclude_categories=()), max_size=20)


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
        int: st.integers(),
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

    stored = public.encode(errors="surrogatepass")
    assert codec.decode(stored, words) == event
    assert public == codec.canonical(json.loads(public))
    assert codec.encode(codec.decode(stored, words), SALT) == (public, words)


def test_a_split_surrogate_pair_stays_split() -> None:
    reply = dataclasses.replace(SPOKEN.reply, text="\ud83d" + "\ude00", model="\ud83d" + "\ude00")
    event = dataclasses.replace(SPOKEN, reply=reply)

    assert codec.decode(*codec.encode(event, SALT)) == event


def test_words_stand_apart_under_a_salted_hash() -> None:
    public, words = codec.encode(SPOKEN, SALT)

    assert "I would wait" not in public
    assert SPOKEN.reply.text in words.values()
    assert codec.encode(SPOKEN, "11" * 16)[1].keys().isdisjoint(words)
    assert "words" not in json.dumps(codec.plain(SPOKEN))
    assert codec.plain(SPOKEN)["reply"]["text"] == SPOKEN.reply.text


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
        ('{"event":"Applauded"}', LedgerNewer, "does not know the event 'Applauded'.*upgrade"),
        ('{"event":"Halted","why":"x","mood":"y"}', LedgerNewer, "Halted has a field 'mood'.*upgrade"),
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
        codec.decode(public.replace('"Utility"', '"Safety"'), words)


def test_the_golden_record_still_verifies_and_reads_as_it_was_written() -> None:
    lines = GOLDEN.read_bytes().splitlines()

    assert records.verify_lines(lines).missing == 0
    assert tuple(open_row(row).event for row in records.parse(lines).rows) == EVENTS


def test_no_default_has_changed_since_the_golden_record() -> None:
    for row in records.parse(GOLDEN.read_bytes().splitlines()).rows:
        public, _ = codec.encode(open_row(row).event, row.salt)
        now = {key: value for key, value in json.loads(public).items() if key not in ADDED_SINCE}
        assert now == codec.load_object(row.public)


def test_the_golden_record_holds_every_event() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))
