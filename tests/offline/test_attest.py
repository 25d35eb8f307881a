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

from quorate.engine.review import review
from quorate.errors import BadSetting, LedgerBroken, LedgerNewer
from quorate.ledger import Ledger, open_ledger
from quorate.ledger import export as records
from quorate.ledger.signing import attestation
from quorate.ledger.signing import typed_data as typed
from quorate.ledger.signing.attestation import checked, proves, written
from quorate.ledger.signing.signing_keys import SigningKey, load_key, new_key
from quorate.model import Event, Found, Passage, Spoken
from quorate.model.evidence import Evidence
from quorate.model.texts import FORGOTTEN
from quorate.offline.attest import Kept, agrees, attest, comes_to, kept, prove, settled, statement_of
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


async def whole_of(ledger: Ledger, events: list[Event]) -> Kept:
    return await kept(ledger, await keep(ledger, events))


def holds(look: Callable[[], object]) -> bool:
    try:
        look()
    except (LedgerBroken, LedgerNewer):
        return False
    return True


async def test_an_attestation_says_what_the_record_says(ledger: Ledger, key: SigningKey) -> None:
    whole = await whole_of(ledger, tribunal({**AGREED, "Safety": "WARN"}))

    said = checked(attest(whole, key), ["ed25519:" + "0" * 64, key.public])

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
            if holds(lambda: checked(bytes(file), [key.public])):
                unseen.append((place, bit))
            file[place] ^= 1 << bit

    assert holds(lambda: checked(bytes(file), [key.public]))
    assert unseen == []


async def test_every_lost_or_doubled_byte_and_every_other_order_shows(ledger: Ledger, key: SigningKey) -> None:
    file = attest(await whole_of(ledger, tribunal()), key)

    for place in range(len(file)):
        assert not holds(lambda cut=place: checked(file[:cut] + file[cut + 1 :], [key.public]))  # type: ignore[misc]
        assert not holds(lambda cut=place: checked(file[: cut + 1] + file[cut:], [key.public]))  # type: ignore[misc]
    doubled = file.replace(b'"outcome":', b'"outcome": "ACT",\n  "outcome":')
    for changed in (doubled, file.replace(b'": "', b'":"'), file + b"\n", b" " + file):
        assert not holds(lambda text=changed: checked(text, [key.public]))  # type: ignore[misc]


async def test_a_statement_that_another_key_signed_or_nobody_is_refused(
    ledger: Ledger, key: SigningKey, tmp_path: Path
) -> None:
    file = attest(await whole_of(ledger, tribunal()), key)
    other = new_key(tmp_path / "other.pem")
    said = json.loads(file)

    with pytest.raises(LedgerBroken, match="which is none of the keys given with --key"):
        checked(file, [other])
    with pytest.raises(LedgerBroken, match="changed or forged"):
        checked(written({**said, "key": other}), [other])
    for bad in (None, "", "0" * 128, said["signature"].upper()):
        assert not holds(lambda text=bad: checked(written({**said, "signature": text}), [key.public]))  # type: ignore[misc]
    with pytest.raises(LedgerNewer, match="form 2"):
        checked(file.replace(b'attestation": 1', b'attestation": 2'), [key.public])


async def test_a_cut_record_shows_exactly_when_it_was_attested_beyond_the_cut(ledger: Ledger, key: SigningKey) -> None:
    whole = await whole_of(ledger, tribunal())
    await review(ledger, whole.id, outcome="ACT", by="Ann", because="fine")
    grown = await kept(ledger, whole.id)
    before, after = (checked(attest(one, key), [key.public]) for one in (whole, grown))

    assert agrees(before, grown) == ("the record has grown by 1 since it was attested",)
    assert agrees(before, whole) == ()
    with pytest.raises(LedgerBroken, match=r"when it was attested and has .* it was cut"):
        agrees(after, whole)


async def test_another_record_or_another_content_does_not_agree(ledger: Ledger, key: SigningKey) -> None:
    whole, other = await whole_of(ledger, tribunal()), await whole_of(ledger, tribunal())
    said = checked(attest(whole, key), [key.public])

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
    said = checked(attest(await kept(ledger, id_), key), [key.public])
    await records.forget(ledger, id_)
    whole = await kept(ledger, id_)

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
        assert proves(proof, checked(file, [key.public]))["hash"] == whole.rows[number - 1].hash
        assert check(str(tmp_path / "a.json"), str(tmp_path / "p.json"), key.public) == (
            f"holds: entry {number} of {len(whole.rows)} is {whole.rows[number - 1].hash}"
        )
    with pytest.raises(BadSetting, match="and no entry 0"):
        prove(whole, 0)


async def test_every_flipped_bit_of_a_proof_shows(ledger: Ledger, key: SigningKey) -> None:
    whole = await whole_of(ledger, tribunal())
    said, file = checked(attest(whole, key), [key.public]), bytearray(prove(whole, 7))

    assert holds(lambda: proves(bytes(file), said))
    for place in range(len(file)):
        for bit in range(8):
            file[place] ^= 1 << bit
            assert not holds(lambda: proves(bytes(file), said)), (place, bit)
            file[place] ^= 1 << bit


async def test_a_contract_is_told_only_of_what_is_settled(ledger: Ledger) -> None:
    acted = await whole_of(ledger, tribunal(AGREED))
    assert settled(acted)["outcome"] == "ACT"
    assert comes_to(settled(acted), acted) == ()

    tie = await asyncio.to_thread(conference)
    for events in (tribunal(), demo(), tie):
        with pytest.raises(BadSetting, match="has settled nothing that a contract could act on"):
            settled(await whole_of(ledger, events))
    with pytest.raises(BadSetting, match="no verdict yet"):
        settled(await whole_of(ledger, [convened(PANEL)]))

    split = await whole_of(ledger, tribunal())
    await review(ledger, split.id, outcome="REFUSE", by="Ann", because="no")
    assert settled(await kept(ledger, split.id))["outcome"] == "REFUSE"


@pytest.mark.slow
async def test_a_message_for_a_contract_is_read_back_and_every_flipped_bit_shows(
    ledger: Ledger, tmp_path: Path
) -> None:
    whole = await whole_of(ledger, tribunal(AGREED))
    address = typed.new_key(tmp_path / "key")
    file = bytearray(typed.signed(settled(whole), typed.Domain.of(1, "0x" + "aB" * 20), tmp_path / "key"))

    assert typed.checked(bytes(file), [address.lower()])["message"] == settled(whole)
    with pytest.raises(LedgerBroken, match="none of the keys"):
        typed.checked(bytes(file), ["0x" + "00" * 20])
    # Recovering an address takes a millisecond or more, so one bit of each byte, a different one each time.
    for place in range(len(file)):
        file[place] ^= 1 << place % 8
        assert not holds(lambda: typed.checked(bytes(file), [address])), place
        file[place] ^= 1 << place % 8


async def test_a_record_that_comes_to_something_else_does_not_agree(ledger: Ledger) -> None:
    whole, other = await whole_of(ledger, tribunal(AGREED)), await whole_of(ledger, tribunal(AGREED))
    said: dict[str, Any] = settled(whole)

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
        with pytest.raises(BadSetting, match="never written over"):
            make(where)
        (link := tmp_path / f"{make.__module__}.link").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(BadSetting, match="never written over"):
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
        typed.signed({}, typed.Domain.of(1, "0x" + "11" * 20), tmp_path / "key")
    with pytest.raises(BadSetting, match="cannot read the key"):
        load_key(tmp_path / "nothing")


def test_what_is_no_statement_is_refused_with_a_sentence() -> None:
    for text in (b"", b"[]", b"{", b'{"a": 1}', b"[" * 100_000, b"\xff"):
        with pytest.raises(LedgerBroken):
            attestation.parsed(text, attestation.FORM)
