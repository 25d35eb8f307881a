"""The same for a contract: what a record came to, as typed data (EIP-712), signed with a key of that world.

Everyone who signs the same record signs the same bytes: nothing of the signer or of the time of signing is in them.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

from quorate.errors import BadSetting, LedgerBroken
from quorate.frozen import dataclass
from quorate.ledger.signing.attestation import parse_statement, write_statement
from quorate.ledger.signing.signing_keys import keep, read_secret

__all__ = ["FORM", "Domain", "check_message", "message", "new_key", "sign_message"]

FORM: Final = "quorate_eip712"
LONGEST: Final = 128
"""The longest outcome that a contract takes, in bytes."""
_TYPES: Final = {
    "Attestation": [
        {"name": "deliberation", "type": "string"},
        {"name": "question", "type": "bytes32"},
        {"name": "outcome", "type": "string"},
        {"name": "root", "type": "bytes32"},
        {"name": "time", "type": "uint64"},
    ]
}
_WORD: Final = "0x[0-9a-f]{64}"
_ADDRESS: Final = "0x[0-9a-f]{40}"
_DOMAIN: Final[Mapping[str, str | type]] = {
    "name": "quorate",
    "version": "1",
    "chainId": int,
    "verifyingContract": _ADDRESS,
}
_MESSAGE: Final[Mapping[str, str | type]] = {
    "deliberation": "[0-9a-z]{26}",
    "question": _WORD,
    "outcome": f".{{1,{LONGEST}}}",
    "root": _WORD,
    "time": int,
}
_FILE: Final[Mapping[str, str | type]] = {
    FORM: int,
    "domain": dict,
    "message": dict,
    "address": "0x[0-9a-fA-F]{40}",
    "signature": "0x[0-9a-f]{128}1[bc]",
}
_HALF: Final = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The one contract on the one chain that a signature is meant for."""

    chain: int
    contract: str

    @classmethod
    def of(cls, chain: int, contract: str) -> "Domain":
        """A domain as it was given.

        Raises:
            BadSetting: that is no chain, or no address.
        """
        if not 0 < chain < 1 << 64 or not re.fullmatch(_ADDRESS, contract.lower()):
            raise BadSetting(f"{contract!r} on chain {chain} is no contract; give --contract 0x… and --chain-id NUMBER")
        return cls(chain=chain, contract=contract.lower())

    def written(self) -> dict[str, object]:
        """As EIP-712 names it."""
        return {"name": "quorate", "version": "1", "chainId": self.chain, "verifyingContract": self.contract}


def message(*, id_: str, question: str, outcome: str, root: str, time: str) -> dict[str, object]:
    """What is signed; the time is that of the record's last entry, in whole seconds.

    Raises:
        BadSetting: a contract does not take such an outcome.
    """
    said = outcome.encode(errors="surrogatepass")
    if not said or len(said) > LONGEST or said.decode(errors="replace") != outcome:
        raise BadSetting(f"a contract takes an outcome of 1 to {LONGEST} bytes of UTF-8, and {outcome!r} is none")
    return {
        "deliberation": id_,
        "question": f"0x{sha256(question.encode(errors='surrogatepass')).hexdigest()}",
        "outcome": outcome,
        "root": f"0x{root}",
        "time": int(datetime.fromisoformat(time).timestamp()),
    }


def new_key(where: Path) -> str:
    """Make a key and keep it in a new file; what is given back is its address.

    Raises:
        BadSetting: the file is there already or cannot be made, or the library is not installed.
    """
    account = _library().create()
    keep(where, f"0x{account.key.hex().removeprefix('0x')}\n".encode())
    return str(account.address)


def sign_message(said: Mapping[str, object], domain: Domain, where: Path) -> bytes:
    """Sign a message with the key in a file, as it stands in a file.

    Raises:
        BadSetting: the key cannot be read, or the library is not installed.
    """
    library = _library()
    try:
        account = library.from_key(read_secret(where).decode(errors="replace").strip())
    except ValueError:
        raise BadSetting(
            f"{str(where)!r} holds no key for a contract; make one with: quorate attest keygen --as eip712 --key FILE"
        ) from None
    signature = account.sign_typed_data(domain.written(), _TYPES, dict(said)).signature
    stated = {"domain": domain.written(), "message": dict(said), "address": str(account.address)}
    return write_statement({FORM: 1, **stated, "signature": f"0x{signature.hex().removeprefix('0x')}"})


def check_message(file: bytes, trusted: Sequence[str]) -> dict[str, Any]:
    """Read a signed message, if one of the trusted addresses has signed it.

    Raises:
        LedgerBroken: it was changed, or nobody trusted has signed it.
        OtherVersion: another version of quorate wrote it.
    """
    found = parse_statement(file, FORM)
    if not _shaped(found):
        raise LedgerBroken("the signed message is not as quorate writes it; it was changed")
    library = _library()
    from eth_account.messages import encode_typed_data  # noqa: PLC0415 - an extra
    from eth_keys.exceptions import BadSignature  # noqa: PLC0415 - the same

    whole = encode_typed_data(found["domain"], _TYPES, found["message"])
    try:
        address = str(library.recover_message(whole, signature=found["signature"]))
    except (BadSignature, ValueError):
        address = ""
    if address != found["address"]:
        raise LedgerBroken(
            f"the signature is not that of {found['address']} over this message; it was changed or forged"
        )
    if address.casefold() not in {one.casefold() for one in trusted}:
        raise LedgerBroken(f"it is signed by {address}, which is none of the keys given with --key")
    return found


def _shaped(found: Mapping[str, Any]) -> bool:
    """Whether every field is there, of its form and no other, so that each message is written in one way only."""
    domain, said, signature = found.get("domain"), found.get("message"), found.get("signature")
    if not (isinstance(domain, dict) and isinstance(said, dict) and isinstance(signature, str)):
        return False
    places: tuple[tuple[Mapping[str, Any], Mapping[str, str | type]], ...] = (
        (cast("dict[str, Any]", domain), _DOMAIN),
        (cast("dict[str, Any]", said), _MESSAGE),
        (found, _FILE),
    )
    for place, forms in places:
        if set(place) != set(forms) or not all(_fits(place[name], form) for name, form in forms.items()):
            return False
    return int(signature[66:130], 16) <= _HALF


def _fits(value: object, form: str | type) -> bool:
    if isinstance(form, str):
        return isinstance(value, str) and re.fullmatch(form, value, re.DOTALL) is not None
    return type(value) is form and (not isinstance(value, int) or 0 <= value < 1 << 64)


def _library() -> Any:  # noqa: ANN401 - the class of a library that need not be there
    limit = sys.getrecursionlimit()
    try:
        from eth_account import Account  # noqa: PLC0415 - an extra
    except ImportError:
        raise BadSetting(
            "signatures for a contract need a library that is not installed; run: pip install 'quorate[chain]'"
        ) from None
    finally:
        # Importing it lifts the limit to where a deeply nested text ends the process instead of being refused.
        sys.setrecursionlimit(limit)
    return Account
