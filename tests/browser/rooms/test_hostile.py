"""Hostile questions, options and seat names on every view: they stay text, and nothing leaves the machine."""

import random

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.payloads import payloads
from tests.browser.rooms.conftest import opened
from tests.browser.rooms.provider import Provider
from tests.browser.rooms.serving import Serving

pytestmark = [pytest.mark.browser, pytest.mark.promise]


def test_hostile_texts_stay_text_on_every_view(provider: Provider, own_server: Serving, opener: Opener) -> None:
    texts = [text for text, _ in zip(payloads(random.Random(1)), range(38), strict=False)]
    mock = f"openai:mock@{provider.url}"
    seats = {'<img src=x onerror="window.ran=1">': mock, "</script><script>window.ran=1</script>": "person"}
    ids = [
        own_server.held("\n".join(texts), protocol="conference", options=texts[:2], seats=seats),
        own_server.held("javascript:window.ran=1 " + texts[0], protocol="debate", context="\n".join(texts)),
    ]
    seen = opened(opener, own_server)
    views = ("history", "reviews", "report", "compare", f"compare/{ids[0]}/{ids[1]}", *(f"d/{id_}" for id_ in ids))
    for view in views:
        seen.page.goto(f"{own_server.url}/#/{view}")
        expect(seen.page.get_by_role("heading", level=1)).to_be_visible()
        seen.page.wait_for_load_state("networkidle")
        seen.page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
        assert seen.page.locator("main script, main iframe, main img, main [onerror], main [style*=url]").count() == 0

    assert seen.page.evaluate("window.ran") is None
    assert [url for url in seen.requests if not url.startswith(own_server.url)] == []
    seen.is_clean()
