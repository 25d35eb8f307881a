"""`quorate panel`: begin a panel file, see what a panel withstands before anything is spent, allow it to act."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.screen import complain, confirm, one_line, say, say_json
from quorate.errors import BadSetting
from quorate.service.option_table import MODEL, PANEL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quorate.model.charter import Charter
    from quorate.service.own_settings import Settings
    from quorate.service.past_votes import GateExpectation, Independence
    from quorate.service.permissions import ConsentRequest

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
@click.argument("file", metavar="FILE|PRESET", shell_complete=options.complete_panels)
@options.flag(MODEL, help="The model for every seat that has none.")
@click.option(
    "--like", metavar="PRESET", default="tribunal", show_default=True, help="For new: the preset to start from."
)
@click.option("--yes", is_flag=True, help="For trust: allow it without asking, for scripts.")
@options.as_json
def panel(file: str, action: str, **wish: Unpack[PanelOptions]) -> int:
    """Write a panel file, check one, or allow one to act.

    `quorate panel new FILE` writes a preset as a commented panel file; - writes it to stdout. No file is
    overwritten.

    `quorate panel check FILE` checks that a panel can be used, and says how few seats or providers can bring a
    decision or stop one; it asks no model and spends nothing. `quorate config --panel FILE` shows its settings.

    `quorate panel trust FILE` shows every command, address, key and file that a panel file, a table of routes or an
    exported record would use, and allows them once you say yes. If the file changes, it must be allowed again.
    """
    from quorate.service.own_settings import current_settings

    if action == "trust":
        return trust(file, yes=wish["yes"], as_json=wish["as_json"])
    wanted = {PANEL.name: wish["like"] if action == "new" else file, MODEL.name: wish["model"]}
    draft = current_settings(wanted).draft
    return _begin(file, draft) if action == "new" else _check(draft, as_json=wish["as_json"])


def _check(draft: "Charter", *, as_json: bool) -> int:
    from quorate.service.forecasts import fault_statement
    from quorate.service.panel_files import check_charter

    check_charter(draft, os.environ)
    found, worth, gate = fault_statement(draft, os.environ), _independence(draft), _gate(draft)
    if as_json:
        independence = worth.document() if worth else None
        say_json({**found, "independence": independence, "gate": gate.document() if gate else None})
        return DONE
    held = found["withstands"]
    say(str(held["sentence"]) if isinstance(held, dict) else _UNKNOWN.format(rulebook=one_line(str(found["rulebook"]))))
    for told in (worth, gate):
        if told is not None:
            say(told.sentence)
    return DONE


def _gate(draft: "Charter") -> "GateExpectation | None":
    """How often it would let harm run: by labels of its own past if there are enough, else as recorded elsewhere."""
    from quorate import catalogue
    from quorate.doors.cli.records import ledger_path
    from quorate.model import Question
    from quorate.service.panel_files import example_opening
    from quorate.service.past_votes import cached_decisions, expect_gate, likeness
    from quorate.views import GATE

    if catalogue.protocol(draft.protocol).outcomes != GATE:
        return None
    if len(dict(draft.models)) < len(draft.panel.seats):
        return expect_gate(draft, (), "")
    like = likeness(example_opening(Question("May this be done?"), draft, os.environ))
    return expect_gate(draft, cached_decisions(ledger_path(None)), like)


def _independence(draft: "Charter") -> "Independence | None":
    """How many independent votes the panel is worth, by the past if that tells, else by what others found."""
    from quorate.doors.cli.records import ledger_path
    from quorate.service.past_votes import cached_decisions, measure_independence, seat_name

    models, voters = dict(draft.models), {seat.name for seat in draft.panel.voters}
    known = {seat: model for seat, model in models.items() if seat in voters}
    if len(known) < len(voters) or len(known) < 2 or draft.panel.demo:  # noqa: PLR2004 - of one seat there is nothing to say
        return None
    decisions = cached_decisions(ledger_path(None))
    return measure_independence(
        [one.votes("model") for one in decisions if one.right is not None],
        [seat_name(seat, known) for seat in known],
    )


_UNKNOWN = (
    "How many seats may lie or be missing is not computed for rulebook {rulebook}: that is known only where each seat "
    "has one vote for one option."
)


def _begin(file: str, draft: "Charter") -> int:
    from quorate.errors import BadPanel
    from quorate.presets import panels
    from quorate.service.panel_files import dump

    if file in panels():
        raise BadPanel(
            f"{file!r} is the name of a preset, which would be used instead of the file; call it {file}.yaml"
        )
    if file == "-":
        say(dump(draft).rstrip("\n"))
        return DONE
    try:
        with Path(file).open("x", encoding="utf-8") as made:
            made.write(dump(draft))
    except FileExistsError:
        raise BadPanel(f"{file!r} already exists; give another name, or remove it first") from None
    except OSError as wrong:
        raise BadPanel(f"cannot write {file!r}: {(wrong.strerror or 'no such place').lower()}") from wrong
    say(f"{one_line(file)} written; edit it, then: quorate ask QUESTION --panel {one_line(file)}")
    return DONE


def trust(file: str, *, yes: bool, as_json: bool) -> int:
    """Show exactly what a file or an exported record would do, ask, and remember the answer for that content."""
    from quorate.service.permissions import Consents

    resolved, request = _request(file, os.environ)
    wanted = _wanted(request)
    if not as_json:
        _show(file, wanted, request)
    allowed = not wanted or yes or _said_yes(file)
    if request is not None and wanted and allowed:
        Consents(resolved.state).keep(request)
    if as_json:
        say_json({"schema": 1, "file": file, **_asked(request), "trusted": allowed})
    elif wanted and allowed:
        say(f"allowed until {_exactly(file)} changes")
    return DONE if allowed else ERROR


def _wanted(request: "ConsentRequest | None") -> list[str]:
    return [] if request is None else [_exactly(_now(effect.line, effect.key)) for effect in request.effects]


def _asked(request: "ConsentRequest | None") -> dict[str, object]:
    if request is None:
        return {"sha256": None, "effects": [], "rules": []}
    effects = [
        {"kind": effect.kind, "what": effect.what, "key": effect.key or None, "shown": effect.shown or None}
        for effect in request.effects
    ]
    return {"sha256": request.digest, "effects": effects, "rules": list(request.decides)}


def _show(file: str, wanted: list[str], request: "ConsentRequest | None") -> None:
    rules = [] if request is None else [_exactly(line) for line in request.decides]
    if not wanted:
        say(f"{_exactly(file)} needs no consent: it asks for no command, address, key or file beyond its own")
        for line in rules:
            say(f"It would {line}")
        return
    say(f"{_exactly(file)} would:")
    for line in (*wanted, *rules):
        say(f"  {line}")


def _said_yes(file: str) -> bool:
    """Only a person at a terminal can say yes; a pipe cannot."""
    name = _exactly(file)
    if sys.stdin is None or not sys.stdin.isatty():
        complain(
            f"nothing was allowed: there is no terminal to ask on; to allow all of it: quorate panel trust {name} --yes"
        )
        return False
    if not confirm("Allow this until the file changes? [y/N] "):
        complain("nothing was allowed")
        return False
    return True


def _now(line: str, key: str) -> str:
    return f"{line} ({'set' if os.environ.get(key) else 'not set'} now)" if key else line


def _exactly(text: str) -> str:
    """Somebody's text with nothing left out of it, in one line."""
    from quorate.views.escape import visible

    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _request(file: str, env: "Mapping[str, str]") -> "tuple[Settings, ConsentRequest | None]":
    from quorate.service.own_settings import current_settings
    from quorate.service.permissions import asked_by_file, load_table, of_routes

    kind = _kind(file)
    resolved = current_settings({PANEL.name: file if kind == "panel" else "tribunal"})
    if kind == "record":
        return resolved, _of_export(file, env)
    return resolved, of_routes(load_table(file), env) if kind == "routes" else asked_by_file(resolved, env)


def _kind(file: str) -> str:
    """What a file is: an exported record begins with its header, a table of routes has tasks, else it is a panel."""
    from quorate.presets import panels
    from quorate.service.setting_files import read_bytes, read_document

    content = None if file in panels() or not file else read_bytes(Path(file), file)
    if content is None:
        return "panel"
    if content.startswith(b'{"quorate":'):
        return "record"
    known = read_document(content, file)
    return "routes" if not known.plain and "tasks" in dict(known.pairs()) else "panel"


def _of_export(file: str, env: "Mapping[str, str]") -> "ConsentRequest":
    from quorate.ledger import export as records
    from quorate.ledger.chain import open_row
    from quorate.service.permissions import of_record

    try:
        lines = Path(file).read_bytes().splitlines(keepends=True)
    except OSError as wrong:
        raise BadSetting(f"cannot read {file!r}: {(wrong.strerror or 'it cannot be opened').lower()}") from wrong
    records.verify_lines(lines)
    record = records.parse(lines)
    return of_record(record.id, [open_row(row).event for row in record.rows], env)
