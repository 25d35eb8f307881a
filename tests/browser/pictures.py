"""Makes the documentation's pictures of the page again: python -m tests.browser.pictures."""

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import NAMES, Scheme
from tests.browser.records import ID, tribunal
from tests.browser.served import serving
from tests.browser.stage import Stage, staged

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WIDTH = 1440
SCALE = 1000 / WIDTH


def opened(browser: Browser, address: str, height: int, scheme: Scheme) -> Page:
    page = browser.new_page(
        viewport={"width": WIDTH, "height": height},
        device_scale_factor=SCALE,
        color_scheme=scheme,
        locale="en-GB",
        reduced_motion="reduce",
    )
    page.goto(address)
    return page


def deliberation(stage: Stage) -> str:
    return f"{stage.address}#/d/{ID}"


def main() -> None:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    found = next(filter(None, map(shutil.which, NAMES)), None)
    with (
        staged(tribunal()) as stage,
        TemporaryDirectory() as home,
        serving(Path(home)) as served,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=found, args=sandbox)
        stage.show(15)
        page = opened(browser, deliberation(stage), 1850, "light")
        expect(page.get_by_role("heading", name="Round 2 · Challenge Round")).to_be_visible()
        page.screenshot(path=IMAGES / "page-live.png")
        stage.show()
        page = opened(browser, deliberation(stage), 1500, "dark")
        expect(page.locator(".headline")).to_contain_text("WARN")
        page.screenshot(path=IMAGES / "page-verdict.png")
        page = opened(browser, served.page(), 1500, "light")
        expect(page.get_by_role("button", name="Start the deliberation")).to_be_visible()
        page.get_by_text("Context and decision criteria").click()
        expect(page.get_by_text("Calls to models")).to_be_visible()
        page.screenshot(path=IMAGES / "page-start.png")
        browser.close()


if __name__ == "__main__":
    main()
