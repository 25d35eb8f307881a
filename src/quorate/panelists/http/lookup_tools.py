"""The three tools by which a seat may look something up, and their calls as the lines that mean the same in text.

What a call asks for is judged where every reply is read: here it only changes its spelling.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from quorate.model import Ask
from quorate.model.lookup import Lookup
from quorate.panelists.http.reply_fields import storable
from quorate.reading.text.lookup_lines import lookup_line

__all__ = ["ABOUT_TOOLS", "DECLINED", "TOOLS", "ToolCall", "offers_lookups", "read_calls"]

ToolCall = tuple[object, object]
"""The name of a tool, and what it was given: an object, or one as JSON text."""

DECLINED: Final = "lookup_tools"
"""How it is remembered that an endpoint takes no tools; its seats look things up by lines of text."""
ABOUT_TOOLS: Final = ("tool", "function")
"""Words in a complaint by which an endpoint shows that it is about these."""

_PATH: Final = {"type": "string", "description": "Relative to the folder that was opened; a dot is the folder itself."}


def _tool(name: str, description: str, **properties: Mapping[str, object]) -> dict[str, Any]:
    needed = [one for one in properties if one != "from"]
    schema = {"type": "object", "properties": properties, "required": needed}
    return {"name": name, "description": description, "parameters": schema}


TOOLS: Final = (
    _tool("list_folder", "What lies in a folder.", path=_PATH),
    _tool(
        "read_file",
        "The text of a file.",
        path=_PATH,
        **{"from": {"type": "integer", "description": "The number of the line to begin at; left out for the first."}},
    ),
    _tool(
        "search_text",
        "The lines of all files below a folder in which a text stands.",
        text={"type": "string", "description": "What to look for, to the letter; capitals do not matter."},
        path=_PATH,
    ),
)
"""By name, with what each is given."""


def is_lookup_tool(name: object) -> bool:
    """Whether somebody calls one of these."""
    return isinstance(name, str) and any(tool["name"] == name for tool in TOOLS)


def offers_lookups(sent: Mapping[str, Any]) -> bool:
    """Whether a request offered these tools, in whatever shape its format has for them."""
    return TOOLS[0]["name"] in json.dumps(sent.get("tools", ()))


def read_calls(calls: Sequence[ToolCall], ask: Ask) -> tuple[str, bool]:
    """The lookups called, as lines under the mark of the ask; and whether a tool was called that was not offered."""
    called = [(name, given) for name, given in calls if ask.lookups and is_lookup_tool(name)]
    ballots = sum(name == ask.wants for name, _ in calls)
    lookups = (_lookup(name, _fields(given)) for name, given in called)
    lines = "\n".join(lookup_line(ask.mark, lookup) for lookup in lookups if lookup is not None)
    return lines, len(called) + ballots < len(calls)


def _fields(given: object) -> Mapping[str, object]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {}
    return given if isinstance(given, dict) else {}


def _lookup(name: object, given: Mapping[str, object]) -> Lookup | None:
    path, text, line = given.get("path", "."), given.get("text", ""), given.get("from", 0)
    if not isinstance(path, str) or not isinstance(text, str):
        return None
    path, text = storable(path), storable(text)
    match name:
        case "list_folder":
            return Lookup(kind="list", path=path)
        case "read_file":
            return Lookup(kind="read", path=path, line=line if isinstance(line, int) and line > 1 else 0)
        case "search_text":
            return Lookup(kind="search", path=path, text=text)
        case _:
            return None
