"""People on the page: a seat answered with the form its ballot wants, a verdict reviewed, and what stays hidden."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Opener
from tests.browser.rooms.conftest import opened
from tests.browser.rooms.serving import Serving

pytestmark = [pytest.mark.browser, pytest.mark.promise]

OPTIONS = ["Kafka", "PostgreSQL"]
SEATS: Mapping[str, Mapping[str, object]] = {
    "conference": {"seats": {"Alpha": "person"}, "options": OPTIONS},
    "debate": {"seats": {"Proponent": "person"}},
    "oracle": {"seats": {"Broad": "person"}},
    "delphi": {"seats": {"Ann": "person"}},
    "ranked": {"seats": {"Value": "person"}, "options": OPTIONS},
    "approval": {"seats": {"First": "person"}, "options": OPTIONS},
}


def answer(ask: Locator) -> None:
    """Fill in whatever the form asks for."""
    ask.get_by_role("button", name="Answer for").wait_for()
    for text in ask.locator("textarea").all():
        text.fill("The backup was never restored.")
    for group in ask.get_by_role("group").filter(has=ask.page.get_by_role("radio")).all():
        group.get_by_role("radio").first.check()
    for number in ask.get_by_role("spinbutton").all()[:1]:
        number.fill("14")
    for box in ask.get_by_role("checkbox").all()[:1]:
        box.check()
    ask.get_by_role("slider").first.fill("80")
    ask.get_by_role("button", name="Answer for").click()


def test_nobodys_words_are_shown_to_a_person_who_has_still_to_answer_unheard(server: Serving, opener: Opener) -> None:
    id_ = server.held("Should the archive go?", protocol="tribunal", seats={"Safety": "person"})
    seen = opened(opener, server, f"d/{id_}")
    page = seen.page
    expect(page.locator(".turn:not(.pending)").first).to_contain_text(
        "Hidden until the person who is asked has answered"
    )
    assert "I looked at it" not in page.locator("main").inner_text()
    assert page.locator(".tally-row").count() == 0
    answer(page.locator(".ask", has_text="You answer for Safety"))

    expect(page.locator(".ask", has_text="You answer for Safety, about Utility")).to_be_visible()
    expect(page.locator(".turn", has_text="Hidden until")).to_have_count(0)
    expect(page.locator(".turn", has_text="I looked at it").first).to_be_visible()
    expect(page.locator(".turn", has_text="The backup was never restored.").first).to_be_visible()
    seen.is_clean()


@pytest.mark.parametrize("protocol", SEATS)
def test_the_form_of_every_ballot_writes_an_answer_that_can_be_read(
    protocol: str, server: Serving, opener: Opener
) -> None:
    id_ = server.held("Should staging go?", protocol=protocol, **SEATS[protocol])
    page = opened(opener, server, f"d/{id_}").page
    ask = page.locator(".ask").first
    seat = server.call(f"/api/deliberations/{id_}/asks")[0]["seat"]
    answer(ask)

    expect(page.locator(".turn:not(.pending)", has_text="The backup was never restored.").first).to_be_visible()
    entries = server.call(f"/api/deliberations/{id_}/entries")["entries"]
    spoke = next(one["floor"] for one in entries if one["floor"]["kind"] == "spoke" and one["floor"]["seat"] == seat)
    assert spoke["vote"] or spoke["argument"]


def test_a_verdict_is_reviewed_from_the_queue(server: Serving, opener: Opener) -> None:
    question = "Should the queue be reviewed?"
    id_ = server.held(question, protocol="debate")
    seen = opened(opener, server, "reviews")
    page = seen.page
    page.get_by_role("button", name=f"Review: {question}").click()
    page.get_by_label("OPPOSE").check()
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Because").fill("Nobody has tried a restore.")
    page.get_by_role("button", name="Put it on record").click()

    expect(page.get_by_role("status")).to_contain_text("is on record")
    expect(page.get_by_role("button", name=f"Review: {question}")).to_have_count(0)
    page.goto(f"{server.url}/#/d/{id_}")
    expect(page.locator(".review")).to_contain_text("Ann reviewed it")
    expect(page.get_by_role("heading", name="Your review")).to_have_count(0)
    seen.is_clean()
