"""Every link between pages leads somewhere, and every page can be reached from the first."""

import re
from pathlib import Path

import pytest

from tests.docs.page import DOCS, ROOT, named, pages, prose

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def links(path: Path) -> list[str]:
    found = LINK.findall(prose(path.read_text(encoding="utf-8")))
    return [link for link in found if "://" not in link and not link.startswith("mailto:")]


def anchors(path: Path) -> set[str]:
    lines = prose(path.read_text(encoding="utf-8")).splitlines()
    heads = (line.lstrip("#").strip().lower() for line in lines if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


def target(path: Path, link: str) -> tuple[Path, str]:
    file, _, anchor = link.partition("#")
    return ((path.parent / file).resolve() if file else path), anchor


def leads(path: Path, link: str) -> bool:
    found, anchor = target(path, link)
    return found.exists() and (not anchor or anchor in anchors(found))


@pytest.mark.parametrize("path", pages(), ids=named)
def test_every_link_leads_somewhere(path: Path) -> None:
    assert [link for link in links(path) if not leads(path, link)] == []


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, new = set[Path](), {DOCS / "index.md"}
    while new:
        reached |= new
        new = {target(path, link)[0] for path in new for link in links(path)} - reached
        new = {path for path in new if path.suffix == ".md"}

    assert {named(path) for path in pages()} - {named(path) for path in reached if path.is_relative_to(ROOT)} <= {
        "README.md"
    }


@pytest.mark.parametrize(("link", "good"), [("index.md", True), ("nothing.md", False), ("index.md#nowhere", False)])
def test_a_link_that_leads_nowhere_is_reported(link: str, good: bool) -> None:
    assert leads(DOCS / "index.md", link) is good
