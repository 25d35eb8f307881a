"""Chance is drawn once; everything unpredictable is derived from that seed, and derived again the same on replay."""

from typing import Final

LENGTH: Final = 12
_BLOCK: Final = 64
_INNER: Final = bytes(octet ^ 0x36 for octet in range(256))
_OUTER: Final = bytes(octet ^ 0x5C for octet in range(256))
"""HMAC as it is defined: the key, filled up to a block, one sign before the words and another before their hash."""


class SeededChance:
    """Derives many tokens from one seed, the same as `derive`, with the seed worked in once."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, seed: str) -> None:
        from hashlib import sha256  # noqa: PLC0415  it loads OpenSSL, and whoever only counts ballots draws nothing

        key = seed.encode()
        block = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
        self._inner, self._outer = sha256(block.translate(_INNER)), sha256(block.translate(_OUTER))

    def derive(self, *purpose: str) -> str:
        """A token for a purpose."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update("\x1f".join(purpose).encode(errors="surrogatepass"))
        outer.update(inner.digest())
        return outer.hexdigest()[:LENGTH]


def derive(seed: str, *purpose: str, length: int = LENGTH) -> str:
    """Derive a token for a purpose (say "mark", round, seat) that nobody without the seed can guess."""
    import hmac  # noqa: PLC0415  as above
    from hashlib import sha256  # noqa: PLC0415  as above

    return hmac.digest(seed.encode(), "\x1f".join(purpose).encode(errors="surrogatepass"), sha256).hex()[:length]
