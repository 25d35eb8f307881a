"""Secrets leave no text that is put to anybody, and come back where the user reads."""

import json
import random
import time

import pytest

from quorate.middleware.secret_redaction import SECRET_FORMS, redact_secrets
from tests.docs.tables import first, page, section

SAMPLES = {
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----",
    "AWS key": "AKIAIOSFODNN7EXAMPLE",
    "GitHub token": "ghp_" + "aB3x" * 9,
    "GitLab token": "glpat-" + "aB3x" * 5,
    "Slack token": "xoxb-" + "123456789012",
    "Stripe key": "sk_live_" + "aB3x" * 6,
    "Google key": "AIza" + "aB3x5" * 7,
    "npm token": "npm_" + "aB3x" * 9,
    "model key": "sk-" + "aB3x-" * 6,
    "JSON web token": "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF2QT4",
    "authorization": "Zm9vYmFyYmF6",
    "password in an address": "s3cr3t!",
    "assignment": "correct-horse-1",
}
WRITTEN = {
    "authorization": "Authorization: Basic {}",
    "password in an address": "postgres://app:{}@db.example/x",
    "assignment": 'db_password = "{}"',
}


@pytest.mark.parametrize("kind", SECRET_FORMS)
@pytest.mark.parametrize("wrap", [str, json.dumps, lambda text: f"+  {text}\n context"])
def test_every_known_form_is_taken_out_and_put_back(kind: str, wrap: object) -> None:
    assert callable(wrap)
    secret = SAMPLES[kind]
    text = str(wrap(f"see {WRITTEN.get(kind, '{}').format(secret)} here"))
    redacted = redact_secrets(text, {})

    assert secret not in redacted.text
    assert secret.splitlines()[0] not in redacted.text
    assert "[secret-1]" in redacted.text
    assert redacted.restore(redacted.text) == text


def test_our_own_keys_are_taken_out_however_they_are_written() -> None:
    redacted = redact_secrets("key is zebra quartz 9182736455 lamp.", {"X_API_KEY": "zebra-quartz-9182736455-lamp"})

    assert "9182736455" not in redacted.text
    assert "zebra quartz 9182736455 lamp" in redacted.restore("I saw [secret-1]")


def test_the_same_secret_has_the_same_sign_and_a_sign_that_was_there_stays() -> None:
    one, other = "ghp_" + "a1" * 20, "ghp_" + "b2" * 20
    text = f"[secret-1] {one} {other} {one}"
    redacted = redact_secrets(text, {})

    assert redacted.text == "[secret-1] [secret-x-1] [secret-x-2] [secret-x-1]"
    assert redacted.restore(redacted.text) == text


@pytest.mark.parametrize(
    "text",
    [
        "token = request.headers",
        "password: string",
        "def get_token(self):",
        "secret=None",
        "https://example.org/a:b",
        "",
    ],
)
def test_plain_code_stays_as_it_is(text: str) -> None:
    assert redact_secrets(text, {}).text == text


def test_every_known_form_is_documented() -> None:
    assert first(section(page("how-to/hooks.md"), "## Secrets")) == set(SECRET_FORMS)


@pytest.mark.parametrize(
    "piece", ["token=", "a://b:", "eyJ", "-----BEGIN PRIVATE KEY-----", "password: '", "=0a", "_-"]
)
def test_time_is_in_proportion_to_the_text(piece: str, seed: int) -> None:
    print(f"seed {seed}")  # noqa: T201
    text = "".join(random.Random(seed).choice((piece, piece, "a1", " ")) for _ in range(20_000))
    begun = time.process_time()
    redact_secrets(text, {})

    assert time.process_time() - begun < 20
