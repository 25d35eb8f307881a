import dataclasses
import gc
import inspect
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy, deepcopy
from threading import Barrier
from typing import Any

import pytest

from quorate.frozen import dataclass, fast_init
from tests.house.tree import source

MANY = 200
"""More than are filled in by hand before `__init__` is compiled."""

FROZEN = re.compile(r"@dataclass\([^)]*frozen=True")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    name: str
    heads: tuple[int, ...] = ()
    aside: object = dataclasses.field(default=None, compare=False, repr=False)


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Fast:
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


@fast_init
@dataclass(frozen=True, slots=True)
class FastHeir(Ours):
    size: int
    self: list[int] = dataclasses.field(default_factory=list)


def test_every_frozen_dataclass_comes_from_one_place() -> None:
    files = [file for file in source() if FROZEN.search(file.text)]

    assert len(files) > 100
    assert [
        file.path
        for file in files
        if not re.search(r"^from quorate.frozen import dataclass\b", file.text, re.MULTILINE)
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
        lambda kind: kind.__dataclass_params__.frozen,
        lambda kind: {kind(name="a") for _ in range(MANY)} == {kind(name="a")},
        lambda kind: [type(kind(name="a")) is kind for _ in range(MANY)],
    ],
)
@pytest.mark.parametrize("ours", [Ours, Fast])
def test_it_does_what_the_standard_librarys_does(ours: type[Any], asked: Callable[[Any], object]) -> None:
    assert asked(ours) == asked(Theirs)


@pytest.mark.parametrize(
    "asked",
    [
        lambda kind: inspect.get_annotations(kind.__init__),
        lambda kind: kind.__init__.__qualname__.removeprefix(kind.__name__),
    ],
)
def test_its_init_tells_what_it_takes(asked: Callable[[Any], object]) -> None:
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
    assert [file.path for file in source() if "InitVar" in file.text] == ["src/quorate/frozen.py"]


def test_two_classes_with_equal_fields_are_not_equal() -> None:
    theirs: object = Theirs(name="a")

    assert theirs != Ours(name="a")
    assert Nothing() == Nothing()
    assert hash(Nothing()) != hash(Ours(name="a"))


@pytest.mark.parametrize("kind", [Ours, Fast])
@pytest.mark.parametrize("change", [lambda one: setattr(one, "name", "b"), lambda one: delattr(one, "name")])
def test_nothing_changes_it(change: Callable[[object], None], kind: Any) -> None:  # noqa: ANN401 - both
    for _ in range(MANY):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change(kind(name="a"))


def test_a_fast_one_may_inherit_and_have_its_arguments_in_order() -> None:
    made = [FastHeir(2, name="a") for _ in range(MANY)]

    assert {(type(one), one.size, one.name, one.heads) for one in made} == {(FastHeir, 2, "a", ())}
    assert len({id(one.self) for one in made}) == MANY
    assert isinstance(made[0], Ours)
    assert pickle.loads(pickle.dumps(made[0])) == made[0] == copy(made[0])  # noqa: S301 - our own


@pytest.mark.parametrize("given", [{}, {"name": "a", "other": 1}, {"heads": ()}])
def test_what_a_fast_one_cannot_be_made_of_is_told_in_the_same_words(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as ours:
        Fast(**given)
    with pytest.raises(TypeError) as theirs:
        Theirs(**given)

    assert str(ours.value).removeprefix("Fast") == str(theirs.value).removeprefix("Theirs")


def test_nobody_inherits_from_a_fast_one() -> None:
    with pytest.raises(TypeError, match="Child inherits from a class with a fast __init__"):
        type("Child", (Fast,), {})


@pytest.mark.parametrize(
    "kind", [OursInOrder, dataclass(frozen=True)(type("Dict", (), {"__annotations__": {"a": int}}))]
)
def test_only_what_has_slots_and_does_nothing_afterwards_is_made_fast(kind: type[object]) -> None:
    with pytest.raises(TypeError, match="needs slots and no __post_init__"):
        fast_init(kind)


def test_threads_that_make_the_first_fast_ones_together_find_them_whole() -> None:
    """Each class is new to four threads, which reach the use at which it is compiled together."""

    def made(kind: Any, start: Barrier) -> list[bool]:  # noqa: ANN401 - a new class
        start.wait()
        several = [kind(name=Finalized(), heads=(number,), aside=kind) for number in range(40)]
        return [type(one) is kind and one.heads == (number,) for number, one in enumerate(several)]

    with hurried(), ThreadPoolExecutor(4) as threads:
        for _ in range(100):
            kind, start = fresh_fast(), Barrier(4)
            whole = [thread.result() for thread in [threads.submit(made, kind, start) for _ in range(4)]]

            assert whole == [[True] * 40] * 4


class Finalized:
    """Runs code of ours whenever one is thrown away, in the middle of whatever is done then."""

    def __del__(self) -> None:
        Fast(name="gone")


def fresh_fast() -> type[Any]:
    body = {"__annotations__": dict(Fast.__annotations__), "heads": (), "aside": None}
    made: type[Any] = fast_init(dataclass(frozen=True, slots=True, kw_only=True)(type("Fresh", (), body)))
    return made


@contextmanager
def hurried() -> Iterator[None]:
    """Threads take turns after every microsecond, and garbage is looked for all the time."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(20, 2, 2)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*threshold)
