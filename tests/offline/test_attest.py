"""What is attested of a record, and what shows when either is changed."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from quorate.engine.person_entries import review
from quorate.errors import BadSetting, LedgerBroken, OtherVersion
from quorate.ledger import Ledger, open_ledger
from quorate.ledger import export as records
from quorate.ledger.signing import attestation
from quorate.ledger.signing import typed_data as typed
from quorate.ledger.signing.attestation import check_statement, proves, write_statement
from quorate.ledger.signing.signing_keys import SigningKey, load_key, new_key
from quorate.model import Event, Found, Origin, Passage, Spoken
from quorate.model.evidence import Evidence
from quorate.model.texts import FORGOTTEN
from quorate.offline.attest import (
    StoredRecord,
    agrees,
    attest,
    comes_to,
    final_outcome,
    prove,
    statement_of,
    stored_record,
)
from tests.ledger.prover import check
from tests.play import convened
from tests.reviewing import conference, demo, tribunal
from tests.reviewing import kept as keep
from tests.tribunal import PANEL

AGREED = dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT")


@pytest.fixture
async def ledger() -> AsyncIterator[Ledger]:
    opened = open_ledger(":memory:")
    yield opened
    await opened.close()


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    new_key(tmp_path / "key.pem")
    return load_key(tmp_path / "key.pem")


async def whole_of(ledger: Ledger, events: list[Event]) -> StoredRecord:
    return await stored_record(ledger, await keep(ledger, events))


def holds(look: Callable[[], object]) -> bool:
    try:
        look()
    except (LedgerBroken, OtherVersion):
        return False
    return True


async def test_an_attestation_says_what_the_record_says(ledger: Ledger, key: SigningKey) -> None:
    whole = await whole_of(ledger, tribunal({**AGREED, "Safety": "WARN"}))

    said = check_statement(attest(whole, key), ["ed25519:" + "0" * 64, key.public])

    assert (said["outcome"], said["decided"], said["rule"], said["review"]) == ("ACT", True, "supermajority", None)
    assert [(one["seat"], one["choice"], one["confidence"]) for one in said["ballots"]] == [
        ("Utility", "ACT", "7/10"), ("Accuracy", "ACT", "7/10"), ("Safety", "WARN", "7/10"),
    ]  # fmt: skip
    assert said["record"] == {"entries": len(whole.rows), "head": whole.rows[-1].hash, "root": whole.root}
    assert agrees(said, whole) == ()


async def test_neither_seed_nor_prompt_nor_private_key_is_in_it(
    ledger: Ledger, key: SigningKey, tmp_path: Path
) -> None:
    whole = await whole_of(ledger, tribunal())
    secret = (tmp_path / "key.pem").read_text().splitlines()[1]

    for file in (attest(whole, key), prove(whole, 2)):
        assert b"5eed5eed" not in file
        assert b"BALLOT" not in file
        assert secret.encode() not in file


@pytest.mark.slow
async def test_every_flipped_bit_of_an_attestation_shows(ledger: Ledger, key: SigningKey) -> None:
    file = bytearray(attest(await whole_of(ledger, tribunal()), key))
    unseen = []
    for place in range(len(file)):
        for bit in range(8):
            file[place] ^= 1 << bit
            if holds(lambda: check_statement(bytes(file), [key.public])):
                unseen.append((place, bit))
            file[place] ^= 1 << bit

    assert holds(lambda: check_statement(bytes(file), [key.public]))
    assert unseen == []


async def test_every_lost_or_doubled_byte_and_every_other_order_shows(ledger: Ledger, key: SigningKey) -> None:
    file = attest(await whole_of(ledger, tribunal()), key)

    for place in range(len(file)):
        assert not holds(lambda cut=place: check_statement(file[:cut] + file[cut + 1 :], [key.public]))  # type: ignore[misc]
        assert not holds(lambda cut=place: check_statement(file[: cut + 1] + file[cut:], [key.public]))  # type: ignore[misc]
    doubled = file.replace(b'"outcome":', b'"outcome": "ACT",\n  "outcome":')
    for changed in (doubled, file.replace(b'": "', b'":"'), file + b"\n", b" " + file):
        assert not holds(lambda text=changed: check_statement(text, [key.public]))  # type: ignore[misc]


async def test_a_statement_that_another_key_signed_or_nobody_is_refused(
    ledger: Ledger, key: SigningKey, tmp_path: Path
) -> None:
    file = attest(await whole_of(ledger, tribunal()), key)
    other = new_key(tmp_path / "other.pem")
    said = json.loads(file)

    with pytest.raises(LedgerBroken, match="which is none of the keys given with --key"):
        check_statement(file, [other])
    with pytest.raises(LedgerBroken, match="changed or forged"):
        check_statement(write_statement({**said, "key": other}), [other])
    for bad in (None, "", "0" * 128, said["signature"].upper()):
        assert not holds(lambda text=bad: check_statement(write_statement({**said, "signature": text}), [key.public]))  # type: ignore[misc]
    with pytest.raises(OtherVersion, match="form 2"):
        check_statement(file.replace(b'attestation": 1', b'attestation": 2'), [key.public])


async def test_a_cut_record_shows_exactly_when_it_was_attested_beyond_the_cut(ledger: Ledger, key: SigningKey) -> None:
    whole = await whole_of(ledger, tribunal())
    await review(ledger, whole.id, outcome="ACT", by="Ann", because="fine")
    grown = await stored_record(ledger, whole.id)
    before, after = (check_statement(attest(one, key), [key.public]) for one in (whole, grown))

    assert agrees(before, grown) == ("the record has grown by 1 since it was attested",)
    assert agrees(before, whole) == ()
    with pytest.raises(LedgerBroken, match=r"when it was attested and has .* it was cut"):
        agrees(after, whole)


async def test_another_record_or_another_content_does_not_agree(ledger: Ledger, key: SigningKey) -> None:
    whole, other = await whole_of(ledger, tribunal()), await whole_of(ledger, tribunal())
    said = check_statement(attest(whole, key), [key.public])

    with pytest.raises(LedgerBroken, match="give its record"):
        agrees(said, other)
    for name in statement_of(whole):
        if name != "id":
            with pytest.raises(LedgerBroken, match=f"its {name} is another"):
                agrees({**said, name: {"entries": len(whole.rows)} if name == "record" else "other"}, whole)


async def test_a_record_whose_texts_were_forgotten_still_agrees_and_is_not_attested_anew(
    ledger: Ledger, key: SigningKey
) -> None:
    id_ = await keep(ledger, tribunal())
    await review(ledger, id_, outcome="ACT", by="Ann", because="fine")
    said = check_statement(attest(await stored_record(ledger, id_), key), [key.public])
    await records.forget(ledger, id_)
    whole = await stored_record(ledger, id_)

    assert statement_of(whole)["review"]["because"] == FORGOTTEN
    assert agrees(said, whole) == ("its texts have been forgotten, so they were not compared",)
    assert not holds(lambda: agrees({**said, "outcome": "ACT"}, whole))
    with pytest.raises(BadSetting, match="were forgotten"):
        attest(whole, key)


async def test_what_has_not_ended_is_not_attested(ledger: Ledger, key: SigningKey) -> None:
    with pytest.raises(BadSetting, match="has no verdict yet, so there is nothing to attest"):
        attest(await whole_of(ledger, tribunal()[:-1]), key)


async def test_cited_sources_are_named_by_hashes_of_address_and_text(ledger: Ledger) -> None:
    events = tribunal()
    place = max(place for place, event in enumerate(events) if isinstance(event, Spoken) and event.ballot)
    spoken = events[place]
    assert isinstance(spoken, Spoken)
    assert spoken.ballot is not None
    cited = tuple(Evidence(url=url) for url in ("https://a.example/", "https://b.example/"))
    events[place] = replace(spoken, ballot=replace(spoken.ballot, evidence=cited))
    passage = Passage(url="https://b.example/", digest="d" * 64)
    events.insert(place, Found(kind="find", round="analysis", seat="Safety", passages=(passage,)))

    sources = statement_of(await whole_of(ledger, events))["sources"]

    assert [source["digest"] for source in sources] == [None, "d" * 64]
    assert sources[1]["url_sha256"] == sha256(b"https://b.example/").hexdigest()


async def test_a_proof_is_checked_by_us_and_by_a_stranger(ledger: Ledger, key: SigningKey, tmp_path: Path) -> None:
    whole = await whole_of(ledger, tribunal())
    file = attest(whole, key)
    (tmp_path / "a.json").write_bytes(file)

    for number in range(1, len(whole.rows) + 1):
        proof = prove(whole, number)
        (tmp_path / "p.json").write_bytes(proof)
        assert proves(proof, check_statement(file, [key.public]))["hash"] == whole.rows[number - 1].hash
        assert check(str(tmp_path / "a.json"), str(tmp_path / "p.json"), key.public) == (
            f"holds: entry {number} of {len(whole.rows)} is {whole.rows[number - 1].hash}"
        )
    with pytest.raises(BadSetting, match="and no entry 0"):
        prove(whole, 0)


async def test_every_flipped_bit_of_a_proof_shows(ledger: Ledger, key: SigningKey) -> None:
    whole = await whole_of(ledger, tribunal())
    said, file = check_statement(attest(whole, key), [key.public]), bytearray(prove(whole, 7))

    assert holds(lambda: proves(bytes(file), said))
    for place in range(len(file)):
        for bit in range(8):
            file[place] ^= 1 << bit
            assert not holds(lambda: proves(bytes(file), said)), (place, bit)
            file[place] ^= 1 << bit


async def test_a_contract_is_told_only_of_what_is_settled(ledger: Ledger) -> None:
    acted = await whole_of(ledger, tribunal(AGREED))
    assert final_outcome(acted)["outcome"] == "ACT"
    assert comes_to(final_outcome(acted), acted) == ()

    tie = await asyncio.to_thread(conference)
    for events in (tribunal(), demo(), tie):
        with pytest.raises(BadSetting, match="has settled nothing that a contract could act on"):
            final_outcome(await whole_of(ledger, events))
    with pytest.raises(BadSetting, match="no verdict yet"):
        final_outcome(await whole_of(ledger, [convened(PANEL)]))

    split = await whole_of(ledger, tribunal())
    await review(ledger, split.id, outcome="REFUSE", by="Ann", because="no")
    with pytest.raises(BadSetting, match="has settled nothing that a contract could act on"):
        final_outcome(await stored_record(ledger, split.id))
    await review(
        ledger, split.id, outcome="REFUSE", by="Ann", because="no", origin=Origin(interface="terminal", caller="ann")
    )
    assert final_outcome(await stored_record(ledger, split.id))["outcome"] == "REFUSE"


@pytest.mark.slow
async def test_a_message_for_a_contract_is_read_back_and_every_flipped_bit_shows(
    ledger: Ledger, tmp_path: Path
) -> None:
    whole = await whole_of(ledger, tribunal(AGREED))
    address = typed.new_key(tmp_path / "key")
    file = bytearray(typed.sign_message(final_outcome(whole), typed.Domain.of(1, "0x" + "aB" * 20), tmp_path / "key"))

    assert typed.check_message(bytes(file), [address.lower()])["message"] == final_outcome(whole)
    with pytest.raises(LedgerBroken, match="none of the keys"):
        typed.check_message(bytes(file), ["0x" + "00" * 20])
    # Recovering an address takes a millisecond or more, so one bit of each byte, a different one each time.
    for place in range(len(file)):
        file[place] ^= 1 << place % 8
        assert not holds(lambda: typed.check_message(bytes(file), [address])), place
        file[place] ^= 1 << place % 8


async def test_a_record_that_comes_to_something_else_does_not_agree(ledger: Ledger) -> None:
    whole, other = await whole_of(ledger, tribunal(AGREED)), await whole_of(ledger, tribunal(AGREED))
    said: dict[str, Any] = final_outcome(whole)

    for changed, record in ((said, other), ({**said, "outcome": "WARN"}, whole), (said, whole.upto(5))):
        with pytest.raises(LedgerBroken, match="does not come to what was signed"):
            comes_to(changed, record)


@pytest.mark.parametrize("outcome", ["", "x" * 129, "\ud800"])
def test_an_outcome_that_a_contract_cannot_take_is_refused(outcome: str) -> None:
    with pytest.raises(BadSetting, match="a contract takes an outcome of"):
        typed.message(id_="a" * 26, question="?", outcome=outcome, root="0" * 64, time="2026-11-16T00:00:00Z")


@pytest.mark.slow
def test_a_key_is_kept_for_its_owner_alone_and_never_written_over(tmp_path: Path) -> None:
    for make in (new_key, typed.new_key):
        where = tmp_path / f"{make.__module__}.key"
        make(where)
        before = where.read_bytes()
        assert where.stat().st_mode & 0o777 == 0o600
        with pytest.raises(BadSetting, match="never overwritten"):
            make(where)
        (link := tmp_path / f"{make.__module__}.link").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(BadSetting, match="never overwritten"):
            make(link)
        assert where.read_bytes() == before
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.slow
def test_the_library_leaves_the_limit_on_nesting_where_it_was(tmp_path: Path) -> None:
    before = sys.getrecursionlimit()
    typed.new_key(tmp_path / "key")

    assert sys.getrecursionlimit() == before


@pytest.mark.slow
@pytest.mark.parametrize("text", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_what_is_no_key_is_refused_with_a_sentence(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "key").write_bytes(text)

    with pytest.raises(BadSetting, match="quorate attest keygen --key FILE"):
        load_key(tmp_path / "key")
    with pytest.raises(BadSetting, match="quorate attest keygen --as eip712"):
        typed.sign_message({}, typed.Domain.of(1, "0x" + "11" * 20), tmp_path / "key")
    with pytest.raises(BadSetting, match="cannot read the key"):
        load_key(tmp_path / "nothing")


def test_what_is_no_statement_is_refused_with_a_sentence() -> None:
    for text in (b"", b"[]", b"{", b'{"a": 1}', b"[" * 100_000, b"\xff"):
        with pytest.raises(LedgerBroken):
            attestation.parse_statement(text, attestation.FORM)
