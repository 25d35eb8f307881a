"""A mapping that only grows is a dictionary, and its earlier versions are the dictionaries of then."""

import random

from quorate.model.append_map import AppendMap


def test_every_version_is_the_dictionary_of_its_time(seed: int) -> None:
    chance = random.Random(seed)
    versions: list[tuple[AppendMap[int, int], dict[int, int]]] = [(AppendMap(), {})]
    for _ in range(400):
        grown, plain = chance.choice(versions) if chance.random() < 0.2 else versions[-1]
        key, value = chance.randrange(40), chance.randrange(1000)
        versions.append((grown.plus(key, value), {**plain, key: value}))
    for grown, plain in versions:
        assert dict(grown) == plain == grown
        assert list(grown.items()) == list(plain.items())
        assert (len(grown), bool(grown)) == (len(plain), bool(plain))
        assert [grown.get(key) for key in range(41)] == [plain.get(key) for key in range(41)]
        assert [key in grown for key in range(41)] == [key in plain for key in range(41)]
        assert grown.known() == set(plain)
        assert grown.some(plain) == list(plain.values())


def test_adding_copies_nothing_unless_two_go_on_from_the_same_version() -> None:
    first = AppendMap({"a": 1})
    second = first.plus("b", 2)
    third = first.plus("c", 3)

    assert second._log is first._log  # noqa: SLF001  that it is shared is what is claimed
    assert third._log is not first._log  # noqa: SLF001  the same
    assert (dict(first), dict(second), dict(third)) == ({"a": 1}, {"a": 1, "b": 2}, {"a": 1, "c": 3})


def test_what_is_known_stays_so_when_more_is_added() -> None:
    first = AppendMap({"a": 1}).plus("b", 2)
    known = first.known()
    second = first.plus("c", 3).plus("a", 4)

    assert known == {"a", "b"} == first.known()
    assert second.known() == {"a", "b", "c"}
    assert first.some(("a", "c", "b")) == [1, 2]
    assert second.some(("a", "c", "d")) == [4, 3]
