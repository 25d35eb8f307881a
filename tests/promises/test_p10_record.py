"""P10: any change to the record shows; what only an attestation kept elsewhere can show, it shows."""

import os
import random
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from quorate.errors import LedgerBroken, OtherVersion
from quorate.ledger import Row, new_id
from quorate.ledger import export as records
from quorate.ledger.chain import absent, first, follows, line, parse_row, seal
from quorate.ledger.signing import attestation, merkle
from quorate.model import Event, Silent
from quorate.offline.attest import StoredRecord, agrees, statement_of
from tests.figures import Figure
from tests.house.tree import ROOT
from tests.ledger import prover
from tests.reviewing import tribunal

pytestmark = pytest.mark.promise

EVENTS = 1000
ID = new_id()
GUIDE = ROOT / "docs" / "how-to" / "attest.md"


def thousand() -> list[Row]:
    """A tribunal, drawn out to a thousand entries by silences that change nothing."""
    played = tribunal()
    gone = [Silent(round="extra", seat="Safety", about=str(number), why="timeout", detail="late")
            for number in range(EVENTS - len(played))]  # fmt: skip
    events: list[Event] = [*played[:-1], *gone, played[-1]]
    rows: list[Row] = []
    for number, event in enumerate(events, 1):
        before = rows[-1].hash if rows else first(ID)
        rows.append(seal(event, number, before, f"2026-11-16T00:00:00.{number:06}Z"))
    return rows


ROWS = thousand()


def exported(rows: list[Row]) -> list[bytes]:
    header = b'{"quorate":1,"id":"%b","entries":%d,"head":"%b"}\n' % (ID.encode(), len(rows), rows[-1].hash.encode())
    return [header, *map(line, rows)]


def shows(lines: list[bytes]) -> bool:
    try:
        records.verify_lines(lines)
    except (LedgerBroken, OtherVersion):
        return True
    return False


def stands(text: bytes, number: int, before: str) -> bool:
    """Whether a line holds in its place: all that a check of the whole asks of it, once what stands before it holds."""
    row = parse_row(text)
    try:
        return row is not None and follows(row, number, before) and absent(row) >= 0
    except (LedgerBroken, OtherVersion):
        return False


ALL = pytest.param(1, marks=pytest.mark.long, id="all")
"""Of what is changed in turn, every one."""


@pytest.mark.parametrize("every", [3, ALL])
def test_every_flipped_bit_of_an_entry_shows(every: int, figure: Figure) -> None:
    flips, unseen, rows = 0, 0, ROWS[::every]
    for row in rows:
        text = bytearray(line(row)[:-1])
        assert stands(bytes(text), row.number, row.before)
        for place in range(len(text)):
            for bit in range(8):
                text[place] ^= 1 << bit
                unseen += stands(bytes(text), row.number, row.before)
                text[place] ^= 1 << bit
        flips += 8 * len(text)

    figure(f"{flips:,} bits flipped in {len(rows):,} entries, {unseen} unseen")
    assert unseen == 0


@pytest.mark.parametrize("flips", [500, pytest.param(5_000, marks=pytest.mark.long)])
def test_flipped_bits_show_to_a_check_of_the_whole(flips: int, seed: int) -> None:
    chance, whole = random.Random(seed), bytearray(b"".join(exported(ROWS)))
    assert not shows(bytes(whole).splitlines(keepends=True))

    for _ in range(flips):
        place, bit = chance.randrange(len(whole) - 1), 1 << chance.randrange(8)
        whole[place] ^= bit
        assert shows(bytes(whole).splitlines(keepends=True)), (place, bit)
        whole[place] ^= bit


@pytest.mark.parametrize("entries", [250, pytest.param(1_000, marks=pytest.mark.long)])
def test_every_swap_deletion_and_insertion_shows(entries: int) -> None:
    lines = exported(ROWS[:entries])

    for place in range(len(lines)):
        assert shows(lines[:place] + lines[place + 1 :])
        assert shows(lines[: place + 1] + lines[place:])
    for place in range(len(lines) - 1):
        assert shows([*lines[:place], lines[place + 1], lines[place], *lines[place + 2 :]])


@pytest.mark.parametrize("every", [5, ALL])
def test_a_cut_that_the_header_hides_shows_exactly_to_an_attestation_of_what_is_gone(every: int) -> None:
    attested = statement_of(StoredRecord(id=ID, rows=ROWS))

    for kept in (*range(1, EVENTS, every), EVENTS - 1):
        cut = ROWS[:kept]
        assert not shows(exported(cut))
        with pytest.raises(LedgerBroken, match="it was cut"):
            agrees(attested, StoredRecord(id=ID, rows=cut))
    longer = [*ROWS, seal(Silent(round="x", seat="Safety", why="timeout"), EVENTS + 1, ROWS[-1].hash, ROWS[-1].time)]
    assert agrees(attested, StoredRecord(id=ID, rows=longer)) == ("the record has grown by 1 since it was attested",)


def test_another_history_under_the_same_id_shows() -> None:
    attested = statement_of(StoredRecord(id=ID, rows=ROWS))
    forked = ROWS[:500]
    for row in ROWS[500:]:
        forked.append(row._replace(before=forked[-1].hash, time="2026-11-16T00:00:01.000000Z"))
        last = forked[-1]
        forked[-1] = last._replace(hash=sha256(
            b'{"before":"%b","number":%d,"time":"%b"}\n%b'
            % (last.before.encode(), last.number, last.time.encode(), last.public)).hexdigest())  # fmt: skip
    assert not shows(exported(forked))

    with pytest.raises(LedgerBroken, match="its record is another"):
        agrees(attested, StoredRecord(id=ID, rows=forked))


def test_the_proof_of_every_entry_fits_in_a_kilobyte_and_a_stranger_can_check_it() -> None:
    root = merkle.root(row.hash for row in ROWS)
    assert len(Path(prover.__file__).read_text(encoding="utf-8").splitlines()) <= 60

    for number in range(1, EVENTS + 1, 7):
        proof = attestation.proof(ID, ROWS, number)
        stated = attestation.parse_statement(proof, attestation.PROOF)
        assert len(proof) <= 1024
        assert prover.root(stated) == root


def test_the_proof_of_one_entry_of_half_a_million_fits_in_a_kilobyte(figure: Figure) -> None:
    rows = [Row(number, "", "", f"{number:064x}", b"") for number in range(1, 500_001)]

    proof = attestation.proof(ID, rows, 432_101)

    figure(f"proof of one entry of 500,000: {len(proof):,} bytes")
    assert len(proof) <= 1024
    assert prover.root(attestation.parse_statement(proof, attestation.PROOF)) == merkle.root(row.hash for row in rows)


MANY = int(os.environ.get("QUORATE_ENTRIES", "1000000"))
"""Entries of the long size."""
PROOF = 1052
"""Bytes of the proof of one entry of a million, as the guide states them."""


def written(entries: int, file: Path) -> list[str]:
    """A record of so many entries, a line each, without its header; their hashes."""
    hashes = [first(ID)]
    with file.open("wb") as lines:
        for number in range(1, entries + 1):
            event = Silent(round="extra", seat="Safety", about=str(number), why="timeout", detail="late")
            row = seal(event, number, hashes[-1], f"2026-11-16T00:00:00.{number % 10**6:06}Z")
            lines.write(line(row))
            hashes.append(row.hash)
    return hashes[1:]


def whole(file: Path, hashes: list[str]) -> Iterator[bytes]:
    yield b'{"quorate":1,"id":"%b","entries":%d,"head":"%b"}\n' % (ID.encode(), len(hashes), hashes[-1].encode())
    with file.open("rb") as lines:
        yield from lines


@pytest.mark.long
def test_changes_to_a_record_of_a_million_entries_show(tmp_path: Path, seed: int, figure: Figure) -> None:
    chance, file = random.Random(seed), tmp_path / "lines"
    hashes = written(MANY, file)
    began = time.process_time()
    checked = records.verify_lines(whole(file, hashes))
    seconds = time.process_time() - began
    assert (checked.entries, checked.head) == (MANY, hashes[-1])

    flips = unseen = 0
    with file.open("rb") as lines:
        for number, text in enumerate(lines, 1):
            if chance.random() < 20_000 / MANY:
                place, bit = chance.randrange(len(text) - 1), 1 << chance.randrange(8)
                flipped = text[:place] + bytes([text[place] ^ bit]) + text[place + 1 : -1]
                unseen += stands(flipped, number, hashes[number - 2] if number > 1 else first(ID))
                flips += 1

    figure(f"{MANY:,} entries verified in {seconds:.1f} s of processor time; {flips:,} bits flipped, {unseen} unseen")
    assert flips > 1000
    assert unseen == 0


@pytest.mark.long
def test_the_proof_of_one_entry_of_a_million_is_as_long_as_the_guide_says(figure: Figure) -> None:
    rows = [Row(number, "", "", f"{number:064x}", b"") for number in range(1, 1_000_001)]

    proof = attestation.proof(ID, rows, 765_432)

    figure(f"proof of one entry of 1,000,000: {len(proof):,} bytes")
    assert len(proof) == PROOF
    assert f"{PROOF:,} bytes" in GUIDE.read_text(encoding="utf-8")
    assert prover.root(attestation.parse_statement(proof, attestation.PROOF)) == merkle.root(row.hash for row in rows)
