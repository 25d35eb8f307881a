"""What every wire format says in its own way: words, errors, tokens and money; never what the words mean."""

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import orjson

from quorate.model import Usage
from quorate.model.ballot import MOST_MONEY, credible_count
from quorate.model.numbers import exact
from quorate.panelists.price import Price

__all__ = [
    "count_of",
    "is_error",
    "load_json",
    "message_of",
    "part_error",
    "reason_of",
    "refuses",
    "storable",
    "text_of",
    "usage_from",
    "write_json",
]


def load_json(body: bytes) -> object:
    """What a body holds, all but the digits of a whole number beyond 64 bits: nobody counts so many of anything.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deep to be read.
    """
    try:
        return orjson.loads(body)
    except ValueError:
        return json.loads(body)  # takes what many send all the same: NaN, half a character, another encoding


def write_json(value: object) -> bytes:
    """JSON without spaces; half a character, which no UTF-8 can hold, is escaped."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def reason_of(body: bytes) -> str:
    """The sentence in an error's body."""
    try:
        said = load_json(body)
    except (ValueError, RecursionError):
        return "" if body.lstrip().startswith(b"<") else body[:2048].decode(errors="replace")
    if isinstance(said, list) and said:  # as Gemini does when it was asked for a stream
        said = said[0]
    return message_of(said.get("error") or said) if isinstance(said, dict) else ""


def message_of(error: object) -> str:
    """What an error says of itself."""
    if isinstance(error, dict):
        words = (error.get(name) for name in ("message", "detail", "code"))
        return " / ".join(dict.fromkeys(word for word in words if word and isinstance(word, str)))
    return error if isinstance(error, str) else ""


def text_of(content: object, kind: str = "text") -> str:
    """Words, in one string or in parts; what else there is (reasoning, tool calls) is not part of them."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == kind)
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def refuses(content: object) -> bool:
    """Whether one of the parts of a reply is a refusal; words next to it don't make it an answer."""
    return any(part.get("type") == "refusal" or bool(part.get("refusal")) for part in _parts(content))


def part_error(content: object) -> object:
    """The error among the parts of a reply, if there is one."""
    return next((part.get("error") or part for part in _parts(content) if is_error(part)), None)


def is_error(said: dict[str, Any]) -> bool:
    """Whether an object of a reply reports an error, whatever else it holds."""
    return bool(said.get("error")) or said.get("type") == "error"


def _parts(content: object) -> Iterator[dict[str, Any]]:
    return (part for part in content if isinstance(part, dict)) if isinstance(content, list) else iter(())


def storable(text: str) -> str:
    """Text that can be stored: half a surrogate pair, which JSON can hold, becomes a replacement sign."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def usage_from(asked: object, answered: object, price: Price | None, cost: object = None) -> Usage:
    """Tokens and money as far as they were said and make sense; the budget has its own opinion of them."""
    read, written = count_of(asked), count_of(answered)
    money = _amount(cost)
    if money is None and price is not None and read is not None and written is not None:
        money = price.of(read, written)
    return Usage(asked=read, answered=written, money=money)


def _amount(said: object) -> Fraction | None:
    """Money, if it is a number and no more than a reply can cost; a long number is not even written out."""
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= MOST_MONEY:
        return None
    return exact(str(said))


def count_of(said: object) -> int | None:
    """A number of tokens, if it is one."""
    return credible_count(said)
