"""A real Chromium, and pages that note everything they do."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_core_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Route, expect, sync_playwright

from quorate.offline.html_report import html_report
from quorate.views import Record

ARTEFACTS = Path(__file__).parents[2] / "artefacts" / "browser"
PATIENCE = 90_000
"""Milliseconds until something is given up that ought to be seen or loaded: no test may need an idle machine."""
expect.set_options(timeout=PATIENCE)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTHS = (360, 768, 1440)
SMALL = """() => [...document.querySelectorAll('button, input, select, textarea, summary, nav a, .brand[href]')]
  .filter((one) => one.checkVisibility())
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 24 || box.height < 24))
  .map(([one, box]) => `too small to hit, ${box.width} x ${box.height}: ${one.outerHTML.slice(0, 120)}`)"""
"""What is to be hit and is less than 24 pixels wide or high: the axe that is installed does not look at that."""
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The Chromium that is installed; without one these tests are skipped, unless they are required.

    For one file at a time: while it is driven a loop runs in this thread, and other files' tests need their own.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("QUORATE_BROWSER") != "required":
        pytest.skip("there is no Chromium here")
    assert found, "QUORATE_BROWSER=required, and there is no Chromium here"
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=found, args=sandbox)
        yield browser
        browser.close()


@dataclass
class Watched:
    """A page and what it did: errors, violations of its own policy, and whom it wanted to reach."""

    page: Page
    errors: list[str] = field(default_factory=list[str])
    violations: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])

    def _asked(self, route: Route) -> None:
        self.requests.append(route.request.url)
        route.continue_()

    def _said(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.errors.append(said.text)

    def _opened(self, dialog: Dialog) -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def watch(self) -> None:
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", self._opened)
        self.page.expose_binding("noteViolation", lambda _, what: self.violations.append(what))
        self.page.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => noteViolation(e.violatedDirective))"
        )
        self.page.route("**/*", self._asked)

    def is_clean(self) -> None:
        """Nothing went wrong and nobody else was asked."""
        assert self.errors == []
        assert self.violations == []

    def axe(self) -> list[str]:
        """What a reader of another kind would stumble over, by rule and place."""
        found: dict[str, Any] = Axe().run(self.page, options={"resultTypes": ["violations"]})
        small: list[str] = self.page.evaluate(SMALL)
        return small + [
            f"{one['id']} ({one['impact']}): {node['target']} {node.get('failureSummary', '')}"
            for one in found["violations"]
            for node in one["nodes"]
        ]

    def shot(self, name: str) -> None:
        """Keep what is seen, for people to look at."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")

    def whole_shot(self, name: str) -> None:
        """The same of the whole page: in a window as high as it, so that nothing floats over the middle."""
        size = self.page.viewport_size or {"width": 1440, "height": 900}
        high = int(self.page.evaluate("document.documentElement.scrollHeight"))
        self.page.set_viewport_size({"width": size["width"], "height": high})
        self.shot(name)
        self.page.set_viewport_size(size)


@dataclass
class Opener:
    """Opens pages: reports from a file, or addresses."""

    browser: Browser
    folder: Path
    contexts: list[BrowserContext] = field(default_factory=list[BrowserContext])

    def page(self, width: int = 1440, scheme: str = "light", height: int = 900) -> Watched:
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        self.contexts.append(context)
        context.set_default_timeout(PATIENCE)
        watched = Watched(context.new_page())
        watched.watch()
        return watched

    def report(self, record: Record, scheme: str = "light", seen: Watched | None = None) -> Watched:
        """A one-file report, opened from disk, in a page that there is already or in a new one."""
        file = self.folder / "report.html"
        file.write_text(html_report(record), encoding="utf-8")
        watched = seen or self.page(scheme=scheme)
        watched.page.goto(file.as_uri())
        watched.page.locator("main").wait_for()
        return watched

    def close(self) -> None:
        for context in self.contexts:
            context.close()


@pytest.fixture
def opener(chromium: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens pages and closes them."""
    opened = Opener(chromium, tmp_path)
    yield opened
    opened.close()
