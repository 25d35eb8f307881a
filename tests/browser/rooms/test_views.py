"""Every view besides the floor: free of barriers at every width and in both themes, and usable by keyboard."""

from collections.abc import Mapping
from itertools import product

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCHEMES, WIDTHS, Opener, Watched
from tests.browser.rooms.conftest import opened
from tests.browser.rooms.serving import Serving

pytestmark = [pytest.mark.browser, pytest.mark.promise]

VIEWS = {
    "start": ("new", "12 (at most 24)"),
    "history": ("history", "Should we delete the staging database?"),
    "reviews": ("reviews", "Should staging be retired?"),
    "report": ("report", "Calls by model"),
    "compare": ("compare/{tribunal}/{conference}", "What differs"),
    "memory": ("memory", "No two decisions on the same question have different outcomes."),
    "compare-choose": ("compare", "The first, by its id"),
    "oracle": ("d/{oracle}", "Quotes, as they stand in the documents"),
    "debate": ("d/{debate}", "Your review"),
    "person": ("d/{person}", "You answer for Safety"),
    "nowhere": ("compare/a/b", "Try again"),
}
"""By name, the address and what is to be seen there."""


def look(seen: Watched, name: str) -> None:
    """See every width in both themes; look for barriers in the narrowest and the widest."""
    for width, scheme in product(WIDTHS, SCHEMES):
        seen.page.set_viewport_size({"width": width, "height": 900})
        seen.page.emulate_media(color_scheme=scheme)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        seen.whole_shot(f"{name}-{width}-{scheme}")
        if (width, scheme) in {(360, "light"), (1440, "dark")}:
            assert seen.axe() == []


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_free_of_barriers_and_fits_every_width(
    name: str, server: Serving, held: Mapping[str, str], opener: Opener
) -> None:
    address, told = VIEWS[name]
    seen = opened(opener, server, address.format(**held))
    expect(seen.page.locator("main")).to_contain_text(told)
    seen.page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    look(seen, name)

    assert seen.violations == []
    assert [url for url in seen.requests if not url.startswith(server.url)] == []


def test_views_say_so_where_there_is_nothing_yet(own_server: Serving, opener: Opener) -> None:
    seen = opened(opener, own_server)
    for view in ("history", "reviews", "report"):
        seen.page.goto(f"{own_server.url}/#/{view}")

        expect(seen.page.locator(".nothing-here")).to_be_visible()
        assert seen.axe() == []
    seen.is_clean()


@pytest.mark.usefixtures("held")
def test_history_is_searched_filtered_and_walked_by_keyboard(server: Serving, opener: Opener) -> None:
    seen = opened(opener, server, "history")
    page = seen.page
    page.get_by_role("link", name="Did it rain in Oslo on Monday?").first.wait_for()
    page.keyboard.press("/")
    page.keyboard.type("six in the morning")
    expect(page.get_by_role("link", name="Which queue?")).to_have_count(0)
    expect(page.get_by_role("link", name="Did it rain in Oslo on Monday?").first).to_be_visible()
    page.get_by_label("Search in questions").fill("nobody ever said this")
    expect(page.locator(".nothing-here")).to_contain_text("Nothing fits these filters.")
    page.get_by_label("Search in questions").fill("")
    page.get_by_role("combobox", name="Protocol").select_option("tribunal")
    page.get_by_role("combobox", name="State").select_option("waiting")
    expect(page.locator(".record").first).to_contain_text("waits for a person")
    page.reload()
    expect(page.get_by_role("combobox", name="State")).to_have_value("waiting")
    page.get_by_role("combobox", name="State").select_option("")
    page.locator(".record").nth(1).wait_for()
    links = page.locator(".question-link")
    links.first.focus()
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    seen.is_clean()


@pytest.mark.usefixtures("held")
def test_two_of_the_history_are_compared(server: Serving, opener: Opener) -> None:
    page = opened(opener, server, "history").page
    for name in ("How many days will the migration take?", "Which queue?"):
        page.locator(".record", has_text=name).first.get_by_label("compare").check()
    page.get_by_role("link", name="Compare these two").click()

    expect(page.get_by_role("row", name="outcome")).to_contain_text("PostgreSQL")
    expect(page.get_by_role("row", name="protocol")).to_contain_text("delphi")


def test_earlier_decisions_are_found_and_stand_beside_a_deliberation(own_server: Serving, opener: Opener) -> None:
    first, last = (
        own_server.held(question=text) for text in ("Should we retire staging?", "should we retire  Staging?")
    )
    seen = opened(opener, own_server, f"d/{last}")
    page = seen.page
    page.get_by_text("Earlier decisions on this question").click()
    expect(page.locator(".memory")).to_contain_text("2 decisions, 0 changes of a settled outcome.")
    expect(page.locator(".memory").get_by_role("link", name="Should we retire staging?").first).to_be_visible()
    assert seen.axe() == []
    page.goto(f"{own_server.url}/#/memory")
    page.get_by_label("A question, or some words of it").fill("staging")
    page.keyboard.press("Enter")

    expect(page.locator(".records").first.get_by_role("link")).to_have_count(2)
    places = page.locator(".records a").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
    assert {*places} == {f"#/d/{first}", f"#/d/{last}"}
    seen.is_clean()
