import random
from hashlib import sha256

import pytest

from quorate.ledger.signing.merkle import is_under, path, root


def hashes(many: int) -> list[str]:
    return [sha256(str(number).encode()).hexdigest() for number in range(many)]


def by_the_book(leaves: list[bytes]) -> bytes:
    """The tree hash as RFC 6962 defines it, in section 2.1."""
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\1" + by_the_book(leaves[:split]) + by_the_book(leaves[split:])).digest()


def test_the_published_roots_of_rfc_6962s_reference_tree_come_out() -> None:
    assert root([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert root([""]) == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert root(["", "00"]) == "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"
    assert root(["", "00", "10"]) == "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"


@pytest.mark.parametrize("many", range(1, 40))
def test_the_tree_is_that_of_the_book_for_any_number_of_entries(many: int) -> None:
    leaves = hashes(many)

    assert root(leaves) == by_the_book([bytes.fromhex(one) for one in leaves]).hex()


@pytest.mark.parametrize("many", [1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 100])
def test_every_entry_is_proved_and_in_no_other_place(many: int) -> None:
    leaves = hashes(many)
    top = root(leaves)

    for number in range(1, many + 1):
        way = path(leaves, number)
        found = [place for place in range(-1, many + 2) if is_under(top, leaves[number - 1], place, many, way)]
        assert found == [number]
        assert not is_under(top, sha256(b"x").hexdigest(), number, many, way)
        assert not is_under(top, leaves[number - 1], number, many, (*way, b"\0" * 32))
        assert not any(is_under(top, leaves[number - 1], number, many, way[:cut]) for cut in range(len(way)))


def test_a_node_cannot_pass_for_an_entry() -> None:
    four = hashes(4)
    inner = [sha256(b"\1" + sha256(b"\0" + bytes.fromhex(a)).digest() + sha256(b"\0" + bytes.fromhex(b)).digest())
             for a, b in (four[:2], four[2:])]  # fmt: skip

    assert root([one.hexdigest() for one in inner]) != root(four)


def test_a_flipped_bit_anywhere_on_the_way_shows() -> None:
    leaves, chance = hashes(1000), random.Random(1)
    number = chance.randrange(1, 1001)
    way, top = path(leaves, number), root(leaves)

    for place in range(len(way)):
        for bit in range(256):
            changed = (int.from_bytes(way[place]) ^ (1 << bit)).to_bytes(32)
            bent = (*way[:place], changed, *way[place + 1 :])
            assert not is_under(top, leaves[number - 1], number, 1000, bent)


@pytest.mark.parametrize("number", [0, -1, 4])
def test_there_is_no_way_from_an_entry_that_is_not_there(number: int) -> None:
    with pytest.raises(IndexError):
        path(hashes(3), number)
