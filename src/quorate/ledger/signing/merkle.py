"""A record under one root, and the proof that one entry is under it, as RFC 6962 builds its trees.

A leaf is an entry's hash, as 32 bytes. Its node is SHA-256(0x00 + leaf), and that of two nodes is
SHA-256(0x01 + left + right), so that no leaf can pass for two nodes. A node without a neighbour goes up as it is.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

__all__ = ["is_under", "leaf", "path", "root"]


def leaf(hash_: str) -> bytes:
    """The lowest node over an entry, from the entry's hash."""
    return sha256(b"\0" + bytes.fromhex(hash_)).digest()


def root(hashes: Iterable[str]) -> str:
    """The root over entries, from their hashes in order."""
    level = [leaf(one) for one in hashes]
    if not level:
        return sha256().hexdigest()
    while len(level) > 1:
        level = _above(level)
    return level[0].hex()


def path(hashes: Sequence[str], number: int) -> tuple[bytes, ...]:
    """What must be known beside an entry to reach the root: the neighbours on the way up, the lowest first.

    Raises:
        IndexError: entries are numbered from 1, and there are not so many.
    """
    if not 0 < number <= len(hashes):
        raise IndexError(number)
    place, level = number - 1, [leaf(one) for one in hashes]
    found: list[bytes] = []
    while len(level) > 1:
        if place ^ 1 < len(level):
            found.append(level[place ^ 1])
        place, level = place >> 1, _above(level)
    return tuple(found)


def is_under(root_: str, hash_: str, number: int, of: int, neighbours: Sequence[bytes]) -> bool:
    """Whether an entry of that hash and number stands among so many under the root."""
    place, last, node, left = number - 1, of - 1, leaf(hash_), list(neighbours)
    if not 0 <= place <= last:
        return False
    while last:
        if place & 1 or place < last:
            if not left:
                return False
            other = left.pop(0)
            node = _over(other, node) if place & 1 else _over(node, other)
        place, last = place >> 1, last >> 1
    return not left and node.hex() == root_


def _above(level: Sequence[bytes]) -> list[bytes]:
    paired = [_over(level[place], level[place + 1]) for place in range(0, len(level) - 1, 2)]
    return [*paired, level[-1]] if len(level) % 2 else paired


def _over(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()
