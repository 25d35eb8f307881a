from collections.abc import Sequence

import pytest

from quorate.errors import LedgerBroken, OtherVersion
from quorate.ledger import Row, new_id, open_ledger
from quorate.ledger import export as records
from quorate.ledger.chain import drop_words, first, line, link, open_row, parse_row, seal, verify_chain
from quorate.ledger.serde import canonical, load_object
from quorate.model import Halted
from tests.ledger.contract import written
from tests.ledger.sample import EVENTS
from tests.written import EVERY_EVENT

LINES = EVERY_EVENT.read_bytes().splitlines()
ID = records.parse(LINES).id
ROWS = tuple(records.parse(LINES).rows)


def holds(lines: Sequence[bytes]) -> bool:
    try:
        records.verify_lines(lines)
    except (LedgerBroken, OtherVersion):
        return False
    return True


async def small() -> bytes:
    ledger = open_ledger(":memory:")
    return b"".join(await records.export(ledger, await written(ledger, EVENTS[4], EVENTS[5], EVENTS[11])))


async def test_every_flipped_bit_shows() -> None:
    whole = bytearray(await small())
    unseen = []
    for place in range(len(whole) - 1):
        for bit in range(8):
            whole[place] ^= 1 << bit
            if holds(bytes(whole).split(b"\n")[:-1]):
                unseen.append((place, bit))
            whole[place] ^= 1 << bit

    assert unseen == []


async def test_every_lost_or_doubled_character_shows() -> None:
    whole = await small()

    for place in range(len(whole) - 1):
        assert not holds((whole[:place] + whole[place + 1 :]).splitlines())
        assert not holds((whole[: place + 1] + whole[place:]).splitlines())


def test_every_swap_deletion_insertion_and_cut_of_lines_shows() -> None:
    assert holds(LINES)
    for place in range(len(LINES)):
        assert not holds(LINES[:place] + LINES[place + 1 :])
        assert not holds(LINES[: place + 1] + LINES[place:])
        assert not holds(LINES[:place])
    for place in range(len(LINES) - 1):
        assert not holds([*LINES[:place], LINES[place + 1], LINES[place], *LINES[place + 2 :]])


def test_the_first_changed_entry_is_named() -> None:
    changed = [*LINES]
    changed[4] = changed[4].replace(b"I would wait", b"I would not!")
    changed[7] = changed[7].replace(b"compare", b"comparE")

    with pytest.raises(LedgerBroken, match=f"entry 4 of {ID} was changed: its words are not"):
        records.verify_lines(changed)


def test_a_record_cannot_pass_for_anothers() -> None:
    with pytest.raises(LedgerBroken, match=r"entry 1 .* does not follow"):
        verify_chain(new_id(), ROWS)


def test_words_that_were_never_written_cannot_be_added() -> None:
    other = seal(EVENTS[3], 1, first(ID), ROWS[0].time)
    bare = next(row for row in ROWS if row.words == b"{}")
    stuffed = bare._replace(salt=other.salt, words=other.words)

    with pytest.raises(LedgerBroken, match="its words are not"):
        verify_chain(ID, [*ROWS[: bare.number - 1], stuffed])


def test_a_salt_without_words_is_refused() -> None:
    bare = ROWS[0]._replace(words=b"{}")

    with pytest.raises(LedgerBroken, match="entry 1"):
        verify_chain(ID, [bare])
    assert verify_chain(ID, [drop_words(ROWS[0])]).missing == 6


def test_lines_read_back_byte_for_byte() -> None:
    own = [row._replace(imported=False) for row in ROWS]
    assert [parse_row(line(row).removesuffix(b"\n")) for row in own] == own
    assert parse_row(LINES[1] + b" ") is None
    assert parse_row(LINES[1].replace(b'"words":', b'"words" :')) is None
    assert parse_row(b"") is None


def test_a_word_written_in_other_escapes_shows() -> None:
    prompt = next(row for row in ROWS if rb"\u001f" in row.words)

    with pytest.raises(LedgerBroken):
        verify_chain(
            ID, [*ROWS[: prompt.number - 1], prompt._replace(words=prompt.words.replace(rb"\u001f", rb"\u001F"))]
        )


def test_words_are_stored_in_canonical_json() -> None:
    assert all(canonical(load_object(row.words)).encode(errors="surrogatepass") == row.words for row in ROWS)


def test_a_newer_form_of_record_is_refused() -> None:
    with pytest.raises(OtherVersion, match="form 2"):
        records.verify_lines([LINES[0].replace(b'"quorate":1', b'"quorate":2'), *LINES[1:]])


@pytest.mark.parametrize("lines", [[], [b""], [b"{}"], [b"\xff"], [LINES[1]]])
def test_what_is_no_record_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(LedgerBroken, match="not a quorate record"):
        records.verify_lines(lines)


def test_a_stranger_can_check_the_chain_by_its_description() -> None:
    row: Row = ROWS[1]

    assert link(ROWS[0].hash, 2, row.time, row.public) == row.hash
    assert ROWS[0].before == first(ID)


@pytest.mark.parametrize(
    ("written", "changed"),
    [
        (b'{"event":', b'{ "event":'),
        (b'"event":"Halted"', b'"event":"Halted","event":"Halted"'),
        (b'"event":"Halted"', b'"event":"Decided","event":"Halted"'),
        (b'"Halted"', b'"H\\u0061lted"'),
        (b'"event":"Halted"', b'"event":"Halted" '),
    ],
)
def test_an_event_in_another_spelling_is_refused_though_its_hashes_fit(written: bytes, changed: bytes) -> None:
    """Another reader may take the other one of two values under a repeated key."""
    id_ = new_id()
    row = seal(Halted(why="x"), 1, first(id_), "2026-11-16T00:00:00.000000Z")
    assert verify_chain(id_, [row]).entries == 1
    public = row.public.replace(written, changed, 1)
    assert public != row.public
    forged = row._replace(public=public, hash=link(row.before, 1, row.time, public))

    with pytest.raises(LedgerBroken, match=r"a key is repeated in it, or it is spelt as quorate never spells it"):
        verify_chain(id_, [forged])
    header = b'{"quorate":1,"id":"%b","entries":1,"head":"%b"}\n' % (id_.encode(), forged.hash.encode())
    with pytest.raises(LedgerBroken, match=r"a key is repeated in it, or it is spelt as quorate never spells it"):
        records.verify_lines([header, line(forged)])


@pytest.mark.parametrize(
    "time",
    [
        *("2026-11-16T00:00:00Z", "2026-11-16T00:00:00.000Z", "20261116T000000.000000Z", "2026-W47-1T00:00:00Z"),
        *(
            "2026-13-01T00:00:00.000000Z",
            "2026-02-30T00:00:00.000000Z",
            "2026-01-01T25:00:00.000000Z",
            "--------------------",
        ),
    ],
)
def test_a_time_in_another_form_or_that_never_was_is_refused_though_its_hashes_fit(time: str) -> None:
    row = seal(Halted(why="x"), 1, first(new_id()), time)

    with pytest.raises(LedgerBroken, match="is no time"):
        open_row(row)
