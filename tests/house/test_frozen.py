import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import pytest

from quorate.frozen import dataclass
from tests.house.tree import source

MANY = 200
"""More than are filled in by hand before `__init__` is compiled."""

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


@dataclass(frozen=True)
class OursInOrder:
    name: str
    size: int = 1
    marks: list[int] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.marks.append(len(self.name) * self.size)


@dataclasses.dataclass(frozen=True)
class TheirsInOrder:
    name: str
    size: int = 1
    marks: list[int] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.marks.append(len(self.name) * self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heir(Ours):
    self: int = 0


def test_every_frozen_dataclass_comes_from_one_place() -> None:
    files = [file for file in source() if FROZEN.search(file.text)]

    assert len(files) > 100
    assert [
        file.path
        for file in files
        if not re.search(r"^from quorate.frozen import dataclass(, make_tuple)?$", file.text, re.MULTILINE)
    ] == []


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
        lambda kind: pickle.loads(pickle.dumps(kind(name="a"))) == kind(name="a"),  # noqa: S301 - our own
        lambda kind: str(inspect.signature(kind)),
        lambda kind: inspect.get_annotations(kind.__init__),
        lambda kind: kind.__init__.__qualname__.removeprefix(kind.__name__),
        lambda kind: kind.__dataclass_params__.frozen,
        lambda kind: {kind(name="a") for _ in range(MANY)} == {kind(name="a")},
    ],
)
def test_it_does_what_the_standard_librarys_does(asked: Callable[[Any], object]) -> None:
    assert asked(Ours) == asked(Theirs)


@pytest.mark.parametrize(
    "made",
    [
        lambda kind: kind("abc"),
        lambda kind: kind("abc", 2),
        lambda kind: kind("abc", size=2),
        lambda kind: kind(size=2, name="abc"),
        lambda kind: kind("abc", 2, [1]),
        lambda kind: [kind("abc") for _ in range(MANY)][-1],
    ],
)
def test_it_is_made_as_the_standard_librarys_is(made: Callable[[Any], Any]) -> None:
    assert vars(made(fresh(OursInOrder))) == vars(made(TheirsInOrder))


@pytest.mark.parametrize(
    "made",
    [
        lambda kind: kind(),
        lambda kind: kind("a", 1, [], 2),
        lambda kind: kind("a", name="b"),
        lambda kind: kind(name="a", other=1),
    ],
)
def test_what_it_cannot_be_made_of_is_told_in_the_same_words(made: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError) as ours:
        made(fresh(OursInOrder))
    with pytest.raises(TypeError) as theirs:
        made(TheirsInOrder)

    assert str(ours.value).removeprefix("Ours") == str(theirs.value).removeprefix("Theirs")


def test_nothing_is_compiled_for_a_class_of_which_few_are_made() -> None:
    kind = fresh(OursInOrder)
    for _ in range(5):
        kind("a")
    few = inspect.isfunction(vars(kind)["__init__"])
    for _ in range(MANY):
        kind("a")

    assert (few, inspect.isfunction(vars(kind)["__init__"])) == (False, True)


def fresh(kind: type[Any]) -> type[Any]:
    """The same class, of which nothing has been made yet."""
    body = {name: value for name, value in vars(kind).items() if name in {"__annotations__", "__post_init__", "size"}}
    again = type(kind.__name__, (), {**body, "marks": dataclasses.field(default_factory=list)})
    made: type[Any] = dataclass(frozen=True)(again)
    return made


def test_whoever_inherits_from_one_cannot_be_changed_either() -> None:
    heir = Heir(name="a", self=1)

    assert (heir, heir.self) == (Heir(name="a", self=1), 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(heir, "self", 2)  # noqa: B010 - as nobody may


def test_nobody_uses_what_it_does_not_know() -> None:
    assert [file.path for file in source() if "InitVar" in file.text] == []


def test_two_classes_with_equal_fields_are_not_equal() -> None:
    theirs: object = Theirs(name="a")

    assert theirs != Ours(name="a")
    assert Nothing() == Nothing()
    assert hash(Nothing()) != hash(Ours(name="a"))


@pytest.mark.parametrize("change", [lambda one: setattr(one, "name", "b"), lambda one: delattr(one, "name")])
def test_nothing_changes_it(change: Callable[[object], None]) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        change(Ours(name="a"))
