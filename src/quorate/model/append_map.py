"""A mapping that only grows, and of which every earlier version stays as it was."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class AppendMap(Mapping[K, V]):
    """Adding costs what the addition costs, not what came before it: all versions share one log.

    A version sees the log up to its own length. Whoever adds to a version that has been added to before gets a log
    of his own.
    """

    __slots__ = ("_count", "_last", "_length", "_log")

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        """Begin with these."""
        self._log: list[tuple[K, V, int]] = [(key, value, -1) for key, value in (items or {}).items()]
        self._last: dict[object, int] = {entry[0]: at for at, entry in enumerate(self._log)}
        self._length = self._count = len(self._log)

    def plus(self, key: K, value: V) -> "AppendMap[K, V]":
        """The same with one more, or with another value for a key."""
        if len(self._log) != self._length:
            return AppendMap(self).plus(key, value)
        before = self._last.get(key, -1)
        self._log.append((key, value, before))
        self._last[key] = self._length
        more = object.__new__(type(self))
        more._log, more._last, more._length = self._log, self._last, self._length + 1
        more._count = self._count + (before < 0)
        return more

    def _at(self, key: object) -> int:
        """Where a key stands, as far as this version sees; -1 if nowhere."""
        at = self._last.get(key, -1)
        while at >= self._length:
            at = self._log[at][2]
        return at

    def __getitem__(self, key: K) -> V:
        """What stands under a key.

        Raises:
            KeyError: nothing does.
        """
        at = self._at(key)
        if at < 0:
            raise KeyError(key)
        return self._log[at][1]

    def get(self, key: K, default: V | None = None) -> V | None:  # type: ignore[override]
        """What stands under a key, if anything does; a version sees almost all of what it is asked for."""
        at = self._last.get(key, -1)
        if at >= self._length:
            at = self._at(key)
        return default if at < 0 else self._log[at][1]

    def __contains__(self, key: object) -> bool:
        return key in self._last and (len(self._log) == self._length or self._at(key) >= 0)

    def known(self) -> frozenset[object]:
        """Its keys as a plain set, for whoever looks for many of them."""
        return frozenset(self._last if len(self._log) == self._length else self)

    def some(self, keys: Iterable[K]) -> list[V]:
        """What stands under those of these keys that are there."""
        if len(self._log) != self._length:
            return [self[key] for key in keys if key in self]
        log, last = self._log, self._last
        return [log[last[key]][1] for key in keys if key in last]

    def __iter__(self) -> Iterator[K]:
        for key, _, before in self._log[: self._length]:
            if before < 0:
                yield key

    def items(self) -> ItemsView[K, V]:
        """All of it, put together at once: whoever counts looks at everything, several times."""
        return self._whole().items()

    def values(self) -> ValuesView[V]:
        """The same without the keys."""
        return self._whole().values()

    def _whole(self) -> dict[K, V]:
        if self._count == self._length:  # no key came twice
            return {key: value for key, value, _ in self._log[: self._length]}
        return {key: self[key] for key in self}

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"AppendMap({dict(self)!r})"


def append_map(items: Mapping[K, V]) -> AppendMap[K, V]:
    """These, as one that can be added to."""
    return items if isinstance(items, AppendMap) else AppendMap(items)
