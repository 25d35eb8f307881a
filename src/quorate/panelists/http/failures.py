"""What goes wrong between us and a provider, in a dozen words that a silence can give as its reason.

| why           | what happened                                                | again | billed |
|---------------|--------------------------------------------------------------|-------|--------|
| unreachable   | no connection, or it closed before anything came back         | yes   | if sent |
| timeout       | nothing, or not all of it, came in time                       | no    | yes    |
| rate_limited  | 429: too many requests; `after` says how long to wait         | yes   | no     |
| no_quota      | 402, or a 429 or 400 about quota or credit                    | no    | no     |
| overloaded    | 503, 529, 408, 409, 425: the provider is busy                 | yes   | 408    |
| server_error  | any other 5xx: the provider failed                            | yes   | 504    |
| wrong_key     | 401, 403: no key, a wrong one, or one without the right       | no    | no     |
| no_such_model | 404: the endpoint does not know the model, or is not one      | no    | no     |
| too_long      | 413, or a complaint about the length of the context           | no    | no     |
| filter        | the prompt was stopped by the provider's content filter       | no    | no     |
| refusal       | the model declined: a reply with that finish, never an error  | no    | yes    |
| bad_request   | any other 4xx: the provider does not understand the request   | no    | no     |
| bad_reply     | a success that is no chat completion: HTML, cut off, too big  | if cut | yes   |
| tool_failed   | a command-line tool ended with an error (`cli.py`)            | no    | yes    |
| tool_missing  | a command-line tool is not there or may not be run            | no    | no     |
| budget        | nothing left to spend (`engine/budget.py`)                    | no    | no     |
| deadline      | the whole deliberation is out of time (`engine/limits.py`)    | no    | maybe  |

A call that we cancel ourselves stays asyncio's cancellation and is none of these.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from quorate.errors import PanelistError

if TYPE_CHECKING:
    from quorate.panelists.http.client import Route

__all__ = ["from_status", "in_one_line", "seconds_to_wait"]

LONGEST_WAIT: Final = 86_400.0
REASON: Final = 240

_OVERLOADED: Final = frozenset({408, 409, 425, 503, 529})
_FAILED: Final = range(500, 600)
_REDIRECTED: Final = range(300, 400)
_GAVE_UP_WAITING: Final = frozenset({408, 504, 524})
"""A gateway lost patience; the model behind it may have gone on writing, and charging."""
_TOO_LONG: Final = (
    *("context_length", "context length", "maximum context", "too many tokens", "prompt is too long"),
    "maximum number of tokens",
)
_QUOTA: Final = (
    *("insufficient_quota", "exceeded your current quota", "quota exceeded", "out of quota", "credit balance"),
    *("insufficient credit", "insufficient balance", "insufficient funds"),
)
_FILTER: Final = ("content_filter", "content management policy", "content_policy", "moderation")
_KEYLIKE: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key|nvapi|pplx|hf|r8|ghp|gho|github_pat|tgp|fw|csk|AIza|AKIA|ya29)[-_.]?[\w.-]{16,}|\beyJ[\w.-]{20,}"
)
"""What looks like a key of somebody's: a tool or a provider may quote one that we do not know."""
_SECONDS: Final = re.compile(r"[+-]?\d{1,12}(?:\.\d{0,9})?")


def from_status(status: int, reason: str, route: "Route", after: float | None = None) -> PanelistError:
    """What an HTTP status, and the sentence that came with it, mean for an ask."""
    who, why = route.who, _why(status, reason.casefold(), waits=after is not None)
    told = f"{who} answered {status}{f': {reason}' if reason else ''}"
    match why:
        case "rate_limited":
            return PanelistError(why, told, again=True, after=after)
        case "overloaded" | "server_error":
            return PanelistError(why, told, again=True, after=after, billed=status in _GAVE_UP_WAITING)
        case "wrong_key":
            return PanelistError(why, f"{told}; {route.advice}" if route.advice else told)
        case _ if status in _REDIRECTED:
            return PanelistError(why, f"{who} answered {status}, a redirect; give the address it leads to")
        case _:
            return PanelistError(why, told)


def _why(status: int, reason: str, *, waits: bool) -> str:
    """The word for a status; `waits`: the provider says when to come back, so what is used up comes back too."""
    if status in _OVERLOADED or status in _FAILED:
        return "overloaded" if status in _OVERLOADED else "server_error"
    about = partial(_mentions, reason)
    rows = (
        ("no_quota", status == HTTPStatus.PAYMENT_REQUIRED or (about(_QUOTA) and not waits)),
        ("rate_limited", status == HTTPStatus.TOO_MANY_REQUESTS),
        ("too_long", status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or about(_TOO_LONG)),
        ("filter", about(_FILTER)),
        ("wrong_key", status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}),
        ("no_such_model", status == HTTPStatus.NOT_FOUND),
    )
    return next((why for why, holds in rows if holds), "bad_request")


def _mentions(reason: str, phrases: tuple[str, ...]) -> bool:
    return any(words in reason for words in phrases)


def seconds_to_wait(written: str, now: datetime | None = None) -> float | None:
    """Read a Retry-After: seconds or an HTTP date; the past is no wait, a day the longest, nonsense none at all."""
    text = written.strip()
    if _SECONDS.fullmatch(text):
        return min(max(float(text), 0.0), LONGEST_WAIT)
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return min(max((when - (now or datetime.now(UTC))).total_seconds(), 0.0), LONGEST_WAIT)


def in_one_line(text: str, secret: str = "") -> str:
    """A provider's words as they may be shown: one short line, and nothing in it that looks like our key."""
    words = "".join(sign if sign.isprintable() else " " for sign in text[: 8 * REASON]).split()
    ends = (secret[:8], secret[-8:]) if secret else ()
    shown = _KEYLIKE.sub("[key]", " ".join("[key]" if any(end in word for end in ends) else word for word in words))
    return shown if len(shown) <= REASON else shown[: REASON - 1] + "…"
