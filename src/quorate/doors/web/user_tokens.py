"""The token of whoever runs the server, and those of several people, each with a ledger of their own."""

import os
import re
import secrets
from dataclasses import field
from pathlib import Path
from typing import Final

from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.ledger.address import scheme_of
from quorate.settings.file_fields import Field, read_bytes, read_document

__all__ = ["User", "new_token", "read_token", "read_users"]

SHORTEST: Final = 16
"""Characters of a token at least: shorter ones can be guessed."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"[\w.@-]{1,64}", re.ASCII)


def new_token() -> str:
    """256 bits of chance, in characters that an address can hold."""
    return secrets.token_urlsafe(32)


def read_token(path: Path) -> str:
    """The token in a file that only its owner can read; made and written there if there is none, so that it stays.

    Raises:
        BadSetting: the file cannot be read or written, or holds no token.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            token = path.read_text(encoding="utf-8").strip()
        else:
            token = new_token()
            with os.fdopen(made, "w", encoding="utf-8") as file:
                file.write(f"{token}\n")
    except (OSError, ValueError) as wrong:
        raise BadSetting(
            f"the token cannot be kept in {str(path)!r}: {wrong}; give another file: --token-file"
        ) from wrong
    if len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise BadSetting(
            f"{str(path)!r} holds no token of at least {SHORTEST} plain characters; remove it to have one made"
        )
    return token


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """One of several people: the hash of a token, and a ledger nobody else's token opens."""

    name: str
    token: str = field(repr=False)
    ledger: str = field(repr=False)


def read_users(path: Path) -> tuple[User, ...]:
    """Who may use the server: a mapping of names, each with `token`, the SHA-256 of a token, and `ledger`, a path.

    Raises:
        BadPanel: the file cannot be read, or two share a token or a ledger.
        BadSetting: there is no such file.
    """
    content = read_bytes(path, str(path))
    if content is None:
        raise BadSetting(f"there is no file {str(path)!r} of users")
    document = read_document(content, str(path))
    users = tuple(_user(name, inner, path.parent) for name, inner in document.pairs())
    if not users:
        raise document.fault("no users; write NAME: {token: HASH, ledger: PATH}. quorate serve --new-token makes one")
    for kind in ("token", "ledger"):
        if len({getattr(user, kind) for user in users}) < len(users):
            raise document.fault(f"two users have the same {kind}; give each their own")
    return users


def _user(name: str, inner: Field, folder: Path) -> User:
    if not _NAME.fullmatch(name):
        raise inner.fault("a name is up to 64 letters, digits and . _ @ -")
    known = inner.fields(("token", "ledger"))
    if known.keys() != {"token", "ledger"}:
        raise inner.fault("a user needs both token, the hash, and ledger, a path")
    digest = known["token"].text().strip().lower().removeprefix("sha256:")
    if not _HASH.fullmatch(digest):
        raise known["token"].fault("the SHA-256 of a token, 64 hexadecimal digits; never the token itself")
    written = known["ledger"].text()
    ledger = written if scheme_of(written) else str((folder / Path(written).expanduser()).resolve())
    return User(name=name, token=digest, ledger=ledger)
