"""Chance is drawn once; everything unpredictable is derived from that seed, and derived again the same on replay."""

import hmac
from hashlib import sha256


def derive(seed: str, *purpose: str, length: int = 12) -> str:
    """Derive a token for a purpose (say "mark", round, seat) that nobody without the seed can guess."""
    return hmac.digest(seed.encode(), "\x1f".join(purpose).encode(errors="surrogatepass"), sha256).hex()[:length]
