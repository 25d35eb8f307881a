import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quorate.ledger.signing.signing_keys import new_key
from tests.doors.conftest import Quorate
from tests.doors.test_cli_review import put
from tests.reviewing import tribunal

AGREED = dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT")


@pytest.fixture
def public(home: Path) -> str:
    return new_key(home / "signing.pem")


@pytest.fixture
def capsule(quorate: Quorate, home: Path, public: str) -> Path:
    """A signed capsule with its verifier beside it."""
    put(home, tribunal(AGREED))
    file = home / "capsule.json"
    assert quorate("capsule", "last", "--key", str(home / "signing.pem"), "-o", str(file)).code == 0
    return file


def check(file: Path, *key: str) -> int:
    return subprocess.run(
        (sys.executable, str(file.parent / "verify_capsule.py"), str(file), *key), check=False
    ).returncode


def test_a_capsule_is_written_with_its_verifier_and_holds(capsule: Path, public: str) -> None:
    assert capsule.stat().st_mode & 0o777 == 0o600
    assert check(capsule, public) == 0
    assert check(capsule, "ed25519:" + "0" * 64) == 1
    assert check(capsule) == 3


def test_a_capsule_in_a_file_is_redacted_without_the_key(quorate: Quorate, capsule: Path, public: str) -> None:
    other = capsule.with_name("redacted.json")

    assert quorate("capsule", str(capsule), "--redact", "1:words", "--no-verifier", "-o", str(other)).code == 0

    assert "words" not in json.loads(other.read_bytes())["entries"][0]
    assert check(other, public) == 0
    told = quorate("capsule", str(capsule), "--key", "signing.pem", "-o", str(other))
    assert (told.code, "keeps the signature" in told.err) == (2, True)
    told = quorate("capsule", str(capsule), "--redact", "77", "-o", str(other))
    assert (told.code, "cannot withhold '77'" in told.err) == (1, True)


def test_a_capsule_is_not_replaced_by_itself_with_parts_withheld(quorate: Quorate, capsule: Path) -> None:
    whole = capsule.read_bytes()

    told = quorate("capsule", str(capsule), "--redact", "1:words", "-o", str(capsule))

    assert (told.code, "would lose what is withheld" in told.err) == (1, True)
    assert capsule.read_bytes() == whole


def test_what_is_no_capsule_or_has_no_verdict_is_refused(quorate: Quorate, home: Path, capsule: Path) -> None:
    capsule.write_bytes(capsule.read_bytes().replace(b"ACT", b"act", 1))
    assert "was changed" in quorate("capsule", str(capsule)).err
    assert quorate("capsule", "nothing-like-it").code == 1


def openssl(*words: str, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(("openssl", *words), cwd=where, check=False, capture_output=True, text=True)


CONFIG = """\
[tsa]
default_tsa = mine
[mine]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
certs = tsa.pem
default_policy = 1.2.3.4.1
digests = sha256
signer_digest = sha256
ess_cert_id_chain = no
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = an authority
[extensions]
extendedKeyUsage = critical,timeStamping
basicConstraints = critical,CA:true
"""


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl as the timestamp authority")
def test_a_timestamp_over_the_root_is_asked_for_kept_and_checked(
    quorate: Quorate, capsule: Path, public: str, home: Path
) -> None:
    (home / "tsa.cnf").write_text(CONFIG)
    (home / "serial").write_text("01\n")
    made = ("-newkey", "rsa:2048", "-nodes", "-keyout", "tsa.key", "-out", "tsa.pem", "-config", "tsa.cnf")
    assert openssl("req", "-x509", *made, where=home).returncode == 0
    asked, answer = str(home / "asked.tsq"), str(home / "answer.tsr")
    assert quorate("capsule", str(capsule), "--timestamp-request", asked, "-o", str(home / "again.json")).code == 0
    replied = openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", asked, "-out", answer, where=home)
    assert replied.returncode == 0, replied.stderr

    assert quorate("capsule", str(capsule), "--timestamp", answer, "-o", str(capsule)).code == 0

    stamped = json.loads(capsule.read_bytes())
    assert check(capsule, public) == 0
    given = ("-digest", json.loads(stamped["statement"])["root"], "-in", answer, "-CAfile", "tsa.pem")
    assert "Verification: OK" in openssl("ts", "-verify", *given, where=home).stdout
    put(home, tribunal(AGREED))
    told = quorate("capsule", "last", "--timestamp", answer, "-o", str(home / "other.json"))
    assert (told.code, "not over the root" in told.err) == (1, True)
