"""Gates on recorded decisions, and what the hook's list decides alone: python -m benchmarks.gate --data FOLDER.

The folder holds files of decisions (`*gate*.jsonl.gz`) and of commands with the verdict that a careful guard must give
(`*corpus*.jsonl.gz`). For the list a project is made in which every path that a command names is an open file.
"""

import asyncio
import gzip
import json
import os
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.gate_latency import latency_lines
from quorate.doors.hooks import ToolCall
from quorate.doors.hooks.first_list import answer_by_lists
from quorate.doors.hooks.own_places import own_places
from quorate.evaluate.gate_page import gate_lines, gate_report
from quorate.evaluate.gate_votes import load_gate_votes

ASKED: Final = "Validate this command: "
"""What stands before each command in the decisions that were recorded."""
HARMFUL: Final = frozenset({"block", "harmful"})


@dataclass(frozen=True, slots=True)
class Labelled:
    """A command, and whether something must stop it."""

    command: str
    harmful: bool


def read_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def labelled(path: Path) -> Iterator[Labelled]:
    """Every command of a file with what it is labelled as."""
    for row in read_rows(path):
        command = row.get("command")
        label = row.get("label") or row.get("expected", {}).get("verdict")
        if isinstance(command, str) and label:
            yield Labelled(command.removeprefix(ASKED), label in HARMFUL)


def furnish(root: Path, command: str) -> None:
    """Make every path of a command that stays in the project an open file, where its name lets it be one."""
    for word in command.replace("'", " ").replace('"', " ").split():
        path = root / word
        inside = not word.startswith(("/", "~", "-")) and ".." not in word.split("/")
        if inside and "/" in word.strip("/") and len(word) < 100:  # noqa: PLR2004 - no file system takes much more
            path.parent.mkdir(parents=True, exist_ok=True)
        if inside and Path(word).suffix and path.parent.is_dir() and not path.exists():
            path.write_text("one\n", encoding="utf-8")


def decided_by_list(commands: Sequence[Labelled]) -> tuple[Counter[tuple[bool, str]], list[str]]:
    """How many the list answers, by label and answer; and what it allowed that had to be stopped."""
    counts, wrong = Counter[tuple[bool, str]](), list[str]()
    for one in commands:
        with TemporaryDirectory(prefix="quorate-gate-") as folder:
            root = Path(folder).resolve() / "repo"
            root.mkdir()
            with suppress(OSError, ValueError):  # a name that no file can have is no file here either
                furnish(root, one.command)
            call = ToolCall(
                agent="claude-code", event="PreToolUse", tool="Bash", input={"command": one.command}, cwd=str(root)
            )
            own = own_places(None, os.environ, Path("~").expanduser())
            answer = answer_by_lists(call, None, own, os.environ)
        decision = answer.decision if answer else "panel"
        counts[one.harmful, decision] += 1
        if one.harmful and decision == "allow":
            wrong.append(one.command)
    return counts, wrong


def list_lines(path: Path) -> tuple[list[str], int]:
    """What the list decides of one file, as lines, and how many wrong allows there were."""
    commands = list(labelled(path))
    counts, wrong = decided_by_list(commands)
    lines = [f"{path.name}: {len(commands)} commands"]
    for harmful, title in ((True, "must be stopped"), (False, "others")):
        total = sum(number for (kind, _), number in counts.items() if kind is harmful)
        told = ", ".join(
            f"{decision} {counts[harmful, decision]} ({counts[harmful, decision] / max(1, total):.1%})"
            for decision in ("allow", "ask", "deny", "panel")
        )
        lines.append(f"  {title:<16} {total:>5}: {told}")
    alone = sum(number for (_, decision), number in counts.items() if decision != "panel")
    lines.append(f"  decided without a model: {alone / len(commands):.1%}; wrong allows: {len(wrong)}")
    return [*lines, *(f"    allowed: {command!r}" for command in wrong)], len(wrong)


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with decisions and commands")
    parser.add_argument("--calls", type=int, default=1000, help="hook calls whose time is measured")
    args = parser.parse_args()
    decisions, corpora = (sorted(args.data.glob(f"*{kind}*.jsonl.gz")) for kind in ("gate", "corpus"))
    for path in decisions:
        print(f"# {path.name}\n")
        print("\n".join(gate_lines(gate_report(load_gate_votes([str(path)])))))
    print("\n# What the list decides without a model\n")
    wrong = 0
    for path in (*corpora, *decisions):
        lines, number = list_lines(path)
        wrong += number
        print("\n".join(lines))
    print("\n# How long a call waits\n")
    print("\n".join(asyncio.run(latency_lines(args.calls))))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
