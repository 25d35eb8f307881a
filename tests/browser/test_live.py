"""The page on a deliberation under way: what comes is shown as it comes, and nothing is missed or shown twice."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from quorate import presets
from quorate.model import Ask, Reply
from quorate.views import Record
from tests.browser.conftest import Opener, Watched
from tests.browser.records import ID, QUESTION, record, tribunal
from tests.browser.stage import Stage, staged
from tests.play import Answer, convened, play, words

pytestmark = [pytest.mark.browser, pytest.mark.promise]


@pytest.fixture
def stage() -> Iterator[Stage]:
    with staged(tribunal()) as up:
        yield up


def watching(opener: Opener, stage: Stage, width: int = 1440, scheme: str = "light") -> Watched:
    seen = opener.page(width, scheme)
    seen.page.goto(f"{stage.address}#/d/{ID}")
    return seen


def numbers(page: Page) -> list[str]:
    return [one.get_attribute("id") or "" for one in page.locator("article.turn[id]").all()]


def test_rounds_appear_as_they_are_held_and_the_verdict_last(opener: Opener, stage: Stage) -> None:
    stage.show(3)
    seen = watching(opener, stage)
    page = seen.page
    expect(page.locator(".turn.pending")).to_contain_text("is thinking")
    expect(page.locator(".verdict")).to_contain_text("The panel is deliberating.")

    stage.words.append({"seat": "Utility", "round": "analysis", "about": "", "text": "Staging costs <b>a lot</b>"})
    expect(page.locator(".streaming")).to_have_text("Staging costs <b>a lot</b>")
    stage.show(16)
    expect(page.get_by_role("heading", name="Round 2 · Challenge Round")).to_be_visible()
    stage.show()
    expect(page.get_by_role("heading", name="Round 3 · Revision Round")).to_be_visible()
    expect(page.locator(".headline")).to_contain_text("WARN")
    expect(page.get_by_role("status").last).to_contain_text("Verdict: WARN")
    expect(page.locator(".turn.pending")).to_have_count(0)
    assert len(numbers(page)) == len(set(numbers(page))) == 12
    folded = page.locator("article.turn details").first
    expect(folded.locator("pre")).to_be_hidden()
    folded.get_by_text("The ballot as it came").click()
    expect(folded.locator("pre")).to_contain_text("BALLOT {")
    expect(folded).to_contain_text("text with a mark; nothing enforced its form")
    seen.is_clean()


def test_a_reload_in_the_middle_misses_nothing(opener: Opener, stage: Stage) -> None:
    stage.show(12)
    page = watching(opener, stage).page
    expect(page.locator("article.turn[id]")).to_have_count(5)

    page.reload()
    stage.show()

    expect(page.locator("article.turn[id]")).to_have_count(12)
    assert stage.after == ["", ""]


def test_after_a_break_exactly_the_gap_is_asked_for(opener: Opener, stage: Stage) -> None:
    stage.show(10)
    page = watching(opener, stage).page
    expect(page.locator("article.turn[id]")).to_have_count(4)

    stage.down = True
    stage.tear()
    expect(page.get_by_text("The connection is lost.")).to_be_visible()
    stage.show(20)
    stage.down = False
    expect(page.locator("article.turn[id]")).to_have_count(9)
    stage.tear()
    stage.show()

    expect(page.locator("article.turn[id]")).to_have_count(12)
    expect(page.get_by_text("The connection is lost.")).to_have_count(0)
    assert stage.after == ["", "10", "20"]
    assert len(set(numbers(page))) == 12


def test_the_token_is_asked_for_kept_and_sent(opener: Opener, stage: Stage) -> None:
    stage.token = "right"
    stage.show()
    page = watching(opener, stage).page
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("access token")

    page.get_by_role("textbox", name="Token").fill("wrong")
    page.get_by_role("button", name="Go on").click()
    expect(dialog).to_be_visible()
    page.get_by_role("textbox", name="Token").fill("right")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".headline")).to_contain_text("WARN")

    page.reload()
    expect(page.locator(".headline")).to_contain_text("WARN")
    expect(dialog).to_be_hidden()


def test_a_token_in_the_address_is_taken_out_of_it(opener: Opener, stage: Stage) -> None:
    stage.token = "right"
    stage.show()
    page = opener.page().page
    page.goto(f"{stage.address}#token=right/d/{ID}")

    expect(page).to_have_url(re.compile(rf"/#/d/{ID}$"))
    expect(page.locator(".headline")).to_contain_text("WARN")
    assert page.evaluate("history.length") <= 2


def test_scrubbing_does_not_stop_what_comes(opener: Opener, stage: Stage) -> None:
    stage.show(10)
    page = watching(opener, stage).page
    expect(page.locator("article.turn[id]")).to_have_count(4)
    page.get_by_role("slider").focus()
    page.keyboard.press("Home")
    expect(page.locator("article.turn[id]")).to_have_count(0)

    stage.show()
    expect(page.locator(".timeline .count")).to_have_text("1 / 27")
    page.get_by_role("button", name=re.compile("To the end|Back to live")).click()

    expect(page.locator("article.turn[id]")).to_have_count(12)


def test_what_if_shows_what_would_have_been_decided(opener: Opener, stage: Stage) -> None:
    verdict = stage.entries[-1]["floor"]["verdict"]
    stage.replay = {"verdict": {**verdict, "outcome": "REFUSE", "because": "one seat refused"}, "changed": True}
    stage.show()
    seen = watching(opener, stage)
    page = seen.page

    page.get_by_label("Rulebook").select_option("strict")
    expect(page.locator(".whatif-answer")).to_contain_text("This would change the outcome.")
    expect(page.locator(".whatif-answer")).to_contain_text("REFUSE")
    with page.expect_response("**/replay"):
        page.get_by_role("checkbox", name="Safety").check()

    expect(page.locator(".whatif-answer")).to_contain_text("One seat refused.")
    assert stage.replays[-1] == {"rulebook": "strict", "without": ["Safety"], "settings": {}}
    assert seen.axe() == []
    seen.is_clean()


def test_the_report_is_saved_by_a_button(opener: Opener, stage: Stage) -> None:
    stage.show()
    page = watching(opener, stage).page
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as one file").click()

    assert saved.value.suggested_filename == f"quorate-{ID}.html"
    assert "Content-Security-Policy" in saved.value.path().read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_a_deliberation_under_way_is_free_of_barriers(width: int, opener: Opener, stage: Stage) -> None:
    stage.show(15)
    for scheme in ("light", "dark"):
        seen = watching(opener, stage, width, scheme)
        expect(seen.page.locator(".turn.pending")).to_have_count(1)
        seen.whole_shot(f"live-{width}-{scheme}")
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert scheme == "light" or seen.axe() == []
        seen.is_clean()


def held_with(settings: tuple[tuple[str, str], ...], answer: Answer) -> Record:
    begin = replace(convened(presets.panel("tribunal").panel, settings=settings), question=QUESTION)
    return record(play(begin, answer))


def test_only_rounds_in_which_somebody_spoke_are_ticked(opener: Opener) -> None:
    agreed = held_with((("debate", "when_split"),), lambda ask: words(ask, "ACT", 90, 10))
    with staged(agreed) as stage:
        stage.show()
        seen = watching(opener, stage)
        expect(seen.page.locator(".headline")).to_contain_text("ACT")
        ticked = seen.page.locator("ol.steps li.done").all_inner_texts()

    assert [one.replace("✓", "").strip() for one in ticked] == ["Initial Analysis", "Final Voting"]


def test_a_seat_that_was_not_needed_is_shown_with_what_it_had_sealed(opener: Opener) -> None:
    def answer(ask: Ask) -> Reply:
        vetoes = ask.seat.name == "Safety"
        return words(ask, "VETO" if vetoes else "ACT")

    with staged(held_with((("veto", "immediate"),), answer)) as stage:
        stage.show()
        seen = watching(opener, stage)
        votes = seen.page.get_by_label("Votes as they were counted")
        expect(votes).to_contain_text("what it had sealed")
        expect(votes).not_to_contain_text("assumed")
        ticked = seen.page.locator("ol.steps li.done").all_inner_texts()

    assert [one.replace("✓", "").strip() for one in ticked] == ["Initial Analysis"]


def test_a_panel_that_could_not_be_asked_is_told_and_can_be_resumed(opener: Opener) -> None:
    with staged(held_with((), lambda _: "wrong_key")) as stage:
        stage.show()
        seen = watching(opener, stage)
        shown = seen.page.locator(".verdict")
        expect(shown).to_contain_text("The panel couldn't be asked")
        expect(shown).to_contain_text("Set a key that this provider accepts.")
        expect(seen.page.locator("ol.steps li.done")).to_have_count(0)
        expect(seen.page.get_by_role("button", name="Resume")).to_be_visible()
        assert seen.axe() == []
