# pragma version ~=0.4.0
"""
@title Acts on an outcome once enough authorised keys have signed the same record
@license MIT
@notice Signatures are EIP-712 typed data, as `quorate attest ID --as eip712` writes them, for this contract on this
        chain. They are given in the ascending order of their signers, so that nobody counts twice. What a
        deliberation came to is accepted once and never changed.
"""

event Accepted:
    deliberation: indexed(bytes32)
    outcome: String[128]
    root: bytes32

DOMAIN: constant(bytes32) = keccak256(
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)
MESSAGE: constant(bytes32) = keccak256(
    "Attestation(string deliberation,bytes32 question,string outcome,bytes32 root,uint64 time)"
)
NAME: constant(bytes32) = keccak256("quorate")
VERSION: constant(bytes32) = keccak256("1")
HALF: constant(uint256) = 57896044618658097711785492504343953926418782139537452191302581570759080747168

THRESHOLD: public(immutable(uint256))
authorised: public(HashMap[address, bool])
outcomes: HashMap[bytes32, String[128]]


@deploy
def __init__(keys: DynArray[address, 32], threshold: uint256):
    assert threshold > 0, "a threshold of none lets anything through"
    assert threshold <= len(keys), "there are not so many keys"
    THRESHOLD = threshold
    for key: address in keys:
        assert key != empty(address), "nobody holds that key"
        assert not self.authorised[key], "a key is there twice"
        self.authorised[key] = True


@external
@view
def outcome(deliberation: String[26]) -> String[128]:
    return self.outcomes[keccak256(deliberation)]


@external
def accept(
    deliberation: String[26],
    question: bytes32,
    outcome: String[128],
    root: bytes32,
    time: uint64,
    signatures: DynArray[Bytes[65], 32],
):
    id: bytes32 = keccak256(deliberation)
    assert len(outcome) > 0, "there is no outcome"
    assert len(self.outcomes[id]) == 0, "it was accepted before"
    message: bytes32 = keccak256(
        abi_encode(MESSAGE, id, question, keccak256(outcome), root, time)
    )
    # The chain is asked each time: after a fork the other branch is another chain.
    domain: bytes32 = keccak256(abi_encode(DOMAIN, NAME, VERSION, chain.id, self))
    digest: bytes32 = keccak256(concat(b"\x19\x01", domain, message))
    last: uint256 = 0
    for signature: Bytes[65] in signatures:
        signer: address = self._signer(digest, signature)
        assert self.authorised[signer], "nobody authorised has signed this"
        assert convert(signer, uint256) > last, "signers must ascend"
        last = convert(signer, uint256)
    assert len(signatures) >= THRESHOLD, "too few have signed"
    self.outcomes[id] = outcome
    log Accepted(deliberation=id, outcome=outcome, root=root)


@internal
@pure
def _signer(digest: bytes32, signature: Bytes[65]) -> address:
    assert len(signature) == 65, "that is no signature"
    r: uint256 = convert(slice(signature, 0, 32), uint256)
    s: uint256 = convert(slice(signature, 32, 32), uint256)
    v: uint256 = convert(slice(signature, 64, 1), uint256)
    # Each signature has a twin with the other half of s; only one of them is taken.
    assert s <= HALF, "the twin of a signature is none"
    assert v == 27 or v == 28, "that is no signature"
    return ecrecover(digest, v, r, s)
