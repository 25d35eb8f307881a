"""A deliberation on the page of a real server: started from the form, watched, reloaded, cut off and caught up with."""

import re
from collections.abc import Mapping

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.rooms.conftest import QUESTIONS, opened
from tests.browser.rooms.provider import Provider
from tests.browser.rooms.serving import Serving

pytestmark = [pytest.mark.browser, pytest.mark.promise]

ROUNDS = ("Initial Analysis", "Challenge Round", "Revision Round", "Final Voting")


def turns(server: Serving, page: Page) -> tuple[int, int]:
    """How many turns are on record, and how many on the page."""
    id_ = page.url.rpartition("/")[2]
    entries = server.call(f"/api/deliberations/{id_}/entries")["entries"]
    return sum(entry["floor"]["kind"] == "spoke" for entry in entries), page.locator(".turn:not(.pending)").count()


def test_a_tribunal_is_started_from_the_form_and_all_four_rounds_are_seen_live(
    before_challenges: Provider, server: Serving, opener: Opener
) -> None:
    seen = opened(opener, server)
    page = seen.page
    page.get_by_label("Question", exact=True).fill("Should we drop the old index tonight?")
    page.get_by_label("How they deliberate").select_option("tribunal")
    expect(page.get_by_label("Forecast")).to_contain_text("12 (at most 24)")
    page.get_by_text("Settings", exact=True).click()
    page.get_by_label("Final vote").select_option("asked")
    expect(page.get_by_label("Forecast")).to_contain_text("15 (at most 30)")
    expect(page.get_by_label("Forecast")).to_contain_text("Safety alone can block a decision")
    page.get_by_role("button", name="Start the deliberation").dblclick()

    expect(page.locator(".verdict")).to_contain_text("The panel is deliberating.")
    expect(page.get_by_role("heading", name=f"Round 2 · {ROUNDS[1]}")).to_be_visible()
    expect(page.locator(".turn.pending").first).to_contain_text(re.compile("is thinking|is writing"))
    before_challenges.holds_back = ""
    for at, title in enumerate(ROUNDS, 1):
        page.get_by_role("heading", name=f"Round {at} · {title}").wait_for()
    expect(page.locator(".headline")).to_contain_text("WARN")
    recorded, shown = turns(server, page)
    assert recorded == shown == 15
    assert len(server.call("/api/deliberations?search=old%20index")["items"]) == 1
    seen.is_clean()


def test_nothing_is_said_about_a_question_before_it_is_written(server: Serving, opener: Opener) -> None:
    page = opened(opener, server, "new").page
    forecast = page.get_by_label("Forecast")
    expect(forecast).to_contain_text("until you write yours")
    expect(forecast).to_contain_text("12 (at most 24)")
    assert "because it asks" not in forecast.inner_text()
    assert "Tribunal: " not in page.locator("#protocol-help").inner_text()

    page.get_by_label("Question", exact=True).fill("May we drop the old index?")
    expect(forecast).to_contain_text("because it asks 'may'")
    assert "until you write yours" not in forecast.inner_text()
    expect(page.locator("#protocol-help")).to_contain_text("Tribunal: ")


def test_a_page_reloaded_in_the_middle_misses_nothing(
    before_challenges: Provider, server: Serving, opener: Opener
) -> None:
    id_ = server.call("/api/deliberations", {"question": "Should we reload in the middle?"})["id"]
    page = opened(opener, server, f"d/{id_}").page
    page.get_by_role("heading", name="Round 2").wait_for()
    page.reload()
    page.get_by_role("heading", name="Round 2").wait_for()
    before_challenges.holds_back = ""

    expect(page.locator(".headline")).to_contain_text("WARN")
    recorded, shown = turns(server, page)
    assert recorded == shown == 12


def test_a_page_whose_server_was_killed_catches_up_when_it_is_back(
    before_challenges: Provider, own_server: Serving, opener: Opener
) -> None:
    id_ = own_server.call("/api/deliberations", {"question": "Should we pull the plug?"})["id"]
    page = opened(opener, own_server, f"d/{id_}").page
    page.get_by_role("heading", name="Round 2").wait_for()
    own_server.kill()
    expect(page.locator(".banner")).to_contain_text("The connection is lost.")
    before_challenges.holds_back = ""
    own_server.start()

    expect(page.locator(".headline")).to_contain_text("WARN")
    expect(page.locator(".banner")).to_have_count(0)
    recorded, shown = turns(own_server, page)
    assert recorded == shown == 12


def test_a_panel_of_ones_own_is_built_where_the_protocol_allows_it(
    provider: Provider, server: Serving, opener: Opener
) -> None:
    page = opened(opener, server, "new").page
    page.get_by_label("Question", exact=True).fill("Which of them should sit?")
    page.get_by_label("How they deliberate").select_option("tribunal")
    expect(page.get_by_label("Model for Safety")).to_be_visible()
    assert page.get_by_role("button", name="Add a seat").count() == 0
    page.get_by_label("How they deliberate").select_option("conference")
    page.get_by_role("button", name="Remove Gamma").click()
    page.get_by_label("Name of seat 1").fill("Ann")
    page.get_by_label("Model for every seat").fill(f"openai:mock@{provider.url}")
    expect(page.get_by_label("Forecast")).to_contain_text("2 seats on 1 provider")
    page.get_by_role("button", name="Start the deliberation").click()

    expect(page.locator("#verdict-title .outcome")).to_contain_text("PostgreSQL")
    assert set(page.locator(".who h4").all_inner_texts()) == {"Ann", "Seat 2"}


@pytest.mark.parametrize("protocol", ["conference", "debate", "oracle", "delphi"])
def test_every_other_protocol_is_started_from_the_form_too(protocol: str, server: Serving, opener: Opener) -> None:
    body = QUESTIONS[protocol]
    seen = opened(opener, server, "new")
    page = seen.page
    page.get_by_label("Question", exact=True).fill(str(body["question"]))
    page.get_by_label("How they deliberate").select_option(protocol)
    for at, option in enumerate(("Kafka", "PostgreSQL") if "options" in body else (), 1):
        page.get_by_label(f"Option {at}", exact=True).fill(option)
    if "panel" in body:
        page.get_by_role("combobox", name="Panel", exact=True).select_option(str(body["panel"]))
    page.get_by_role("button", name="Start the deliberation").click()

    outcome = {"conference": "PostgreSQL", "debate": "UNCERTAIN", "oracle": "YES", "delphi": "12"}[protocol]
    expect(page.locator("#verdict-title .outcome")).to_contain_text(outcome)
    seen.is_clean()


def test_a_finished_deliberation_is_scrubbed_and_counted_again(
    server: Serving, held: Mapping[str, str], opener: Opener
) -> None:
    seen = opened(opener, server, f"d/{held['tribunal']}")
    page = seen.page
    expect(page.locator("#verdict-title")).to_contain_text("WARN")
    page.get_by_role("slider", name="Entry shown").press("Home")
    expect(page.locator(".verdict")).to_contain_text("The panel is deliberating.")
    page.get_by_role("slider", name="Entry shown").press("End")
    page.get_by_label("Rulebook").select_option("unanimous" if "unanimous" in books(server) else books(server)[-1])
    expect(page.locator(".whatif-answer")).to_contain_text("outcome")
    page.get_by_role("group", name="Without").get_by_label("Safety").check()

    without = {"without": ["Safety"], "rulebook": page.get_by_label("Rulebook").input_value()}
    expected = server.call(f"/api/deliberations/{held['tribunal']}/replay", without)["changed"]
    told = "This would change the outcome." if expected else "The outcome stays the same."
    expect(page.locator(".whatif-answer")).to_contain_text("2 of 2 seats")
    expect(page.locator(".whatif-answer")).to_contain_text(told)
    seen.is_clean()


def books(server: Serving) -> list[str]:
    protocols = server.call("/api/protocols")
    return next(list(one["rulebooks"]) for one in protocols if one["name"] == "tribunal")
