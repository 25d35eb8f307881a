"""`quorate panel check`: what a panel withstands, before anything is spent."""

import os
from pathlib import Path

import click

from quorate.doors.cli import options
from quorate.doors.cli.codes import DONE
from quorate.doors.cli.screen import say, say_json

__all__ = ["panel"]


@click.command(epilog="\b\nExample:\n  quorate panel check panel.yaml")
@click.argument("action", type=click.Choice(("check",)), metavar="check")
@click.argument("file", metavar="FILE|PRESET")
@click.option("--model", metavar="MODEL", help="Who answers for every seat that the file gives no model.")
@options.as_json
def panel(action: str, file: str, model: str | None, *, as_json: bool) -> int:
    """Say how many seats of a panel may lie or be missing.

    `quorate panel check FILE` reads the panel, its rules and who answers for each seat, asks nobody and spends
    nothing. Seats on one provider or one model are one fault domain: what makes one of them lie may do so to all.
    """
    del action
    from quorate.engine.config import Flags, resolve
    from quorate.engine.standing import standing

    found = standing(resolve(Flags(panel=file, model=model), os.environ, Path("~").expanduser()).draft, os.environ)
    if as_json:
        say_json(found)
        return DONE
    held = found["withstands"]
    say(str(held["sentence"]) if isinstance(held, dict) else "")
    return DONE
