import dataclasses
import re
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import pytest

from quorate.frozen import dataclass
from tests.house.tree import source

FROZEN = re.compile(r"@dataclass\([^)]*frozen=True")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    name: str
    heads: tuple[int, ...] = ()
    aside: object = dataclasses.field(default=None, compare=False, repr=False)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Theirs:
    name: str
    heads: tuple[int, ...] = ()
    aside: object = dataclasses.field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    pass


def test_every_frozen_dataclass_comes_from_one_place() -> None:
    files = [file for file in source() if FROZEN.search(file.text)]

    assert len(files) > 100
    assert [file.path for file in files if "from quorate.frozen import dataclass\n" not in file.text] == []


@pytest.mark.parametrize(
    "asked",
    [
        lambda kind: kind(name="a") == kind(name="a", heads=()),
        lambda kind: kind(name="a", aside=1) == kind(name="a", aside=2),
        lambda kind: kind(name="a") == kind(name="b"),
        lambda kind: kind(name="a") == "a",
        lambda kind: len({kind(name="a"), kind(name="a"), kind(name="b")}),
        lambda kind: repr(kind(name="a", heads=(1, 2))).removeprefix(kind.__name__),
        lambda kind: dataclasses.asdict(kind(name="a", heads=(1,))),
        lambda kind: dataclasses.replace(kind(name="a"), heads=(3,)).heads,
        lambda kind: [field.name for field in dataclasses.fields(kind)],
        lambda kind: copy(kind(name="a")) == deepcopy(kind(name="a")) == kind(name="a"),
        lambda kind: kind.__match_args__,
    ],
)
def test_it_does_what_the_standard_librarys_does(asked: Callable[[Any], object]) -> None:
    assert asked(Ours) == asked(Theirs)


def test_two_classes_with_equal_fields_are_not_equal() -> None:
    theirs: object = Theirs(name="a")

    assert theirs != Ours(name="a")
    assert Nothing() == Nothing()
    assert hash(Nothing()) != hash(Ours(name="a"))


@pytest.mark.parametrize("change", [lambda one: setattr(one, "name", "b"), lambda one: delattr(one, "name")])
def test_nothing_changes_it(change: Callable[[object], None]) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        change(Ours(name="a"))
