"""A contract that acts only on what enough authorised keys have signed, on a chain in this process."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from quorate.ledger.signing import typed_data as typed
from tests.ledger.chain import Contract, compiled, new_chain

pytestmark = pytest.mark.slow

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
SAID = typed.message(id_="a1" * 13, question="Should we?", outcome="ACT", root="5a" * 32, time="2026-11-16T00:00:00.5Z")


@pytest.fixture(scope="module")
def bytecode() -> dict[str, Any]:
    return compiled()


@pytest.fixture(scope="module")
def tester() -> Any:  # noqa: ANN401 - it ships no types
    return new_chain()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four keys in the ascending order of their addresses; the last is not authorised."""
    made = [tmp_path_factory.mktemp("keys") / "key" for _ in range(4)]
    addressed = sorted((int(typed.new_key(where), 16), where) for where in made)
    return [where for _, where in addressed]


@pytest.fixture
def contract(tester: Any, bytecode: dict[str, Any], keys: list[Path]) -> Contract:  # noqa: ANN401 - the same
    """It wants two of three."""
    return Contract([address(one) for one in keys[:3]], 2, tester, bytecode)


def address(key: Path) -> str:
    return str(json.loads(typed.sign_message(SAID, typed.Domain(chain=1, contract="0x" + "11" * 20), key))["address"])


def by(contract: Contract, *who: Path, chain: int = 0, to: str = "", **changes: object) -> list[str]:
    """The signatures of these keys over the message, as `quorate attest` writes them."""
    domain = typed.Domain.of(chain or contract.chain, to or contract.address)
    files = [typed.sign_message({**SAID, **changes}, domain, key) for key in who]
    return [str(json.loads(file)["signature"]) for file in files]


def refused(contract: Contract, signatures: Sequence[str], why: str) -> None:
    from eth_tester.exceptions import TransactionFailed  # type: ignore[import-untyped]

    with pytest.raises(TransactionFailed, match=why):
        contract.accept(SAID, list(signatures))
    assert contract.outcome(str(SAID["deliberation"])) == ""


@pytest.mark.parametrize("who", [(0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_enough_distinct_authorised_signatures_are_accepted(
    contract: Contract, keys: list[Path], who: tuple[int, ...]
) -> None:
    contract.accept(SAID, by(contract, *(keys[one] for one in who)))

    assert contract.outcome(str(SAID["deliberation"])) == "ACT"


def test_one_below_the_threshold_is_refused(contract: Contract, keys: list[Path]) -> None:
    refused(contract, by(contract, keys[0]), "too few have signed")
    refused(contract, [], "too few have signed")


def test_nobody_counts_twice(contract: Contract, keys: list[Path]) -> None:
    refused(contract, by(contract, keys[0], keys[0]), "signers must ascend")
    refused(contract, by(contract, keys[1], keys[0]), "signers must ascend")


def test_the_twin_of_a_signature_is_none(contract: Contract, keys: list[Path]) -> None:
    first, second = by(contract, keys[0], keys[1])
    other = f"{ORDER - int(first[66:130], 16):064x}"
    twin = f"{first[:66]}{other}{'1c' if first.endswith('1b') else '1b'}"

    refused(contract, [twin, second], "the twin of a signature is none")
    refused(contract, [twin, first], "the twin of a signature is none")


def test_a_signature_for_another_chain_contract_or_outcome_is_refused(contract: Contract, keys: list[Path]) -> None:
    two = keys[:2]
    for signatures in (
        by(contract, *two, chain=1),
        by(contract, *two, to="0x" + "11" * 20),
        by(contract, *two, outcome="REFUSE"),
        by(contract, *two, root="0x" + "00" * 32),
        by(contract, *two, question="0x" + "00" * 32),
        by(contract, *two, deliberation="b" * 26),
        by(contract, *two, time=1),
    ):
        refused(contract, signatures, "nobody authorised has signed this")


def test_a_key_that_is_not_authorised_does_not_count(contract: Contract, keys: list[Path]) -> None:
    refused(contract, by(contract, keys[0], keys[3]), "nobody authorised has signed this")
    refused(contract, [*by(contract, keys[0]), "0x" + "00" * 64 + "1b"], "nobody authorised has signed this")


@pytest.mark.parametrize("last", ["00", "01", "1d", "ff", ""])
def test_what_is_no_signature_is_refused(contract: Contract, keys: list[Path], last: str) -> None:
    first, second = by(contract, *keys[:2])

    refused(contract, [first[:-2] + last, second], "that is no signature")


def test_what_was_accepted_is_never_changed(contract: Contract, keys: list[Path]) -> None:
    from eth_tester.exceptions import TransactionFailed

    contract.accept(SAID, by(contract, *keys[:2]))

    with pytest.raises(TransactionFailed, match="it was accepted before"):
        contract.accept({**SAID, "outcome": "REFUSE"}, by(contract, *keys[:2], outcome="REFUSE"))
    assert contract.outcome(str(SAID["deliberation"])) == "ACT"


@pytest.mark.parametrize(("who", "threshold"), [((0, 1), 0), ((0, 1), 3), ((0, 0), 1), ((), 0)])
def test_a_contract_that_would_let_anything_through_cannot_be_made(
    tester: Any,  # noqa: ANN401 - it ships no types
    bytecode: dict[str, Any],
    keys: list[Path],
    who: tuple[int, ...],
    threshold: int,
) -> None:
    from eth_tester.exceptions import TransactionFailed

    with pytest.raises(TransactionFailed, match="the contract was not made"):
        Contract([address(keys[one]) for one in who], threshold, tester, bytecode)
