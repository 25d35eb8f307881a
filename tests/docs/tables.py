"""Tables of a page, as a test reads them."""

from tests.docs.page import DOCS


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next of the same level."""
    level = heading.partition(" ")[0]
    _, found, rest = f"\n{text}".partition(f"\n{heading}\n")
    if not found:
        raise LookupError(f"no heading {heading!r}")
    return rest.partition(f"\n{level} ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of every table, without the lines of headings."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")] for line in lines]
    ruled = {place for place, line in enumerate(lines) if set(line) <= set("|-")}
    return [row for place, row in enumerate(cells) if place not in ruled and place + 1 not in ruled]


def first(text: str) -> set[str]:
    """What the first cells name, without their backticks."""
    return {row[0].strip("`") for row in rows(text)}
