"""Computes again all that lies in a folder, records and ballots, and writes what each comes to on stdout.

It is run by other interpreters, with other hash seeds, locales and time zones, and imports nothing but quorate.
`python recompute_all.py FOLDER [careless]` adds what a careless program would write: a tie that the order of a set
decides, and a number as the locale writes it.
"""

import io
import locale
import sys
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path

from quorate.doors.cli.command_group import run

RULEBOOKS = ("tribunal", "strict")


def put(text: str) -> None:
    """Write what was computed in bytes that no locale changes."""
    sys.stdout.buffer.write(text.encode(errors="surrogatepass"))


def told(*words: str) -> str:
    """What a command prints, and its exit code."""
    said = io.StringIO()
    with redirect_stdout(said):
        code = run(words)
    return f"{' '.join(words[:1] + words[2:])}: {code}\n{said.getvalue()}"


def careless() -> str:
    votes = Counter(["ACT", "WARN", "REFUSE", "Veto", "Abstain"])
    return f"{max(set(votes), key=votes.__getitem__)} {locale.format_string('%.1f', 66.7)}\n"


def main(folder: str, manner: str = "") -> None:
    locale.setlocale(locale.LC_ALL, "")
    for file in sorted(Path(folder).iterdir()):
        put(f"{file.name}\n")
        if file.suffix == ".jsonl":
            put(told("verify", str(file), "--json"))
        else:
            for name in RULEBOOKS:
                put(told("decide", str(file), "--rulebook", name, "--json"))
    if manner == "careless":
        put(careless())


if __name__ == "__main__":
    main(*sys.argv[1:])
