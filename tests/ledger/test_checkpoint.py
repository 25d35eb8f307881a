"""A checkpoint kept elsewhere shows what a chain cannot: all of it written anew, cut at its end, or removed."""

import json
from pathlib import Path

import pytest

from quorate.errors import LedgerBroken, NotRecorded, OtherVersion
from quorate.ledger import Ledger, Row, open_ledger
from quorate.ledger import export as records
from quorate.ledger.chain import first, seal
from quorate.ledger.signing.attestation import CHECKPOINT, compare, heads_of, make_checkpoint, open_checkpoint
from quorate.ledger.signing.attestation import write_statement as as_written
from quorate.ledger.signing.signing_keys import load_key, new_key
from quorate.model import Event
from tests.ledger.contract import written
from tests.ledger.sample import ASKED, CONVENED, EVENTS, SPOKEN


@pytest.fixture
def ledger() -> Ledger:
    return open_ledger(":memory:")


def rows_of(id_: str, *events: Event) -> list[Row]:
    rows = [seal(events[0], 1, first(id_), "2026-11-16T00:00:00.000000Z")]
    for number, event in enumerate(events[1:], 2):
        rows.append(seal(event, number, rows[-1].hash, "2026-11-16T00:00:00.000000Z"))
    return rows


async def beside(heads_from: Ledger, **found: list[Row]) -> tuple[str, ...]:
    """What a ledger with these records shows beside a checkpoint of another."""
    here = open_ledger(":memory:")
    for id_, rows in found.items():
        await here.adopt(id_, rows)
    return (
        await compare(here, open_checkpoint(make_checkpoint(await heads_of(heads_from), "quorate", None), ())[1])
    ).wrong


async def test_records_that_are_as_they_were_or_have_grown_hold(ledger: Ledger) -> None:
    one, _ = await written(ledger, CONVENED, ASKED), await written(ledger, *EVENTS)
    heads = await heads_of(ledger)
    async with ledger.own(one) as book:
        book.write(SPOKEN)
    await written(ledger, CONVENED)

    found = await compare(ledger, heads)

    assert (found.wrong, found.held, found.grown, found.new) == ((), 2, 1, 1)
    await records.forget(ledger, one)
    assert (await compare(ledger, heads)).wrong == ()


async def test_a_record_that_was_written_anew_cut_or_removed_shows(ledger: Ledger) -> None:
    id_ = await written(ledger, CONVENED, ASKED, SPOKEN)
    rows = list(await ledger.rows(id_))

    assert await beside(ledger, **{id_: rows}) == ()
    assert "has 2; it was cut" in (await beside(ledger, **{id_: rows[:2]}))[0]
    anew = rows_of(id_, CONVENED, ASKED, SPOKEN)
    assert "it was changed" in (await beside(ledger, **{id_: anew}))[0]
    assert "is gone" in (await beside(ledger))[0]
    broken = [rows[0], rows[1]._replace(public=rows[1].public.replace(b"analysis", b"Analysis")), rows[2]]
    assert "does not follow the one before" in (await beside(ledger, **{id_: broken}))[0]


async def test_every_flipped_bit_of_a_signed_checkpoint_shows(ledger: Ledger, tmp_path: Path) -> None:
    await written(ledger, CONVENED)
    public = new_key(tmp_path / "key.pem")
    file = bytearray(make_checkpoint(await heads_of(ledger), "quorate", load_key(tmp_path / "key.pem")))
    assert open_checkpoint(bytes(file), [public])[0]["key"] == public
    unseen = []
    for place in range(len(file)):
        file[place] ^= 1
        try:
            open_checkpoint(bytes(file), [public])
            unseen.append(place)
        except (LedgerBroken, OtherVersion):
            pass
        file[place] ^= 1

    assert unseen == []


async def test_a_checkpoint_nobody_trusted_has_signed_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    await written(ledger, CONVENED)
    other = new_key(tmp_path / "other.pem")
    heads = await heads_of(ledger)

    with pytest.raises(LedgerBroken, match="nobody signed it"):
        open_checkpoint(make_checkpoint(heads, "quorate", None), [other])
    new_key(tmp_path / "key.pem")
    with pytest.raises(LedgerBroken, match="none of the keys"):
        open_checkpoint(make_checkpoint(heads, "quorate", load_key(tmp_path / "key.pem")), [other])


@pytest.mark.parametrize(
    "changed",
    [{"records": []}, {"records": [{"id": "x"}]}, {"root": "0" * 64}, {"records": None}, {CHECKPOINT: 0}],
)
async def test_what_is_no_checkpoint_is_refused(ledger: Ledger, changed: dict[str, object]) -> None:
    await written(ledger, CONVENED)
    file = json.loads(make_checkpoint(await heads_of(ledger), "quorate", None))

    with pytest.raises(LedgerBroken):
        open_checkpoint(as_written({**file, **changed}), ())


async def test_an_empty_ledger_has_nothing_to_keep(ledger: Ledger) -> None:
    with pytest.raises(NotRecorded, match="holds nothing that a checkpoint could keep"):
        await heads_of(ledger)
