"""Options that are the same words become one: complete linkage over scores. A score alone merges nothing."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Final

from quorate.frozen import dataclass

__all__ = ["AT_LEAST", "Group", "Grouping", "OptionPair", "OptionScores", "group", "regroupings"]

AT_LEAST: Final = Fraction(7, 10)

Places = tuple[int, int]

_FEW: Final = 4
"""Pairs of which every selection is tried; of more, each by itself and all together."""
_MOST: Final = 24
"""Pairs that are tried by themselves; of more than these, all together and no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionScores:
    """What is known of options by their places: how alike two are, and which two are the same words."""

    scores: tuple[tuple[int, int, Fraction], ...]
    same: tuple[Places, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Options counted as one, under the name that was seen first."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionPair:
    """Two options, how alike they are, whether they ended in one group, and why or why not."""

    a: str
    b: str
    score: Fraction
    merged: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """The groups in the order they were first seen, and what became of every pair that was scored."""

    groups: tuple[Group, ...]
    pairs: tuple[OptionPair, ...]


def group(options: Sequence[str], compared: OptionScores, at_least: Fraction = AT_LEAST) -> Grouping:
    """Join options pair by pair, the most alike first.

    Two groups become one only if every pair across them is the same words and reaches the threshold. A pair without a
    score is below it. The order of the options decides the groups' names and nothing else.
    """
    first = {option: at for at, option in reversed(list(enumerate(options)))}
    scored = {_places(first, options, i, j): score for i, j, score in compared.scores if options[i] != options[j]}
    same = {_places(first, options, i, j) for i, j in compared.same}
    allowed = {pair for pair, score in scored.items() if pair in same and score >= at_least}
    in_order = sorted(allowed, key=lambda pair: (-scored[pair], sorted((options[pair[0]], options[pair[1]]))))
    home = _homes(sorted(first.values()), in_order, allowed)
    verdicts = _Verdicts(options, at_least, home, allowed, same)
    return Grouping(
        groups=tuple(_groups(home, options)),
        pairs=tuple(verdicts.pair(places, score) for places, score in sorted(scored.items())),
    )


def regroupings(
    options: Sequence[str], compared: OptionScores, held: Container[str], at_least: Fraction = AT_LEAST
) -> Iterator[tuple[tuple[OptionPair, ...], Grouping]]:
    """Every other grouping that open pairs leave, with the pairs that are merged for it; few first.

    A pair is open if only one of the two takes it for the same: the words, or how alike they are. Both options must be
    held by somebody at the end.
    """
    pairs = _open_pairs(options, compared, held, min(at_least, AT_LEAST))
    for chosen in _selections(pairs):
        raised = {(i, j): score for i, j, score in compared.scores}
        raised |= {pair: max(raised.get(pair, at_least), at_least) for pair in chosen}
        merged = OptionScores(
            scores=tuple((i, j, score) for (i, j), score in raised.items()), same=(*compared.same, *chosen)
        )
        grouping = group(options, merged, at_least)
        named = {(options[i], options[j]) for i, j in chosen}
        yield tuple(pair for pair in grouping.pairs if named & {(pair.a, pair.b), (pair.b, pair.a)}), grouping


def _open_pairs(
    options: Sequence[str], compared: OptionScores, held: Container[str], at_least: Fraction
) -> list[Places]:
    """The open pairs, the most alike first."""
    scored, same = {(i, j): score for i, j, score in compared.scores}, set(compared.same)
    found = [
        (-scored.get(pair, Fraction(0)), pair)
        for pair in scored.keys() | same
        if (scored.get(pair, Fraction(0)) >= at_least) != (pair in same)
        and options[pair[0]] in held
        and options[pair[1]] in held
    ]
    return [pair for _, pair in sorted(found)]


def _selections(pairs: list[Places]) -> Iterator[frozenset[Places]]:
    few, some = len(pairs) <= _FEW, len(pairs) <= _MOST
    sizes = range(1, len(pairs) + 1) if few else (1, len(pairs)) if some else (len(pairs),)
    yield from map(frozenset, chain.from_iterable(combinations(pairs, size) for size in sizes))


def _homes(places: Iterable[int], in_order: Iterable[Places], allowed: set[Places]) -> dict[int, tuple[int, ...]]:
    """By place, all the places of its group, joined pair by pair."""
    home: dict[int, tuple[int, ...]] = {at: (at,) for at in places}
    for i, j in in_order:
        if home[i] is not home[j] and not _apart(home[i], home[j], allowed):
            joined = tuple(sorted(home[i] + home[j]))
            home |= dict.fromkeys(joined, joined)
    return home


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """Why each pair was merged or not."""

    options: Sequence[str]
    at_least: Fraction
    home: Mapping[int, tuple[int, ...]]
    allowed: set[Places]
    same: set[Places]

    def pair(self, places: Places, score: Fraction) -> OptionPair:
        i, j = places
        merged = self.home[i] is self.home[j]
        return OptionPair(
            a=self.options[i], b=self.options[j], score=score, merged=merged, why=self._why(places, score)
        )

    def _why(self, places: Places, score: Fraction) -> str:
        words = "the same words" if places in self.same else "other words"
        reached = f"{'below' if score < self.at_least else 'at least'} {float(self.at_least):.2f}"
        if places not in self.allowed or self.home[places[0]] is self.home[places[1]]:
            return f"{words}, {reached}"
        i, j = _apart(self.home[places[0]], self.home[places[1]], self.allowed) or places
        return f"linkage, {self.options[i]!r} and {self.options[j]!r} may not be merged"


def _places(first: Mapping[str, int], options: Sequence[str], i: int, j: int) -> Places:
    """Where the two options were first seen, the earlier one first."""
    a, b = first[options[i]], first[options[j]]
    return (a, b) if a < b else (b, a)


def _apart(here: tuple[int, ...], there: tuple[int, ...], allowed: set[Places]) -> Places | None:
    """A pair across two groups that may not be merged."""
    for i in here:
        for j in there:
            pair = (i, j) if i < j else (j, i)
            if pair not in allowed:
                return pair
    return None


def _groups(home: Mapping[int, tuple[int, ...]], options: Sequence[str]) -> Iterator[Group]:
    for at, members in home.items():
        if members[0] == at:
            yield Group(name=options[at], members=tuple(options[place] for place in members))
