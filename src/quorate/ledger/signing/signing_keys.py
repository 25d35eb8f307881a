"""Keys that sign statements: made once, kept in a file that only its owner can read, never written over."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from quorate.errors import BadSetting
from quorate.frozen import dataclass

__all__ = ["PUBLIC", "SigningKey", "holds", "keep", "load_key", "new_key", "read_secret"]

PUBLIC: Final = re.compile(r"ed25519:[0-9a-f]{64}")
"""How a public key is written."""
_LARGEST: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A key that signs, known to others by its public half."""

    public: str
    sign: Callable[[bytes], bytes]


def new_key(where: Path) -> str:
    """Make a key of the kind Ed25519 and keep it in a new file; what is given back is its public half.

    Raises:
        BadSetting: the file is there already or cannot be made, or the library is not installed.
    """
    _, serialization = _library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra

    key = Ed25519PrivateKey.generate()
    form, wrapped, bare = (
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    keep(where, key.private_bytes(form, wrapped, bare))
    return _named(key.public_key().public_bytes_raw())


def load_key(where: Path) -> SigningKey:
    """Read a key that `new_key` made.

    Raises:
        BadSetting: it cannot be read, or it is no such key.
    """
    ed25519, serialization = _library()
    key: Any = None
    secret = read_secret(where)
    with suppress(ValueError, TypeError):
        key = serialization.load_pem_private_key(secret, password=None)
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise BadSetting(f"{str(where)!r} holds no Ed25519 key; make one with: quorate attest keygen --key FILE")
    return SigningKey(public=_named(key.public_key().public_bytes_raw()), sign=key.sign)


def holds(public: str, signature: bytes, text: bytes) -> bool:
    """Whether a signature over a text is that of a public key.

    Raises:
        BadSetting: the library is not installed.
    """
    ed25519, _ = _library()
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra

    try:
        ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public.partition(":")[2])).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True


def keep(where: Path, secret: bytes) -> None:
    """Write a secret to a new file that only its owner can read.

    Raises:
        BadSetting: it is there already, or it cannot be made.
    """
    only_new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(where, only_new, 0o600), "wb") as file:
            file.write(secret)
    except FileExistsError:
        raise BadSetting(f"{str(where)!r} already exists, and a key is never overwritten; name another file") from None
    except (OSError, ValueError) as wrong:
        raise BadSetting(f"cannot make {str(where)!r}: {_reason(wrong)}") from None


def read_secret(where: Path) -> bytes:
    """What a file with a secret holds.

    Raises:
        BadSetting: it cannot be read.
    """
    try:
        with where.open("rb") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError) as wrong:
        raise BadSetting(f"cannot read the key {str(where)!r}: {_reason(wrong)}") from None


def _reason(wrong: Exception) -> str:
    said = wrong.strerror if isinstance(wrong, OSError) else None
    return (said or "it is not a file name").lower()


def _named(raw: bytes) -> str:
    return f"ed25519:{raw.hex()}"


def _library() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - an extra
    except ImportError:
        raise BadSetting(
            "signatures need a library that is not installed; run: pip install 'quorate[attest]'"
        ) from None
    return ed25519, serialization
