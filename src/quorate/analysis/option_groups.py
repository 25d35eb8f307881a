"""Options that say the same become one: complete linkage over scores, and never against the guard."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Final

from quorate.frozen import dataclass

__all__ = ["AT_LEAST", "LOWEST", "Group", "Grouping", "OptionPair", "grey_from", "group", "regroupings"]

AT_LEAST: Final = Fraction(7, 10)
LOWEST: Final = Fraction(3, 5)
"""The least threshold there is: the guard looks at no pair below it, and nothing unguarded is merged."""

Places = tuple[int, int]

_GREY: Final = Fraction(2, 5)
_GREY_OF_EMBEDDINGS: Final = Fraction(11, 20)
_SEVERAL: Final = 50
"""Of more options than these the guard looks at no pair that could not be merged: there would be far too many."""
_QUOTED: Final = frozenset({'""', "''", "“”", "‘’", "``", "«»"})
_FEW: Final = 4
"""Pairs of which every selection is tried; of more, each by itself and all together."""
_MOST: Final = 24
"""Pairs that are tried by themselves; of more than these, all together and no others."""


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

    def name_of(self, option: str) -> str:
        """The name under which an option counts; its own if it was never grouped."""
        return next((one.name for one in self.groups if option in one.members), option)


def group(
    options: Sequence[str],
    scores: Iterable[tuple[int, int, Fraction]],
    refused: Iterable[tuple[int, int, str]] = (),
    at_least: Fraction = AT_LEAST,
) -> Grouping:
    """Join options pair by pair, the most alike first.

    Two groups become one only if every pair across them reaches the threshold and none is refused. A pair without a
    score is below it. The order of the options decides the groups' names and nothing else.
    """
    at_least = max(at_least, LOWEST)
    first = {option: at for at, option in reversed(list(enumerate(options)))}
    scored = {_places(first, options, i, j): score for i, j, score in scores if options[i] != options[j]}
    why_not = {_places(first, options, i, j): why for i, j, why in refused}
    allowed = {pair for pair, score in scored.items() if score >= at_least and pair not in why_not}
    in_order = sorted(allowed, key=lambda pair: (-scored[pair], sorted((options[pair[0]], options[pair[1]]))))
    home = _homes(sorted(first.values()), in_order, allowed)
    groups = [_named([options[at] for at in members], options) for members in _distinct(home)]
    shown = f"{float(at_least):.2f}"
    verdicts = _Verdicts(options, at_least, home, allowed, why_not, f"at least {shown}", f"below {shown}")
    return Grouping(
        groups=tuple(groups), pairs=tuple(verdicts.pair(places, score) for places, score in sorted(scored.items()))
    )


def _named(members: Sequence[str], options: Sequence[str]) -> Group:
    """A group under the name that was seen first, without quotation marks around it unless that is another option."""
    first = members[0]
    bare = first[1:-1].strip() if first[:1] + first[-1:] in _QUOTED else first
    taken = not bare or (bare in options and bare not in members)
    return Group(name=first if taken else bare, members=tuple(members))


def grey_from(by: str, options: int) -> Fraction:
    """From which score on another backend than this one might say that two of so many options are the same."""
    if options > _SEVERAL:
        return LOWEST
    return _GREY_OF_EMBEDDINGS if by.startswith(("embeddings", "endpoint")) else _GREY


def regroupings(
    options: Sequence[str],
    scores: Iterable[tuple[int, int, Fraction]],
    refused: Iterable[tuple[int, int, str]],
    by: str,
    at_least: Fraction = AT_LEAST,
) -> Iterator[tuple[tuple[OptionPair, ...], Grouping]]:
    """Every other grouping that pairs in the grey zone leave open, with the pairs that are merged for it; few first."""
    scored, forbidden = tuple(scores), tuple(refused)
    at_least = max(at_least, LOWEST)
    grey = _grey_pairs(scored, forbidden, grey_from(by, len(options)), min(at_least, AT_LEAST))
    for chosen in _selections(grey):
        raised = tuple((i, j, at_least if (i, j) in chosen else score) for i, j, score in scored)
        grouping = group(options, raised, forbidden, at_least)
        named = {(options[i], options[j]) for i, j in chosen}
        yield tuple(pair for pair in grouping.pairs if named & {(pair.a, pair.b), (pair.b, pair.a)}), grouping


def _grey_pairs(
    scored: tuple[tuple[int, int, Fraction], ...],
    forbidden: tuple[tuple[int, int, str], ...],
    begins: Fraction,
    ends: Fraction,
) -> list[Places]:
    """The pairs in the grey zone that the guard lets pass, the most alike first."""
    never = {(i, j) for i, j, _ in forbidden}
    inside = [(-score, i, j) for i, j, score in scored if begins <= score < ends and (i, j) not in never]
    return [(i, j) for _, i, j in sorted(inside)]


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
    refused: Mapping[Places, str]
    reached: str
    below: str

    def pair(self, places: Places, score: Fraction) -> OptionPair:
        i, j = places
        merged = self.home[i] is self.home[j]
        why = self.reached if merged else self._why_not(places, score)
        return OptionPair(a=self.options[i], b=self.options[j], score=score, merged=merged, why=why)

    def _why_not(self, places: Places, score: Fraction) -> str:
        if places in self.refused:
            return f"refused, {self.refused[places]}"
        if score < self.at_least:
            return self.below
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


def _distinct(home: Mapping[int, tuple[int, ...]]) -> list[tuple[int, ...]]:
    return [members for at, members in home.items() if members[0] == at]
