"""The pattern an answer is to be written on, for a prompt and for providers that can enforce a schema."""

import json
from collections.abc import Mapping

__all__ = ["answer_line", "object_schema", "with_mark"]


def object_schema(mark: str, members: Mapping[str, object]) -> Mapping[str, object]:
    """An object with just these members, the mark before them."""
    properties: dict[str, object] = {"mark": {"type": "string", "enum": [mark]}} if mark else {}
    properties |= members
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def with_mark(line: str, mark: str) -> str:
    """The line to write, its `{mark}` filled in, or left out where nobody asks for one."""
    return line.format(mark=f'"mark": "{mark}", ' if mark else "")


def answer_line(label: str, mark: str, stated: Mapping[str, object]) -> str:
    """An answer as a seat would write it."""
    return f"{label} {json.dumps({**({'mark': mark} if mark else {}), **stated})}"
