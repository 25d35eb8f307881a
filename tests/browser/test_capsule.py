"""The page of a capsule in a real browser: it says what holds, and rejects what was changed."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from quorate import catalogue
from quorate.ledger.signing.signing_keys import SigningKey, load_key, new_key
from quorate.model import Decided, Origin, Panel, Reviewed, Seat
from quorate.offline.capsule import capsule_of, capsule_page, make_capsule, withhold, write_capsule
from tests.capsule_plays import drawn_events, learned
from tests.capsules import FORGERIES, Capsule, events_of, record_of_events
from tests.differential.draw import KINDS, conference_case
from tests.differential.product import state_of
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

    said = told(whole)
    assert said.startswith("HOLDS: what was checked holds, but not everything could be")
    assert "nobody vouches for it: give the signer's key" in said
    said = told(whole, key.public)
    assert said.startswith("HOLDS: everything was checked")
    assert f"Signed by {key.public}" in said
    assert ("taken as stated" in said) == (protocol in {"oracle", "debate"})


def test_the_page_tells_what_a_person_said_of_the_verdict(told: Callable[..., str], key: SigningKey) -> None:
    played = play(convened(catalogue.protocol("tribunal").panel), lambda ask: words(ask, "ACT"))
    reviewed = Reviewed(outcome="REFUSE", by="Ann", because="There is no backup.", origin=Origin(interface="terminal"))
    whole = make_capsule(record_of_events([*played, reviewed]), key)

    assert 'a person reviewed it: "REFUSE", says "Ann"' in told(write_capsule(whole), key.public)
    hidden = told(write_capsule(withhold(whole, [str(len(whole["entries"]))])), key.public)
    assert "what a person said of the verdict is withheld" in hidden
    assert "not everything could be" in hidden


def test_the_page_rejects_a_flipped_bit_wherever_it_is(told: Callable[..., str], key: SigningKey, seed: int) -> None:
    whole, chance = write_capsule(capsule(key)), Random(seed)
    for place in chance.sample(range(len(whole)), 8):
        changed = bytearray(whole)
        changed[place] ^= 1
        assert told(bytes(changed), key.public).startswith("DOES NOT HOLD"), place


@pytest.mark.parametrize("change", FORGERIES)
def test_the_page_rejects_what_was_changed_or_hidden(
    told: Callable[..., str], key: SigningKey, change: Callable[[Capsule], None]
) -> None:
    made = json.loads(json.dumps(capsule(key)))
    change(made)

    assert told(write_capsule(made)).startswith("DOES NOT HOLD")


def test_the_page_rejects_a_verdict_that_the_votes_do_not_come_to_even_if_it_is_signed(
    told: Callable[..., str], key: SigningKey
) -> None:
    panel = catalogue.protocol("tribunal").panel
    *events, _ = play(convened(panel), lambda ask: words(ask, "ACT"))
    *_, other = play(convened(panel), lambda ask: words(ask, "REFUSE"))

    said = told(write_capsule(capsule_of(record_of_events([*events, other]), key)), key.public)

    assert said.startswith("DOES NOT HOLD: the votes come to")


def test_the_page_says_when_a_withheld_ballot_matters_and_when_not(told: Callable[..., str], key: SigningKey) -> None:
    whole = capsule(key)
    kinds = json.loads(whole["statement"])["kinds"]
    ballot = str(len(kinds) - kinds[::-1].index("Spoken"))
    said = told(write_capsule(withhold(whole, [ballot])), key.public)
    assert said.startswith("HOLDS: what was checked holds, but not everything could be")
    assert "on which the outcome may rest" in said

    five = Panel(seats=tuple(Seat(name=f"Seat {number}") for number in range(5)))
    agreed = make_capsule(record_of_events(play(convened(five, "conference", (("mode", "quick"),)), words)), key)
    said = told(write_capsule(withhold(agreed, ["7"])), key.public)
    assert said.startswith("HOLDS: everything was checked")
    assert "whatever the withheld votes were" in said


@pytest.mark.parametrize("size", [1, pytest.param(8, marks=pytest.mark.promise)])
def test_the_page_counts_as_the_rules_do(chromium: Browser, tmp_path: Path, seed: int, size: int) -> None:
    chance = Random(seed)
    played = [drawn_events(name, chance) for name in catalogue.names("protocol") for _ in range(size)]
    cases = [events_of(state_of(kind(chance))) for kind in KINDS for _ in range(size)]
    learners = [events_of(learned(conference_case(chance), chance)) for _ in range(size)]
    path = tmp_path / "capsule.html"
    path.write_text(capsule_page(write_capsule(capsule_of(record_of_events(played[0]))), "A capsule"), encoding="utf-8")
    page = chromium.new_page()
    page.goto(path.as_uri())

    for events in (*played, *cases, *learners):
        file = write_capsule(capsule_of(record_of_events(events))).decode()
        notes = page.evaluate("async (text) => (await check(text, '')).notes", file)
        waits = any(isinstance(event, Decided) and event.verdict.requires_human_review for event in events)
        assert [note for note in notes if not note.startswith("taken as stated")] == [
            "nobody vouches for it: it is not signed",
            *(["note: it is for a person to review"] if waits else []),
        ]
    page.close()


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
