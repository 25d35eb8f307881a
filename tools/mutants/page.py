"""Writes the figures in docs/explanation/mutants.md from what came of the mutants: python -m tools.mutants.page.

Why a survivor does no harm stands in explained.toml beside this file, by file, line of source and change; line numbers
may move. A survivor that nobody has explained is listed as a hole.
"""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from quorate.evaluate.act_threshold import share_interval
from tools.mutants.results import TESTS, FileResult, Survivor, kept, room_of

__all__ = ["OPEN", "PAGE", "Reasons", "figures", "main", "reasons", "written"]

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "explanation" / "mutants.md"
EXPLAINED: Final = Path(__file__).with_name("explained.toml")
BEGIN: Final = "<!-- figures: written by `python -m tools.mutants.page`; change the results, not this -->"
END: Final = "<!-- end of figures -->"
OPEN: Final = "not explained yet: no test notices it"

Reasons = Mapping[tuple[str, str, str], str]
"""By file, line of source and change, why no test can notice it, or need."""


def reasons(file: Path = EXPLAINED) -> dict[tuple[str, str, str], str]:
    rows = tomllib.loads(file.read_text(encoding="utf-8")).get("survivor", [])
    return {(row["file"], row["text"], row["change"]): row["why"] for row in rows}


def written(text: str, results: Mapping[str, FileResult], why: Reasons) -> str:
    """The page with its figures as they should be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join((f"{before}{BEGIN}", "", *figures(results, why), "", f"{END}{after}"))


def figures(results: Mapping[str, FileResult], why: Reasons) -> Iterator[str]:
    """The lines of the table, and of the survivors by room."""
    rooms = {room: {name: one for name, one in results.items() if room_of(name) == room} for room in TESTS}
    yield "| room or file | mutants | tried | killed | share |"
    yield "|---|---:|---:|---:|---|"
    for room, own in rooms.items():
        yield _row(f"`{room}`", list(own.values()))
    for room, own in rooms.items():
        yield from _survivors(room, own, why)


def _row(name: str, results: list[FileResult]) -> str:
    mutants, tried = sum(one.mutants for one in results), sum(len(one.tried) for one in results)
    killed = sum(one.killed for one in results)
    if not tried:
        return f"| {name} | – | – | – | not measured |"
    return f"| {name} | {mutants:,} | {tried:,} | {killed:,} | {_share(killed, tried, mutants)} |"


def _share(killed: int, tried: int, mutants: int) -> str:
    share = f"{100 * killed / tried:.1f} %"
    if tried == mutants:
        return share
    between = share_interval(killed, tried)
    return f"{share} of those drawn; of all, {100 * between.low:.1f} to {100 * between.high:.1f} %"


def _survivors(room: str, own: Mapping[str, FileResult], why: Reasons) -> Iterator[str]:
    rows = [(name, one) for name, result in own.items() for one in result.survivors]
    if not rows:
        return
    yield ""
    yield f"### Who survived in `{room}`"
    yield ""
    yield "| where | change | why it lives |"
    yield "|---|---|---|"
    for name, one in rows:
        yield f"| `{name}`, line {one.line} | {_cell(one.change)} | {_cell(_reason(name, one, why))} |"


def _reason(name: str, one: Survivor, why: Reasons) -> str:
    return why.get((name, one.text, one.change), OPEN)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), kept(), reasons()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
