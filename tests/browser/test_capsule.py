"""The page of a capsule in a real browser: it says what holds, and rejects what was changed."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from quorate import catalogue
from quorate.ledger.signing.signing_keys import SigningKey, load_key, new_key
from quorate.offline.capsule import capsule_page, make_capsule, withhold, write_capsule
from tests.capsules import Capsule, change_rulebook, forge_verdict, hide_words, record_of_events, swap_events
from tests.play import convened, play, words

pytestmark = pytest.mark.browser


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    new_key(tmp_path / "key.pem")
    return load_key(tmp_path / "key.pem")


@pytest.fixture
def told(chromium: Browser, tmp_path: Path) -> Callable[..., str]:
    """What the page of a capsule says, once a key is given."""

    def opened(file: bytes, public: str = "") -> str:
        path = tmp_path / "capsule.html"
        path.write_text(capsule_page(file, "A capsule"), encoding="utf-8")
        page = chromium.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        expect(page.locator("#said[data-done]")).to_be_visible()
        if public:
            page.evaluate("() => delete document.getElementById('said').dataset.done")
            page.fill("#key", public)
            page.click("#check")
            expect(page.locator("#said[data-done]")).to_be_visible()
        said = page.inner_text("#said")
        page.close()
        assert asked == [path.as_uri()]
        return said

    return opened


def capsule(key: SigningKey, protocol: str = "tribunal") -> Capsule:
    panel = catalogue.protocol(protocol).panel
    return make_capsule(record_of_events(play(convened(panel, protocol), lambda ask: words(ask, "ACT"))), key)


@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_the_page_of_every_protocol_holds(told: Callable[..., str], key: SigningKey, protocol: str) -> None:
    whole = write_capsule(capsule(key, protocol))

    assert "Nobody vouches for it yet" in told(whole)
    said = told(whole, key.public)
    assert said.startswith("HOLDS")
    assert f"Signed by {key.public}" in said


def test_the_page_rejects_a_flipped_bit_wherever_it_is(told: Callable[..., str], key: SigningKey, seed: int) -> None:
    whole, chance = write_capsule(capsule(key)), Random(seed)
    for place in chance.sample(range(len(whole)), 8):
        changed = bytearray(whole)
        changed[place] ^= 1
        assert told(bytes(changed), key.public).startswith("DOES NOT HOLD"), place


@pytest.mark.parametrize("change", [swap_events, change_rulebook, forge_verdict, hide_words])
def test_the_page_rejects_what_was_changed_or_hidden(
    told: Callable[..., str], key: SigningKey, change: Callable[[Capsule], None]
) -> None:
    made = json.loads(json.dumps(capsule(key)))
    change(made)

    assert told(write_capsule(made)).startswith("DOES NOT HOLD")


def test_the_page_rejects_another_key(told: Callable[..., str], key: SigningKey, tmp_path: Path) -> None:
    new_key(tmp_path / "other.pem")
    forged = capsule(load_key(tmp_path / "other.pem"))
    assert "not by the key that you gave" in told(write_capsule(forged), key.public)
    forged["key"] = key.public
    assert "the signature is not of this key" in told(write_capsule(forged), key.public)


def test_the_page_says_what_is_withheld(told: Callable[..., str], key: SigningKey) -> None:
    said = told(write_capsule(withhold(capsule(key), ["1:words", "3"])), key.public)

    assert "Question: (withheld)" in said
    assert "words of entry 1, event of entry 3" in said
