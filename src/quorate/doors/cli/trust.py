"""`quorate panel trust`: show exactly what a file would do, ask, and remember the answer for that content."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.screen import complain, confirm, say, say_json
from quorate.errors import BadSetting
from quorate.settings.table import PANEL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quorate.settings.effects import Request
    from quorate.settings.resolve import Settings

__all__ = ["trust"]


def trust(file: str, *, yes: bool, as_json: bool) -> int:
    """Allow what a panel file, a table of routes or an exported record would do, if the user says so."""
    from quorate.settings.consent import Consents

    resolved, request = _request(file, os.environ)
    wanted = _wanted(request)
    if not as_json:
        _show(file, wanted)
    allowed = not wanted or yes or _said_yes(file)
    if request is not None and wanted and allowed:
        Consents(resolved.state).keep(request)
    if as_json:
        say_json({"schema": 1, "file": file, **_asked(request), "trusted": allowed})
    elif wanted and allowed:
        say(f"allowed, as long as {_exactly(file)} stays as it is")
    return DONE if allowed else ERROR


def _wanted(request: "Request | None") -> list[str]:
    return [] if request is None else [_exactly(_now(effect.line, effect.key)) for effect in request.effects]


def _asked(request: "Request | None") -> dict[str, object]:
    if request is None:
        return {"sha256": None, "effects": []}
    effects = [
        {"kind": effect.kind, "what": effect.what, "key": effect.key or None, "shown": effect.shown or None}
        for effect in request.effects
    ]
    return {"sha256": request.digest, "effects": effects}


def _show(file: str, wanted: list[str]) -> None:
    if not wanted:
        say(f"{_exactly(file)} needs no consent: it asks for no command, address, key or file beyond its own")
        return
    say(f"{_exactly(file)} would:")
    for line in wanted:
        say(f"  {line}")


def _said_yes(file: str) -> bool:
    """Only a person at a terminal can say yes; a pipe cannot."""
    name = _exactly(file)
    if sys.stdin is None or not sys.stdin.isatty():
        complain(f"nothing was allowed: nobody can be asked here; to allow all of it: quorate panel trust {name} --yes")
        return False
    if not confirm("Allow this as long as the file stays as it is? [y/N] "):
        complain("nothing was allowed")
        return False
    return True


def _now(line: str, key: str) -> str:
    return f"{line} ({'set' if os.environ.get(key) else 'not set'} now)" if key else line


def _exactly(text: str) -> str:
    """Somebody's text with nothing left out of it, in one line."""
    from quorate.views.escape import visible

    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _request(file: str, env: "Mapping[str, str]") -> "tuple[Settings, Request | None]":
    from quorate.settings.consent import asked_by_file
    from quorate.settings.effects import of_routes
    from quorate.settings.resolve import resolve
    from quorate.settings.route_table import load_table

    home = Path("~").expanduser()
    kind = _kind(file)
    resolved = resolve({PANEL.name: file if kind == "panel" else "tribunal"}, env, home)
    if kind == "record":
        return resolved, _of_export(file, env)
    return resolved, of_routes(load_table(file), env) if kind == "routes" else asked_by_file(resolved, env)


def _kind(file: str) -> str:
    """What a file is: an exported record begins with its header, a table of routes has tasks, else it is a panel."""
    from quorate.presets import panels
    from quorate.settings.file_fields import read_bytes, read_document

    content = None if file in panels() or not file else read_bytes(Path(file), file)
    if content is None:
        return "panel"
    if content.startswith(b'{"quorate":'):
        return "record"
    known = read_document(content, file)
    return "routes" if not known.plain and "tasks" in dict(known.pairs()) else "panel"


def _of_export(file: str, env: "Mapping[str, str]") -> "Request":
    from quorate.ledger import export as records
    from quorate.ledger.chain import open_row
    from quorate.settings.effects import of_record

    try:
        lines = Path(file).read_bytes().splitlines(keepends=True)
    except OSError as wrong:
        raise BadSetting(f"cannot read {file!r}: {(wrong.strerror or 'it cannot be opened').lower()}") from wrong
    records.verify_lines(lines)
    record = records.parse(lines)
    return of_record(record.id, [open_row(row).event for row in record.rows], env)
