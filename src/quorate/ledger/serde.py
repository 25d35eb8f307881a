"""Events as JSON: a public form that is hashed, and apart from it the words that may be forgotten.

The public form is canonical: keys sorted, no spaces, UTF-8. Somebody's words stand in it as
{"sha256": …}, the SHA-256 of the entry's salt followed by the words.
"""

import json
from hashlib import sha256
from typing import Any, Final, cast, get_args

import orjson

from quorate.errors import LedgerBroken, LedgerError, OtherVersion, QuorateError
from quorate.ledger.type_shapes import HASH, Keep, Shape, Words, shape
from quorate.model import Event
from quorate.model.texts import is_forgotten

_EVENTS: Final[dict[str, type]] = {kind.__name__: kind for kind in get_args(Event)}
_NAME: Final = "event"
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def canonical(plain: object) -> str:
    """Write plain JSON types in the one form that is hashed."""
    return _ENCODER.encode(plain)


def canonical_bytes(plain: object) -> bytes:
    """The same in UTF-8, ten times as fast; what orjson refuses (lone surrogates, huge numbers) goes the slow way."""
    try:
        return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return canonical(plain).encode(errors="surrogatepass")


_UNUSED: Final = sha256()
"""Before its first byte: to copy it takes a fifth of the time that a new one takes to set up."""


def sha256_hex(content: bytes) -> str:
    """The SHA-256 of a few bytes, of which an entry needs several."""
    state = _UNUSED.copy()
    state.update(content)
    return state.hexdigest()


def hash_text(salt: str, text: str) -> str:
    """Name words by their hash; without the salt nobody can try out what they were."""
    return sha256_hex((salt + text).encode(errors="surrogatepass"))


def encode(event: Event, salt: str) -> tuple[bytes, dict[str, str]]:
    """Write an event in its public form, and its words by their hashes."""
    words: dict[str, str] = {}
    salted = salt.encode()

    def keep(text: str) -> dict[str, str]:
        name = sha256_hex(salted + text.encode(errors="surrogatepass"))
        words[name] = text
        return {HASH: name}

    return canonical_bytes(_named(event, keep)), words


def canonical_event(event: Event) -> bytes:
    """Write an event in the one form that is hashed, with its words in place."""
    return canonical_bytes(_named(event, _as_said))


def _as_said(text: str) -> str:
    return text


def plain(event: Event) -> dict[str, Any]:
    """Write an event in plain JSON types with its words in place, for whoever shows or passes it on."""
    return _named(event, str)


def wordless(event: Event) -> dict[str, Any]:
    """Write an event in plain JSON types without its words, to compare what is left when they are gone."""
    return _named(event, _blank)


def _blank(_text: str) -> str:
    return ""


def count_forgotten(event: Event) -> tuple[int, int]:
    """How many words of an event have been forgotten, and how many are there."""
    gone: list[bool] = []

    def keep(text: str) -> str:
        gone.append(is_forgotten(text))
        return ""

    _named(event, keep)
    return sum(gone), len(gone) - sum(gone)


def _named(event: Event, keep: Keep) -> dict[str, Any]:
    kind: type = type(event)
    written: dict[str, Any] = shape(kind).write(event, keep)
    written[_NAME] = kind.__name__
    return written


def decode(public: str | bytes, words: Words) -> Event:
    """Read an event back; words that are no longer there read as forgotten.

    Raises:
        OtherVersion: an event or a field that this quorate does not know.
        LedgerBroken: it is not what was written.
    """
    try:
        return _decoded(load_object(public), words)
    except LedgerError:
        # A number of more than 64 bits is another one to orjson; only json may say that something cannot be read.
        return _decoded(_slowly(public), words)


def _decoded(written: dict[str, Any], words: Words) -> Event:
    name = written.pop(_NAME, None)
    try:
        event: Event = _known(name).read(written, words)
    except LedgerError:
        raise
    except QuorateError as error:
        raise LedgerBroken(f"{name} holds what cannot be: {error}; the record was changed") from error
    return event


def load_object(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object.

    Raises:
        LedgerBroken: it is none.
    """
    try:
        written: object = orjson.loads(text)
    except ValueError:
        return _slowly(text)
    return cast("dict[str, Any]", written) if type(written) is dict else _slowly(text)


def is_canonical(text: bytes) -> bool:
    """Whether a JSON object is written in the one form that is hashed: no repeated key, no other spelling of a value.

    Raises:
        LedgerBroken: it is no JSON object.
    """
    # A number of more than 64 bits is another one to orjson, so the slow way has the last word.
    return canonical_bytes(load_object(text)) == text or _spelled(_slowly(text)) == text


def _spelled(written: dict[str, Any]) -> bytes:
    try:
        return canonical(written).encode(errors="surrogatepass")
    except ValueError:  # NaN and its like, which are no JSON
        return b""


def _slowly(text: str | bytes) -> dict[str, Any]:
    """By the standard library, which reads lone surrogates and numbers of any size too, and says what is wrong."""
    try:
        written: object = json.loads(text if isinstance(text, str) else text.decode(errors="surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise LedgerBroken(f"an entry is not JSON: {error}; the record was changed or cut") from error
    if not isinstance(written, dict):
        raise LedgerBroken("an entry is no JSON object; the record was changed or cut")
    return cast("dict[str, Any]", written)


def _known(name: object) -> Shape:
    if not isinstance(name, str):
        raise LedgerBroken("an entry does not say which event it holds; the record was changed or cut")
    if name not in _EVENTS:
        raise OtherVersion(f"another version of quorate wrote it: this one can't read the event {name[:40]!r}")
    return shape(_EVENTS[name])
