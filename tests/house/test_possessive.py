"""Python before 3.11.5 goes on at the wrong place behind a possessive repeat, unless its last choice fails at once.

The fault is CPython's gh-106052; `docs/decisions/0061` says what it did to us.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from types import ModuleType

import pytest

from quorate import analysis, guard, model, reading, views
from quorate.model.once import lazy_pattern
from quorate.reading.text.thinking import _ALL, _patterns  # pyright: ignore[reportPrivateUsage]

ROOMS = (model, reading, guard, analysis, views)
REPEATED = re.compile(r"(?<!\\)(.{0,5})\)(?:[*+?]|\{[0-9]*,?[0-9]*\})\+")
ENDS_WELL = "|(?!)"


def modules() -> Iterator[ModuleType]:
    for room in ROOMS:
        yield room
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            yield importlib.import_module(module.name)


def sources(value: object) -> Iterator[str]:
    """The pattern in a value, compiled, yet to be compiled, or only written."""
    match value:
        case str():
            yield value
        case Mapping():
            for one in value.values():
                yield from sources(one)
        case tuple():
            for one in value:
                yield from sources(one)
        case re.Pattern(pattern=str(source)):
            yield source
        case _ if type(value) is type(lazy_pattern("")):
            yield from sources(value.pattern)
        case _:
            return


def ends_badly(value: object) -> list[str]:
    return [
        source
        for source in sources(value)
        if not all(found[1].endswith(ENDS_WELL) for found in REPEATED.finditer(source))
    ]


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module.__name__)
def test_every_group_that_is_repeated_for_good_has_a_choice_that_never_fits(module: ModuleType) -> None:
    assert {name: found for name, value in vars(module).items() if (found := ends_badly(value))} == {}


def test_so_do_those_that_are_put_together_when_they_are_needed() -> None:
    assert ends_badly(tuple(_patterns(_ALL))) == []


def test_a_pattern_without_the_choice_would_be_found() -> None:
    bad = r"a(?:b|cd)*+"

    written = (bad, re.compile(bad), lazy_pattern(bad), {"it": bad}, (bad,))
    assert [ends_badly(value) for value in written] == [[bad]] * 5


def test_the_choice_takes_nothing_away() -> None:
    comment = re.match(r"/\*(?:[^*]++|\*(?!/)|(?!))*+\*/", "/* a **/ b")

    assert comment is not None
    assert comment.end() == len("/* a **/")
