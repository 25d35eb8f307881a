"""The verdict as a card in HTML without a script: in a notebook, and in a report before its script has run."""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from typing import Final

from quorate.model import Convened, Halted
from quorate.views import Record
from quorate.views.access import COULD_NOT_BE_ASKED
from quorate.views.card import demo_notice, outcome, rows
from quorate.views.escape import one_line, visible
from quorate.views.result import Result

__all__ = ["html_card", "policy_hash"]


def html_card(record: Record, *, styled: bool) -> str:
    """Question, verdict and what a reader should know of it; nobody's text can become markup.

    Where `styled`, each element brings its style along, for pages that have no sheet of ours.
    """
    result, state = Result.of(record), record.state
    parts = [*_question(state.convened)]
    if result.failures:
        parts.append(("outcome", "p", f"{COULD_NOT_BE_ASKED}. Continue with: quorate resume {result.id}"))
    elif result.decision is None:
        why = f": {one_line(state.closed.why)}" if isinstance(state.closed, Halted) else ""
        parts.append(("outcome", "p", f"There is no verdict yet{why}. Continue with: quorate resume {result.id}"))
    else:
        parts.append(("outcome", "p", one_line(outcome(result.decision.verdict))))
    shown = "".join(_element(tag, name, escape(text), styled=styled) for name, tag, text in parts)
    listed = "".join(_row(label, lines, styled=styled) for label, lines in rows(result))
    return _element("section", "card", shown + _element("dl", "rows", listed, styled=styled), styled=styled)


def _question(convened: Convened) -> Iterator[tuple[str, str, str]]:
    yield "question", "p", visible(convened.question.text)
    if notice := demo_notice(convened):
        yield "notice", "p", notice


def _row(label: str, lines: tuple[str, ...], *, styled: bool) -> str:
    values = "".join(_element("dd", "value", escape(line), styled=styled) for line in lines)
    return _element("dt", "label", escape(label), styled=styled) + values


def _element(tag: str, name: str, inner: str, *, styled: bool) -> str:
    style = f' style="{_STYLES[name]}"' if styled else ""
    return f"<{tag}{style}>{inner}</{tag}>"


_STYLES: Final = {
    "card": "border:1px solid #8886;border-radius:8px;padding:12px 16px;max-width:48rem;font-family:system-ui",
    "question": "margin:0 0 8px;white-space:pre-wrap;overflow-wrap:anywhere",
    "notice": "margin:0 0 8px;font-style:italic",
    "outcome": "margin:0 0 12px;font-size:1.4em;font-weight:600;overflow-wrap:anywhere",
    "rows": "margin:0;display:grid;grid-template-columns:max-content 1fr;gap:2px 16px",
    "label": "grid-column:1;opacity:.75",
    "value": "grid-column:2;margin:0;overflow-wrap:anywhere",
}


def policy_hash(text: str) -> str:
    """How a page's policy names a script or a style that may stand in it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
