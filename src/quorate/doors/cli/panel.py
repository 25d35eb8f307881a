"""`quorate panel`: begin a panel file, see what a panel withstands before anything is spent, allow it to act."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import one_line, say, say_json
from quorate.settings.table import MODEL, PANEL

if TYPE_CHECKING:
    from quorate.model.charter import Charter

__all__ = ["panel"]


class PanelOptions(TypedDict):
    """What `quorate panel` was told."""

    model: str | None
    like: str
    yes: bool
    as_json: bool


@click.command(
    epilog="""\b
Examples:
  quorate panel new panel.yaml --like debate
  quorate panel check panel.yaml
  quorate panel trust panel.yaml"""
)
@click.argument("action", type=click.Choice(("check", "new", "trust")), metavar="check|new|trust")
@click.argument("file", metavar="FILE|PRESET")
@options.flag(MODEL, help="Who answers for every seat that has no model.")
@click.option("--like", metavar="PRESET", default="tribunal", show_default=True, help="With new: what to begin with.")
@click.option("--yes", is_flag=True, help="With trust: allow it without asking, for scripts.")
@options.as_json
def panel(file: str, action: str, **wish: Unpack[PanelOptions]) -> int:
    """Begin a panel file, check one, or allow one to act.

    `quorate panel new FILE` writes a preset as a commented panel file; - writes it to stdout. No file is overwritten.

    `quorate panel check FILE` reads the panel, its rules and who answers for each seat, asks nobody and spends
    nothing. Seats on one provider or one model are one fault domain: what makes one of them lie may do so to all.

    `quorate panel trust FILE` shows every command, address, key and file that a panel file, a table of routes or an
    exported record would use, and allows them once you say yes. If the file changes, it must be allowed again.
    """
    from quorate.settings.resolve import resolve

    if action == "trust":
        from quorate.doors.cli.trust import trust

        return trust(file, yes=wish["yes"], as_json=wish["as_json"])
    wanted = {PANEL.name: wish["like"] if action == "new" else file, MODEL.name: wish["model"]}
    draft = resolve(wanted, os.environ, Path("~").expanduser()).draft
    return _begin(file, draft) if action == "new" else _check(draft, as_json=wish["as_json"])


def _check(draft: "Charter", *, as_json: bool) -> int:
    from quorate.offline.panel_check import fault_statement

    found = fault_statement(draft, os.environ)
    if as_json:
        say_json(found)
        return DONE
    held = found["withstands"]
    say(str(held["sentence"]) if isinstance(held, dict) else _UNKNOWN.format(rulebook=one_line(str(found["rulebook"]))))
    return DONE


_UNKNOWN = (
    "How many seats may lie or be missing is not computed for rulebook {rulebook}: that is known only where each seat "
    "has one vote for one option."
)


def _begin(file: str, draft: "Charter") -> int:
    from quorate.errors import BadPanel
    from quorate.presets import panels
    from quorate.settings.panel_file_writer import dump

    if file in panels():
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
