"""The pattern an answer is to be written on, for a prompt and for providers that can enforce a schema."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from quorate import catalogue
from quorate.model.ask import AnswerTerms, safe_text

__all__ = [
    "CONDITIONS",
    "WOULD_CHANGE",
    "answer_line",
    "ballot_paper",
    "conditions_schema",
    "object_schema",
    "with_mark",
    "would_change_schema",
]

_ANY_MARK: Final = "5eed5eed5eed"
_ANOTHER: Final = "0ddba110ddba"
_PAPERS: Final = 256
"""Papers kept ready; every closed list of options needs its own."""

CONDITIONS: Final = """\
- conditions: with WARN, what must hold before anyone goes ahead, one short sentence each; else an empty list."""
WOULD_CHANGE: Final = "- would_change: one sentence: which fact would change your answer. Leave it empty if none would."


def ballot_paper(wants: str, terms: AnswerTerms) -> str:
    """How an answer of a form is to be written, harmless as all that stands in a prompt."""
    known = _paper_for_any_mark(wants, terms.options, veto=terms.veto) if terms.mark.isalnum() else None
    return _paper(wants, terms) if known is None else known.replace(_ANY_MARK, terms.mark)


@lru_cache(maxsize=_PAPERS)
def _paper_for_any_mark(wants: str, options: tuple[str, ...], *, veto: bool) -> str | None:
    """A paper in which a mark can be put in; none if that would change anything else."""
    one, other = (_paper(wants, AnswerTerms(mark=mark, options=options, veto=veto)) for mark in (_ANY_MARK, _ANOTHER))
    return one if one.replace(_ANY_MARK, _ANOTHER) == other else None


def _paper(wants: str, terms: AnswerTerms) -> str:
    return safe_text(catalogue.form(wants).instructions(terms))


def object_schema(mark: str, members: Mapping[str, object]) -> Mapping[str, object]:
    """An object with just these members, the mark before them."""
    properties: dict[str, object] = {"mark": {"type": "string", "enum": [mark]}} if mark else {}
    properties |= members
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def conditions_schema() -> Mapping[str, object]:
    """What must hold before anyone goes ahead; empty with every decision but WARN."""
    told = "With WARN, what must hold before anyone goes ahead; else empty."
    return {"type": "array", "items": {"type": "string"}, "description": told}


def would_change_schema() -> Mapping[str, object]:
    """Required like all others, since providers enforce no optional members; it may be empty."""
    return {"type": "string", "description": "Which fact would change your answer, in one sentence; may be empty."}


def with_mark(line: str, mark: str) -> str:
    """The line to write, its `{mark}` filled in, or left out where nobody asks for one."""
    return line.format(mark=f'"mark": "{mark}", ' if mark else "")


def answer_line(label: str, mark: str, stated: Mapping[str, object]) -> str:
    """An answer as a seat would write it."""
    return f"{label} {json.dumps({**({'mark': mark} if mark else {}), **stated})}"
