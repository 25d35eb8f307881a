"""`quorate panel`: begin a panel file, and see what a panel withstands before anything is spent."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.doors.cli import options
from quorate.doors.cli.codes import DONE
from quorate.doors.cli.screen import say, say_json

if TYPE_CHECKING:
    from quorate.model.charter import Charter

__all__ = ["panel"]


@click.command(epilog="\b\nExamples:\n  quorate panel new panel.yaml --like debate\n  quorate panel check panel.yaml")
@click.argument("action", type=click.Choice(("check", "new")), metavar="check|new")
@click.argument("file", metavar="FILE|PRESET")
@click.option("--model", metavar="MODEL", help="Who answers for every seat that has no model.")
@click.option("--like", metavar="PRESET", default="tribunal", show_default=True, help="With new: what to begin with.")
@options.as_json
def panel(action: str, file: str, model: str | None, like: str, *, as_json: bool) -> int:
    """Write a panel file to begin with, or say how many seats of a panel may lie or be missing.

    `quorate panel new FILE` writes a preset as a commented panel file; - writes it to stdout. No file is overwritten.

    `quorate panel check FILE` reads the panel, its rules and who answers for each seat, asks nobody and spends
    nothing. Seats on one provider or one model are one fault domain: what makes one of them lie may do so to all.
    """
    from quorate.engine.config import Flags, resolve

    wanted = Flags(panel=like if action == "new" else file, model=model)
    draft = resolve(wanted, os.environ, Path("~").expanduser()).draft
    return _begin(file, draft) if action == "new" else _check(draft, as_json=as_json)


def _check(draft: "Charter", *, as_json: bool) -> int:
    from quorate.engine.standing import standing

    found = standing(draft, os.environ)
    if as_json:
        say_json(found)
        return DONE
    held = found["withstands"]
    say(str(held["sentence"]) if isinstance(held, dict) else "")
    return DONE


def _begin(file: str, draft: "Charter") -> int:
    from quorate.engine.panelwriter import dump
    from quorate.errors import BadPanel
    from quorate.presets import PANELS
    from quorate.views.escape import one_line

    if file in PANELS:
        raise BadPanel(f"{file!r} is a panel that ships and would go before the file; call it {file}.yaml")
    if file == "-":
        say(dump(draft).rstrip("\n"))
        return DONE
    try:
        with Path(file).open("x", encoding="utf-8") as made:
            made.write(dump(draft))
    except FileExistsError:
        raise BadPanel(f"{file!r} is there already; give another name, or remove it first") from None
    except OSError as wrong:
        raise BadPanel(f"cannot write {file!r}: {(wrong.strerror or 'no such place').lower()}") from wrong
    say(f"{one_line(file)} written; edit it, then: quorate ask QUESTION --panel {one_line(file)}")
    return DONE
