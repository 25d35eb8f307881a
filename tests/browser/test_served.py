"""The page on the real server, with a provider on loopback: live, through a restart, and afterwards."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import expect

from quorate.ledger import open_ledger
from tests.browser.conftest import Opener
from tests.browser.served import Served, serving
from tests.reviewing import kept, tribunal

pytestmark = [pytest.mark.browser, pytest.mark.promise]

QUESTION = "Should we delete the staging database?"
OPTIONS = ["Delete it", "Keep it", "Archive it first"]
BODIES: Mapping[str, Mapping[str, object]] = {
    "tribunal": {},
    "conference": {"settings": {"mode": "quick"}},
    "debate": {"settings": {"max_rounds": 1}},
    "oracle": {},
    "delphi": {},
    "approval": {"options": OPTIONS},
    "ranked": {"options": OPTIONS},
}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as up:
        yield up


def test_a_deliberation_is_watched_through_a_restart_of_the_server(opener: Opener, served: Served) -> None:
    id_ = served.start(question=QUESTION, protocol="tribunal")
    seen = opener.page()
    page = seen.page
    page.goto(served.page())
    page.goto(served.page(f"d/{id_}"))
    expect(page.locator(".turn.pending")).to_have_count(3)

    served.down()
    expect(page.get_by_text("The connection is lost.")).to_be_visible()
    served.let_answer()
    served.up()

    for title in ("Initial Analysis", "Challenge Round", "Revision Round"):
        expect(page.get_by_role("heading", name=re.compile(title))).to_be_visible()
    expect(page.locator(".verdict .outcome")).to_be_visible()
    expect(page.get_by_text("The connection is lost.")).to_have_count(0)
    ids = page.locator("article.turn[id]").evaluate_all("all => all.map((one) => one.id)")
    assert len(ids) == len(set(ids)) == 12
    page.reload()
    expect(page.locator("article.turn[id]")).to_have_count(12)
    assert seen.violations == []


def test_a_verdict_that_does_not_follow_from_the_record_is_shown_as_such(opener: Opener, served: Served) -> None:
    heard = (dict.fromkeys(("Utility", "Accuracy", "Safety"), vote) for vote in ("REFUSE", "ACT"))
    against, approving = map(tribunal, heard)
    ledger = open_ledger(served.home / "ledger.db")
    forged, honest = (served.run(kept(ledger, one)) for one in ([*against[:-1], approving[-1]], approving))
    served.run(ledger.close())
    page = opener.page().page
    page.goto(served.page())
    page.goto(served.page(f"d/{forged}"))
    expect(page.get_by_role("alert").filter(has_text="does not hold")).to_be_visible()
    with page.expect_response(re.compile("/verify$")):
        page.goto(served.page(f"d/{honest}"))
    expect(page.locator(".verdict .outcome")).to_contain_text("ACT")
    expect(page.get_by_text("does not hold")).to_have_count(0)


@pytest.mark.parametrize("protocol", BODIES)
def test_every_protocol_comes_to_its_verdict_on_the_page(protocol: str, opener: Opener, served: Served) -> None:
    served.let_answer()
    id_ = served.start(question=QUESTION, protocol=protocol, **BODIES[protocol])
    seen = opener.page()
    seen.page.goto(served.page(f"d/{id_}"))

    expect(seen.page.locator(".verdict .headline")).to_be_visible()
    expect(seen.page.locator(".timeline .now")).to_contain_text("the verdict")
    assert seen.axe() == []
    assert [url for url in seen.requests if not url.startswith(served.address)] == []
    seen.is_clean()


def test_what_if_and_the_saved_report_come_from_the_server(opener: Opener, served: Served) -> None:
    served.let_answer()
    id_ = served.start(question=QUESTION, protocol="tribunal")
    page = opener.page().page
    page.goto(served.page())
    page.goto(served.page(f"d/{id_}"))
    expect(page.locator(".verdict .outcome")).to_be_visible()

    page.get_by_role("checkbox", name="Accuracy").check()
    expect(page.locator(".whatif-answer")).to_contain_text("2 of 2 seats")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as one file").click()

    assert id_ in saved.value.path().read_text(encoding="utf-8")


def test_a_deliberation_that_is_not_there_is_said_so(opener: Opener, served: Served) -> None:
    page = opener.page().page
    page.goto(served.page("d/01k00000000000000000000000"))

    expect(page.get_by_role("heading", name="This cannot be shown")).to_be_visible()


def test_a_deliberation_is_given_up_only_when_meant(opener: Opener, served: Served) -> None:
    id_ = served.start(question=QUESTION, protocol="tribunal")
    page = opener.page().page
    page.goto(served.page())
    page.goto(served.page(f"d/{id_}"))

    page.get_by_role("button", name="Stop it…").click()
    page.get_by_role("button", name="Keep going").click()
    expect(page.locator(".turn.pending")).to_have_count(3)
    page.get_by_role("button", name="Stop it…").click()
    page.get_by_role("button", name="Stop it for good").click()

    expect(page.locator(".verdict")).to_contain_text("The deliberation was stopped")
    expect(page.locator(".turn.pending")).to_have_count(0)


def test_the_first_paint_comes_soon(opener: Opener, served: Served) -> None:
    page = opener.page().page
    page.goto(served.page())
    page.locator("main").wait_for()
    paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    page.wait_for_function(paint)

    print(f"first contentful paint after {page.evaluate(paint):.0f} ms")  # noqa: T201  a figure to keep
    assert page.evaluate(paint) < 10_000  # a promise of a second is one of a quiet machine
