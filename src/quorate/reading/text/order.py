"""An order of options as people and models write it: a list, lists within it for equals, an object by place, a line."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, cast

from quorate.model.ballot import Ranking
from quorate.model.once import lazy_pattern
from quorate.reading.text.listed_options import abstains, distinct_options, listed_option, no_choice, plain_option
from quorate.reading.text.objects import Object, Scalar
from quorate.reading.text.strict_json import Twice
from quorate.reading.text.values import plain, prose

__all__ = ["MOST", "Places", "ordered_options", "places_in_file", "places_in_object"]

MOST: Final = 100
"""Options in one ranking; pairs and paths of many more take longer to count than anybody waits."""

Places = list[list[str]]
"""The words of each place, the best first."""

_BETTER: Final = lazy_pattern(r"\s*[>≻]\s*")
_EQUAL: Final = lazy_pattern(r"\s*=\s*")
_PLACE: Final = lazy_pattern(r"\s*([1-9][0-9]{0,2})(?:st|nd|rd|th|\.)?\s*", re.IGNORECASE)
_NAMES: Final = ("option", "choice", "name")
_RANKS: Final = ("rank", "place", "position")


def ordered_options(places: Places, options: tuple[str, ...]) -> Ranking | str:
    """The ranking that was written, by the words of the list where there is one, or why it is none.

    Options of the list that it leaves out come last, together.
    """
    found = [[one for text in place for one in _named(text, options)] for place in places]
    named = [*chain.from_iterable(found)]
    if why := _no_choices(named, options):
        return why
    known = _listed(found, options) if options else found
    if known is None:
        return "unknown_option"
    ranked = [*chain.from_iterable(known)]
    if len(set(map(plain_option, ranked))) != len(ranked):
        return "duplicate"
    left_out = [option for option in distinct_options(options) if option not in ranked]
    return Ranking(_filled([*known, left_out]))


def _no_choices(named: Sequence[str], options: tuple[str, ...]) -> str:
    """Why these words name no options: there are none or too many, or one is no choice. Empty when they do."""
    if not named:
        return "no_option"
    if len(named) > MOST:
        return "overfull"
    hollow = next((why for one in named if (why := no_choice(one))), "")
    return hollow or ("unknown_option" if any(abstains(one, options) for one in named) else "")


def _filled(places: Places) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(place) for place in places if place)


def _listed(places: Places, options: tuple[str, ...]) -> Places | None:
    """The same places in the words of the list; none if something is not on it."""
    known = [[listed_option(one, options) for one in place] for place in places]
    listed = [[one for one in place if one is not None] for place in known]
    return listed if listed == known else None


def _named(text: str, options: tuple[str, ...]) -> list[str]:
    """An option, or several held to be equal: `A = B`, unless those very words stand on the list."""
    whole = " ".join(text.split())
    if listed_option(whole, options) is not None or "=" not in whole:
        return [whole]
    return _EQUAL.split(whole)


def _of_line(text: str, options: tuple[str, ...]) -> Places:
    """An order in a line: `B > A = C`, unless those very words stand on the list."""
    whole = " ".join(text.split())
    bracketed = no_choice(whole) == "placeholder"
    if bracketed or listed_option(whole, options) is not None:
        return [[whole]]
    return [[piece] for piece in _BETTER.split(whole)]


def places_in_object(part: Object, name: str, options: tuple[str, ...]) -> Places | str:
    """What stands under a name of an object that a model wrote, or why that is no order."""
    values = [value for key, value in part.members if key == name]
    if len(values) > 1:
        return "duplicate"
    if values and values[0] is not None:
        return _of_line(prose(values[0].raw), options)
    groups = _groups(part, name)
    return _of_items(groups) if groups else _of_numbered(part, name)


def _of_numbered(part: Object, name: str) -> Places | str:
    """An object within that names an option for the number of each place."""
    by_place = [one for one in part.inner if one.members and all(_PLACE.fullmatch(key) for key, _ in one.members)]
    # Where another name has an object or a list too, whose an order is cannot be told: it may be somebody else's.
    if len(by_place) != 1 or [key for key, value in part.members if value is None] != [name]:
        return "no_option"
    return _by_place([(key, prose(value.raw) if value else "") for key, value in by_place[0].members])


def _groups(part: Object, name: str) -> list[list[Scalar | Object]]:
    """The items of a list, those that stand in a list of their own together."""
    places: list[list[Scalar | Object]] = []
    at = 0
    while at < len(part.items):
        end = max((last for first, last in part.groups if first == at and last > at), default=at + 1)
        place = [item for key, item in part.items[at:end] if key == name]
        places += [place] if place else []
        at = end
    return places


def _of_items(groups: Sequence[Sequence[Scalar | Object]]) -> Places | str:
    items = [*chain.from_iterable(groups)]
    if all(isinstance(item, Scalar) for item in items):
        return [[prose(item.raw) for item in place if isinstance(item, Scalar)] for place in groups]
    objects = [item for item in items if isinstance(item, Object)]
    return _of_objects(objects) if len(objects) == len(items) else "no_option"


def _of_objects(objects: Sequence[Object]) -> Places | str:
    """Options that each stand in an object of their own, by the place it states, or in their order if none does."""
    named = [(_once(item, _RANKS), _once(item, _NAMES)) for item in objects]
    stated = [(rank, prose(option)) for rank, option in named if rank is not None and option]
    if len(stated) != len(named):
        return "no_option"
    if not any(rank for rank, _ in stated):
        return [[option] for _, option in stated]
    return _by_place(stated)


def _once(part: Object, names: tuple[str, ...]) -> str | None:
    """The one value under these names; none if there are several that differ, empty if there is none."""
    values = {value.raw.strip() for name, value in part.members if value is not None and name in names}
    return next(iter(values), "") if len(values) <= 1 else None


def _by_place(pairs: Sequence[tuple[str, str]]) -> Places | str:
    """Options by the number of their place; two with one number are equal."""
    numbered = [(_PLACE.fullmatch(place), option) for place, option in pairs]
    places: dict[int, list[str]] = {}
    for number, option in numbered:
        if number is None:
            return "bad_number"
        places.setdefault(int(number[1]), []).append(option)
    return [places[number] for number in sorted(places)]


def places_in_file(value: object, options: tuple[str, ...]) -> Places | str:
    """What somebody handed over as an order, or why it is none."""
    if isinstance(value, Twice):
        return "duplicate"
    if isinstance(value, str):
        return _of_line(plain(value), options)
    if isinstance(value, Mapping):
        return _of_mapping(cast("Mapping[str, object]", value))
    if not isinstance(value, list):
        return "no_option"
    places = [_texts(one) for one in cast("list[object]", value)]
    return [place for place in places if place is not None] if None not in places else "no_option"


def _of_mapping(value: Mapping[str, object]) -> Places | str:
    pairs = [(place, plain(option)) for place, option in value.items() if isinstance(option, str)]
    return _by_place(pairs) if len(pairs) == len(value) else "no_option"


def _texts(value: object) -> list[str] | None:
    """One place of a list: a text, or a list of texts."""
    each = cast("list[object]", value) if isinstance(value, list) else [value]
    texts = [plain(one) for one in each if isinstance(one, str)]
    return texts if len(texts) == len(each) else None
