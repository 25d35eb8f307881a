"""Checks the proof of one entry against an attestation. Nothing of quorate is needed but its two files and the key."""

import json
import sys
from base64 import b64decode
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def node(*parts: bytes) -> bytes:
    return sha256(b"".join(parts)).digest()


def attested(text: bytes, public: str) -> dict[str, dict[str, int | str] | str]:
    """The statement, if that key has signed every byte of it."""
    whole = json.loads(text)
    if json.dumps(whole, indent=2).encode() + b"\n" != text:
        raise ValueError("the file is not as it was written")
    bare = {name: value for name, value in whole.items() if name != "signature"}
    said = b"quorate attestation 1\n" + json.dumps(bare, sort_keys=True, separators=(",", ":")).encode()
    signature = bytes.fromhex(whole["signature"])
    if signature.hex() != whole["signature"]:
        raise ValueError("the signature is not as it was written")
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(public.removeprefix("ed25519:"))).verify(signature, said)
    return dict(whole)


def root(proof: dict[str, int | str]) -> str:
    """The root that a proof leads to."""
    place, last = int(proof["entry"]) - 1, int(proof["entries"]) - 1
    way = b64decode(str(proof["path"]))
    at = node(b"\0", bytes.fromhex(str(proof["hash"])))
    while last:
        if place % 2 or place < last:
            other, way = way[:32], way[32:]
            at = node(b"\1", other, at) if place % 2 else node(b"\1", at, other)
        place, last = place // 2, last // 2
    return "" if way else at.hex()


def check(attestation: str, proof: str, public: str) -> str:
    try:
        statement = attested(Path(attestation).read_bytes(), public)
    except (InvalidSignature, ValueError) as wrong:
        return f"the attestation does not hold: {wrong}"
    claim, record = json.loads(Path(proof).read_bytes()), statement["record"]
    if not isinstance(record, dict) or (claim["id"], claim["entries"]) != (statement["id"], record["entries"]):
        return "they are about different records"
    if root(claim) != record["root"]:
        return "the proof does not lead to the root"
    return f"holds: entry {claim['entry']} of {claim['entries']} is {claim['hash']}"


if __name__ == "__main__":
    sys.stdout.write(check(*sys.argv[1:4]) + "\n")
