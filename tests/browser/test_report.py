"""The one-file report in a real browser: every protocol, every width, both themes, by mouse and by keyboard."""

import re
from itertools import product

import pytest
from playwright.sync_api import expect

from quorate.model import Reply
from tests.browser.conftest import SCHEMES, WIDTHS, Opener, Scheme
from tests.browser.records import RECORDS, tribunal
from tests.play import words

SOME: tuple[tuple[int, Scheme], ...] = ((360, "light"), (1440, "dark"))
"""Widths and themes that every protocol is looked at in; the tribunal is in all of them."""

pytestmark = [pytest.mark.browser, pytest.mark.promise]


@pytest.mark.parametrize("name", RECORDS)
def test_a_report_opens_from_disk_asks_nobody_and_is_free_of_barriers(name: str, opener: Opener) -> None:
    seen = opener.report(RECORDS[name]())
    for width, scheme in product(WIDTHS, SCHEMES) if name == "tribunal" else SOME:
        seen.page.set_viewport_size({"width": width, "height": 900})
        seen.page.emulate_media(color_scheme=scheme)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        seen.whole_shot(f"report-{name}-{width}-{scheme}")
        assert width == WIDTHS[1] or seen.axe() == []

    assert [url for url in seen.requests if not url.startswith("file:")] == []
    seen.is_clean()


def test_the_verdict_comes_before_the_floor_and_is_said_aloud(opener: Opener) -> None:
    page = opener.report(tribunal()).page

    headings = page.locator("h1, h2").all_inner_texts()
    assert headings[0] == "Should we delete the staging database before the weekend?"
    assert "WARN" in headings[1]
    assert headings[2:] == ["What was said", "How it went"]
    assert "Verdict: WARN" in page.get_by_role("status").inner_text()


def test_threads_lead_from_the_challenger_to_the_one_challenged(opener: Opener) -> None:
    page = opener.report(tribunal()).page
    threads = page.get_by_role("img", name="Utility challenges Safety")

    assert threads.locator("g.thread.challenge").count() == 6
    assert page.locator(".turn.challenge").count() == 6
    assert page.locator(".turn.challenge .stance").first.inner_text().split() == ["⚔", "challenges", "Accuracy"]


def test_a_revision_shows_what_was_held_before(opener: Opener) -> None:
    change = opener.report(tribunal()).page.locator(".vote.change").first

    assert "ACT" in change.locator(".was").inner_text()
    assert change.inner_text().count("WARN") == 1
    assert "changed its mind" in change.inner_text()


def test_the_scrubber_goes_to_any_moment_by_keyboard(opener: Opener) -> None:
    page = opener.report(tribunal()).page
    slider = page.get_by_role("slider", name="Entry shown")
    slider.focus()

    page.keyboard.press("Home")
    expect(page.locator(".verdict")).to_contain_text("The panel is deliberating.")
    expect(page.locator(".turn")).to_have_count(0)
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".turn.pending")).to_have_count(1)
    expect(slider).to_have_attribute("aria-valuetext", re.compile("is asked"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("group", name="The tally as it forms")).to_contain_text("1 of 3 seats")
    page.keyboard.press("End")
    expect(page.locator(".headline")).to_contain_text("WARN")


BROKEN = """() => [...document.querySelectorAll('.chip bdi')].filter((one) => /^[A-Z]+$/u.test(one.textContent))
  .filter((one) => {
    const words = document.createRange();
    words.selectNodeContents(one);
    return new Set([...words.getClientRects()].map((box) => box.top)).size !== 1;
  }).map((one) => one.textContent)"""


@pytest.mark.parametrize("width", [360, 390, 768, 1024, 1440])
def test_a_choice_of_one_word_is_never_broken_over_lines(width: int, opener: Opener) -> None:
    page = opener.report(tribunal(), seen=opener.page(width)).page

    assert page.locator(".chip bdi").count() > 6
    assert page.evaluate(BROKEN) == []


def test_it_plays_by_itself_to_the_end(opener: Opener) -> None:
    page = opener.report(tribunal()).page
    page.clock.install()
    page.get_by_role("button", name="Play from here").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    for _ in range(60):
        page.clock.run_for(750)

    expect(page.get_by_role("button", name="Play from here")).to_be_visible()
    expect(page.locator(".headline")).to_contain_text("WARN")


def test_the_theme_can_be_chosen_against_the_system(opener: Opener) -> None:
    page = opener.report(tribunal(), scheme="light").page
    expect(page.locator("html")).to_have_css("background-color", "rgb(250, 249, 246)")

    page.get_by_role("button", name="Theme: auto").click()
    page.get_by_role("button", name="Theme: light").click()

    expect(page.locator("html")).to_have_css("background-color", "rgb(20, 22, 27)")


def test_what_the_rules_said_is_told_in_plain_words(opener: Opener) -> None:
    page = opener.report(tribunal()).page
    page.get_by_text("Decided by the rule").click()

    expect(page.locator(".rules")).to_contain_text("veto (a seat with the power of veto used it): does not apply")


def test_what_nobody_decided_is_not_called_decided(opener: Opener) -> None:
    page = opener.report(tribunal(lambda _ask: Reply(text="I cannot help with that.", model="a-model"))).page

    expect(page.locator(".headline")).to_contain_text("No decision")
    expect(page.locator(".rules summary")).to_have_text("Left open by the rule all_silent")
    expect(page.locator(".verdict .figures")).to_contain_text("Counted0 of 3 seats")


def test_agreement_says_on_what_where_that_is_not_the_outcome(opener: Opener) -> None:
    """Two go ahead, and the seat with the veto is silent: a cap makes it WARN, on which nobody agreed."""
    page = opener.report(tribunal(lambda ask: "timeout" if ask.seat.name == "Safety" else words(ask, "ACT"))).page

    expect(page.locator(".headline")).to_contain_text("WARN")
    expect(page.locator(".verdict .figures")).to_contain_text("Agreement66.7 % on ACT")


def test_markdown_is_shown_and_links_say_where_they_lead(opener: Opener) -> None:
    page = opener.report(tribunal()).page
    link = page.get_by_role("link", name="the runbook").first

    expect(link).to_have_attribute("href", "https://example.org/runbook")
    expect(link).to_have_attribute("rel", re.compile("noopener"))
    expect(page.locator(".turn", has=link)).to_contain_text("(example.org)")
    expect(page.locator(".turn strong", has_text="never restored")).to_have_count(1)
