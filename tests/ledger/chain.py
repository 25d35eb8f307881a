"""A chain in this process, with the contract on it; nothing leaves the machine."""

import sys
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, cast


@dataclass(slots=True)
class Contract:
    """The contract, deployed for these keys."""

    keys: list[str]
    threshold: int
    tester: Any
    compiled: dict[str, Any]
    address: str = field(default="", init=False)
    sender: str = field(default="", init=False)

    def __post_init__(self) -> None:
        from eth_abi.abi import encode

        self.sender = self.tester.get_accounts()[0]
        given = encode(["address[]", "uint256"], [self.keys, self.threshold]).hex()
        self.address = self._send({"data": self.compiled["bytecode"] + given})["contract_address"]

    @property
    def chain(self) -> int:
        return int(self.tester.backend.chain.chain_id)

    def accept(self, said: dict[str, Any], signatures: list[str]) -> None:
        """Hand over what was signed; whatever the contract refuses is raised."""
        words = [bytes.fromhex(said[name][2:]) for name in ("question", "root")]
        given = [said["deliberation"], words[0], said["outcome"], words[1], said["time"]]
        types = ["string", "bytes32", "string", "bytes32", "uint64", "bytes[]"]
        self._call("accept", types, [*given, [bytes.fromhex(one[2:]) for one in signatures]])

    def outcome(self, id_: str) -> str:
        from eth_abi.abi import decode, encode

        asked = self._named("outcome", ["string"]) + encode(["string"], [id_])
        told = self.tester.call({"from": self.sender, "to": self.address, "data": f"0x{asked.hex()}", "gas": 10**6})
        return str(decode(["string"], bytes.fromhex(told[2:]))[0])

    def _call(self, name: str, types: list[str], given: list[Any]) -> None:
        from eth_abi.abi import encode

        self._send({"to": self.address, "data": f"0x{(self._named(name, types) + encode(types, given)).hex()}"})

    @staticmethod
    def _named(name: str, types: list[str]) -> bytes:
        from eth_utils.crypto import keccak

        return keccak(text=f"{name}({','.join(types)})")[:4]

    def _send(self, what: dict[str, Any]) -> dict[str, Any]:
        from eth_tester.exceptions import TransactionFailed  # type: ignore[import-untyped]

        sent = {"from": self.sender, "gas": 3_000_000, "value": 0, **what}
        if "to" in sent:
            self.tester.call(sent)  # A transaction that fails does not say why; a call does, and changes nothing.
        receipt = self.tester.get_transaction_receipt(self.tester.send_transaction(sent))
        if receipt["status"] != 1:
            raise TransactionFailed("the contract was not made")
        return cast("dict[str, Any]", receipt)


def compiled() -> dict[str, Any]:
    """The contract that we ship, compiled."""
    from vyper import compile_code  # type: ignore[import-untyped]

    source = files("quorate.ledger").joinpath("threshold.vy").read_text(encoding="utf-8")
    return dict(compile_code(source, output_formats=["bytecode"]))


def new_chain() -> Any:  # noqa: ANN401 - it ships no types
    limit = sys.getrecursionlimit()
    try:
        from eth_tester import EthereumTester, PyEVMBackend  # type: ignore[import-untyped]

        return EthereumTester(PyEVMBackend())
    finally:
        # Importing it lifts the limit so far that a deeply nested text would end the process.
        sys.setrecursionlimit(limit)
