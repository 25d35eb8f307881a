"""A page taken apart: its fenced blocks, and what a comment before one says about it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,}|~{3,})(?P<language>[^\s`]*)[^`]*$")
COMMENT = re.compile(r"^ *<!-- (?P<key>file|not run|installed): (?P<value>.+?) -->$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block. `file` is where it is kept, `not_run` why it is only shown; both come from the comment before."""

    page: str
    line: int
    language: str
    text: str
    file: str = ""
    not_run: str = ""
    follows: bool = False
    """Nothing but blank lines stands between this and the block before."""

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> tuple[Path, ...]:
    return (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(page: str, text: str) -> Iterator[Block]:
    """Every block in order; `<!-- installed: FILE -->` is one by itself, of the language `installed`."""
    lines = iter(enumerate(text.splitlines(), 1))
    said: dict[str, str] = {}
    follows = False
    for number, line in lines:
        if comment := COMMENT.match(line):
            said[comment["key"]] = comment["value"]
            if "installed" in said:
                yield Block(page=page, line=number, language="installed", text=said.pop("installed"))
        elif fence := FENCE.match(line):
            inside = "".join(f"{one}\n" for one in _inside(lines, fence, f"{page}:{number}"))
            yield Block(
                page=page,
                line=number,
                language=fence["language"],
                text=inside,
                file=said.pop("file", ""),
                not_run=said.pop("not run", ""),
                follows=follows,
            )
            follows = True
        elif line.strip():
            said.clear()
            follows = False


def _inside(lines: Iterator[tuple[int, str]], fence: re.Match[str], place: str) -> Iterator[str]:
    indent, marks = fence["indent"], fence["marks"]
    for _, line in lines:
        bare = line.strip()
        if bare.startswith(marks) and not bare.strip(marks[0]):
            return
        yield line.removeprefix(indent)
    raise ValueError(f"{place}: this block never ends")


def prose(text: str) -> str:
    """The page without its blocks."""
    lines = iter(enumerate(text.splitlines(), 1))
    kept = []
    for number, line in lines:
        if fence := FENCE.match(line):
            list(_inside(lines, fence, str(number)))
        else:
            kept.append(line)
    return "\n".join(kept)
