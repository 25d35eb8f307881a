import json
from pathlib import Path

import pytest

from quorate.ledger.signing.attestation import sign_statement
from quorate.ledger.signing.signing_keys import load_key
from tests.doors.conftest import Quorate
from tests.doors.test_cli_review import SAYS, owners, put
from tests.reviewing import tribunal

AGREED = dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT")


@pytest.fixture
def held(home: Path) -> str:
    return put(home, tribunal(AGREED))


@pytest.fixture
def public(quorate: Quorate, home: Path) -> str:
    """The public half of the key in signing.pem."""
    told = quorate("attest", "keygen", "--key", str(home / "signing.pem"))
    assert told.code == 0
    return told.out.strip()


def attested(quorate: Quorate, home: Path) -> str:
    file = home / "attestation.json"
    assert quorate("attest", "last", "--key", str(home / "signing.pem"), "-o", str(file)).code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    return str(file)


def test_an_attestation_is_checked_here_and_anywhere_else(quorate: Quorate, home: Path, held: str, public: str) -> None:
    file = attested(quorate, home)
    exported = home / "record.jsonl"
    exported.write_text(quorate("export", held).out, encoding="utf-8")
    elsewhere = ("--ledger", str(home / "nothing.db"))

    here = quorate("verify", file, "--key", public, "--json").document
    assert (here["id"], here["outcome"], here["record"], here["holds"]) == (held, "ACT", "agrees", True)
    assert quorate("verify", file, "--key", public, "--json", *elsewhere).document["record"] == "absent"
    beside = quorate("verify", file, "--key", public, "--json", "--record", str(exported), *elsewhere)
    assert beside.document["record"] == "agrees"
    assert not (home / "nothing.db").exists()


def test_a_signature_by_nobody_you_trust_is_an_error(quorate: Quorate, home: Path, held: str, public: str) -> None:
    file = attested(quorate, home)

    for given in ((), ("--key", "ed25519:" + "0" * 64), ("--key", public.upper())):
        told = quorate("verify", file, *given)
        assert (told.code, told.out) == (1, "")
        assert "--key" in told.err


def test_a_changed_attestation_or_record_is_an_error(quorate: Quorate, home: Path, held: str, public: str) -> None:
    file = Path(attested(quorate, home))
    file.write_text(file.read_text(encoding="utf-8").replace('"ACT"', '"REFUSE"'), encoding="utf-8")
    assert quorate("verify", str(file), "--key", public).code == 1

    put(home, tribunal(AGREED))
    other = home / "other.jsonl"
    other.write_text(quorate("export", "last").out, encoding="utf-8")
    assert quorate("verify", attested(quorate, home), "--key", public, "--record", str(other)).code == 0
    assert quorate("attest", held, "--key", str(home / "signing.pem"), "-o", str(file)).code == 0
    told = quorate("verify", str(file), "--key", public, "--record", str(other))
    assert told.code == 1
    assert "give its record" in told.err


def test_a_proof_leads_to_the_root_of_its_attestation(quorate: Quorate, home: Path, held: str, public: str) -> None:
    file, proof = attested(quorate, home), home / "proof.json"
    assert quorate("attest", held, "--entry", "3", "--output", str(proof)).code == 0
    given = ("--attestation", file, "--key", public)

    entries = quorate("verify", held, "--json").document["entries"]
    stands = f"proof    holds: entry 3 of {entries} of {held} has the hash "
    assert quorate("verify", str(proof), *given).out.startswith(stands)
    assert quorate("verify", str(proof), *given, "--json").document["entry"] == 3
    assert quorate("verify", str(proof), "--key", public).code == 1
    assert quorate("verify", str(proof), "--attestation", file).code == 1
    proof.write_text(proof.read_text(encoding="utf-8").replace('"entry": 3', '"entry": 4'), encoding="utf-8")
    assert quorate("verify", str(proof), *given).code == 1
    beyond = quorate("attest", held, "--entry", str(entries + 1)).err
    assert f"has entries 1 to {entries}, and no entry {entries + 1}" in beyond


def test_a_review_is_attested_with_its_name(quorate: Quorate, home: Path, public: str) -> None:
    put(home, tribunal())
    quorate("review", "last", "--outcome", "REFUSE", *SAYS)

    told = quorate("verify", attested(quorate, home), "--key", public)

    assert "says     WARN, by a person's review REFUSE" in told.out


@pytest.mark.slow
def test_a_message_for_a_contract_is_signed_and_checked(quorate: Quorate, home: Path, held: str) -> None:
    key, file = str(home / "chain.key"), str(home / "typed.json")
    address = quorate("attest", "keygen", "--as", "eip712", "--key", key).out.strip()
    meant = ("--chain-id", "1", "--contract", "0x" + "1a" * 20)

    assert quorate("attest", held, "--as", "eip712", "--key", key).code == 2
    assert quorate("attest", held, "--as", "eip712", "--key", key, *meant, "-o", file).code == 0
    told = quorate("verify", file, "--key", address, "--json").document
    assert (told["id"], told["key"], told["outcome"], told["record"]) == (held, address, "ACT", "agrees")
    assert quorate("verify", file, "--key", "0x" + "00" * 20).code == 1


def test_a_key_or_a_link_is_never_written_over(quorate: Quorate, home: Path, held: str, public: str) -> None:
    key = home / "signing.pem"
    before = key.read_bytes()
    assert quorate("attest", "keygen", "--key", str(key)).code == 1
    (home / "link").symlink_to(key)
    told = quorate("attest", "last", "--key", str(key), "-o", str(home / "link"))

    assert (told.code, told.out) == (1, "")
    assert key.read_bytes() == before


@pytest.mark.parametrize("words", [("attest", "keygen"), ("attest", "last")])
def test_without_a_key_nothing_is_signed(quorate: Quorate, held: str, words: tuple[str, ...]) -> None:
    told = quorate(*words)

    assert (told.code, told.out) == (2, "")
    assert "--key FILE" in told.err


def test_a_checkpoint_shows_that_a_ledger_was_written_anew(
    quorate: Quorate, home: Path, held: str, public: str
) -> None:
    file, key = str(home / "checkpoint.json"), str(home / "signing.pem")
    assert quorate("checkpoint", "--key", key, "-o", file).code == 0
    later = put(home, tribunal())

    told = quorate("verify", "--against", file, "--key", public)
    assert (told.code, told.out.splitlines()[1]) == (0, "records  hold: 1 of 1 begin as they did then, 0 have grown")
    assert quorate("verify", held, "--against", file, "--json").document["holds"] is True
    assert "it began later" in quorate("verify", later, "--against", file).err
    assert quorate("verify", "--against", file, "--key", "ed25519:" + "0" * 64).code == 1
    (home / "ledger.db").unlink()
    put(home, tribunal(AGREED))
    gone = quorate("verify", "--against", file, "--key", public, "--json")
    assert (gone.code, gone.document["holds"], gone.document["held"]) == (1, False, 0)
    assert f"{held} had" in gone.err


def test_what_waits_for_a_person_is_signed_as_no_finding(quorate: Quorate, home: Path, public: str) -> None:
    put(home, tribunal())
    file = attested(quorate, home)
    said = json.loads(Path(file).read_text(encoding="utf-8"))

    assert (said["state"], said["finding"], said["check"]["state"]) == ("awaits_review", None, "holds")
    told = quorate("verify", file, "--key", public)
    assert "says     WARN, which is not a finding: it waits for a person to review" in told.out
    assert quorate("verify", file, "--key", public, "--json").document["state"] == "awaits_review"
    quorate("review", "last", "--outcome", "REFUSE", *SAYS)
    unconfirmed = json.loads(Path(attested(quorate, home)).read_text(encoding="utf-8"))
    assert (unconfirmed["state"], unconfirmed["finding"]) == ("awaits_review", None)
    put(home, [*tribunal(), owners("REFUSE")])
    again = json.loads(Path(attested(quorate, home)).read_text(encoding="utf-8"))
    assert (again["state"], again["finding"]) == ("reviewed", "REFUSE")


def test_an_attestation_that_leaves_out_where_it_stands_is_refused(
    quorate: Quorate, home: Path, held: str, public: str
) -> None:
    file, key = home / "short.json", load_key(home / "signing.pem")
    said = json.loads(Path(attested(quorate, home)).read_text(encoding="utf-8"))
    ours = {"quorate_attestation", "key", "signature", "state", "finding", "check"}
    file.write_bytes(sign_statement({name: value for name, value in said.items() if name not in ours}, key))

    told = quorate("verify", str(file), "--key", public, "--json")

    assert (told.code, told.out) == (1, "")
    assert "does not say what was attested" in told.err
