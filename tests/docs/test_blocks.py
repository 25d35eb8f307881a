"""Every block of README and docs is run, and what it shows is what comes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.models import Models
from tests.docs.page import blocks, named, pages
from tests.docs.running import Page

pytestmark = pytest.mark.slow


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Models) -> Iterator[Page]:
    opened = Page(tmp_path, monkeypatch, models)
    yield opened
    opened.close()


@pytest.mark.parametrize("path", pages(), ids=named)
def test_every_block_says_what_really_happens(path: Path, page: Page) -> None:
    faults = list(page.faults(list(blocks(named(path), path.read_text(encoding="utf-8")))))

    assert not faults, "\n\n".join(faults)
