"""The page of a capsule in a real browser: it shows the capsule, rejects what was changed, and counts nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from quorate import catalogue
from quorate.ledger.signing.signing_keys import SigningKey, load_key, new_key
from quorate.model import Origin, Reviewed
from quorate.offline.capsule import capsule_of, capsule_page, make_capsule, withhold, write_capsule
from tests.capsules import FORGERIES, Capsule, record_of_events, run_verifier
from tests.hostile_capsules import Forger, hostile, sound
from tests.play import convened, play, words

pytestmark = pytest.mark.browser


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    new_key(tmp_path / "key.pem")
    return load_key(tmp_path / "key.pem")


@pytest.fixture
def page_text(chromium: Browser, tmp_path: Path) -> Callable[..., str]:
    """What the page of a capsule says, once a key is given."""

    def open_page(file: bytes, public: str = "") -> str:
        path = tmp_path / "capsule.html"
        path.write_text(capsule_page(file, "A capsule"), encoding="utf-8")
        page = chromium.new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        expect(page.locator("#result[data-done]")).to_be_visible()
        if public:
            page.evaluate("() => delete document.getElementById('result').dataset.done")
            page.fill("#key", public)
            page.click("#check")
            expect(page.locator("#result[data-done]")).to_be_visible()
        text = page.inner_text("#result")
        page.close()
        assert requests == [path.as_uri()]
        return text

    return open_page


def capsule(key: SigningKey, protocol: str = "tribunal") -> Capsule:
    panel = catalogue.protocol(protocol).panel
    return make_capsule(record_of_events(play(convened(panel, protocol), lambda ask: words(ask, "ACT"))), key)


@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_the_page_of_every_protocol_is_unchanged_and_shows_the_recorded_verdict(
    page_text: Callable[..., str], key: SigningKey, protocol: str
) -> None:
    whole = capsule(key, protocol)
    verdict = json.loads(whole["statement"])["verdict"]

    text = page_text(write_capsule(whole))
    assert text.startswith("UNCHANGED: ")
    assert "Nobody vouches for it: enter the signer's key above." in text
    text = page_text(write_capsule(whole), key.public)
    assert text.startswith("UNCHANGED: ")
    assert f"Signed by {key.public}." in text
    assert f"Recorded verdict: {verdict['outcome'] or 'no outcome'}, " in text
    assert f" by the rule {verdict['rule']}" in text


def test_the_page_tells_what_a_person_said_of_the_verdict(page_text: Callable[..., str], key: SigningKey) -> None:
    played = play(convened(catalogue.protocol("tribunal").panel), lambda ask: words(ask, "ACT"))
    reviewed = Reviewed(outcome="REFUSE", by="Ann", because="There is no backup.", origin=Origin(interface="terminal"))
    whole = make_capsule(record_of_events([*played, reviewed]), key)

    assert 'A person reviewed it: "REFUSE", says "Ann".' in page_text(write_capsule(whole), key.public)
    hidden = page_text(write_capsule(withhold(whole, [str(len(whole["entries"]))])), key.public)
    assert "A person reviewed the verdict; what they said is withheld." in hidden


def test_the_page_rejects_a_flipped_bit_wherever_it_is(
    page_text: Callable[..., str], key: SigningKey, seed: int
) -> None:
    whole, chance = write_capsule(capsule(key)), Random(seed)
    for place in chance.sample(range(len(whole)), 8):
        changed = bytearray(whole)
        changed[place] ^= 1
        assert page_text(bytes(changed), key.public).startswith("DOES NOT HOLD"), place


@pytest.mark.parametrize("change", FORGERIES)
def test_the_page_rejects_what_was_changed_or_hidden(
    page_text: Callable[..., str], key: SigningKey, change: Callable[[Capsule], None]
) -> None:
    made = json.loads(json.dumps(capsule(key)))
    change(made)

    assert page_text(write_capsule(made)).startswith("DOES NOT HOLD")


def test_the_page_does_not_count_and_says_who_does(
    page_text: Callable[..., str], key: SigningKey, tmp_path: Path
) -> None:
    """A signed capsule with a verdict that its votes don't come to: only the Python verifier can refute it."""
    panel = catalogue.protocol("tribunal").panel
    *events, _ = play(convened(panel), lambda ask: words(ask, "ACT"))
    *_, other = play(convened(panel), lambda ask: words(ask, "REFUSE"))
    wrong = capsule_of(record_of_events([*events, other]), key)

    text = page_text(write_capsule(wrong), key.public)

    assert text.startswith("UNCHANGED: ")
    assert "Not checked here: whether the verdict follows from the votes." in text
    assert f"python verify_capsule.py capsule.json {key.public}" in text
    code, counted = run_verifier(tmp_path, wrong, key.public)
    assert (code, counted.startswith("DOES NOT HOLD: the votes come to")) == (1, True)


def test_the_page_rejects_another_key(page_text: Callable[..., str], key: SigningKey, tmp_path: Path) -> None:
    new_key(tmp_path / "other.pem")
    forged = capsule(load_key(tmp_path / "other.pem"))
    assert "not by the key that you gave" in page_text(write_capsule(forged), key.public)
    forged["key"] = key.public
    assert "the signature is not of this key" in page_text(write_capsule(forged), key.public)


def test_the_page_says_what_is_withheld(page_text: Callable[..., str], key: SigningKey) -> None:
    text = page_text(write_capsule(withhold(capsule(key), ["1:words", "3"])), key.public)

    assert "Question: (withheld)" in text
    assert "words of entry 1, event of entry 3" in text


def test_the_page_accepts_what_is_sound_and_refuses_all_that_is_spelled_or_made_up(
    chromium: Browser, key: SigningKey, tmp_path: Path
) -> None:
    """The same tables as the verifier's: the two agree. The page's own function is asked, on one page for all."""
    forger, path = Forger(key), tmp_path / "capsule.html"
    path.write_text(capsule_page(write_capsule(forger.capsule()), "A capsule"), encoding="utf-8")
    page = chromium.new_page()
    page.goto(path.as_uri())

    def refused(file: bytes, public: str) -> bool:
        ask = "([text, key]) => check(text, key).then(() => false, () => true)"
        answer: bool = page.evaluate(ask, [file.decode(), public])
        return answer

    for public in (key.public, ""):
        assert [name for name, file in sound(forger) if refused(file, public)] == []
        assert [name for name, file in hostile(forger) if not refused(file, public)] == []
    page.close()
