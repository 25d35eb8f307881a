"""Writes docs/reference/proofs.md from `quorate prove --all`: python -m tools.proofs, which takes a few minutes.

The page says of which rules it was made. A test compares that with the rules there are, so that the page cannot fall
behind them unseen; it need not be made again for anything else.
"""

import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Final

from quorate import presets
from quorate.offline.prove import Proof, ProofClaim, prove, subjects
from quorate.offline.prove_report import COVERAGE, claim_words, counter_words

__all__ = ["PAGE", "digest", "main"]

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "reference" / "proofs.md"
ROOMS: Final = ("rules", "counting")


def digest() -> str:
    """A short name for the rules and ways to count as they are, and for the rulebooks that ship."""
    texts = [file.read_bytes() for room in ROOMS for file in sorted((ROOT / "src" / "quorate" / room).glob("*.py"))]
    books = repr(sorted(presets.rulebooks().items())).encode()
    return sha256(b"\0".join((*texts, books))).hexdigest()[:16]


def page(proofs: list[Proof], seconds: int) -> Iterator[str]:
    """The lines of the page."""
    yield f"<!-- Written by `make prove` from rules {digest()}; change the source, not this page. -->"
    yield ""
    yield "# Proofs"
    yield ""
    yield "What `quorate prove --all` finds of every rulebook that ships."
    tried = sum(_tried(proof) for proof in proofs)
    yield f"It took {seconds} seconds of processor time, and tried {tried:,} ways to vote."
    yield COVERAGE
    yield "For a debate N counts rounds."
    yield "[How rules are proved](../explanation/proofs.md) says what the words mean, and why some things do not hold."
    for proof in proofs:
        yield from _section(proof)


def _tried(proof: Proof) -> int:
    return sum(claim.tried for claim in proof.claims)


def _section(proof: Proof) -> Iterator[str]:
    rounds = bool(proof.subject.ballots.rounds)
    yield ""
    yield f"## {proof.subject.name}"
    yield ""
    yield f"Protocol `{proof.subject.protocol}`. Outcomes that came up: {', '.join(map(_shown, proof.outcomes))}."
    yield ""
    yield "| claim | result | ways to vote |"
    yield "|---|---|---|"
    for claim in proof.claims:
        yield f"| {claim.title} | {claim_words(claim, rounds=rounds)}{_by(claim)} | {claim.tried:,} |"
    yield from (f"\n{claim.note[:1].upper()}{claim.note[1:]}." for claim in proof.claims if claim.note)
    for claim in proof.claims:
        if claim.counter is not None:
            yield f"\n`{claim.name}` does not hold here: {counter_words(claim.counter)}."
    yield from _figures(proof)


def _shown(outcome: str) -> str:
    return f"`{outcome}`"


def _by(claim: ProofClaim) -> str:
    return f" (rule {', '.join(f'`{name}`' for name in claim.by)} says so)" if claim.by else ""


def _figures(proof: Proof) -> Iterator[str]:
    if not proof.figures:
        return
    yield ""
    yield "| seats | may veto | carry | block | safe | live | the fewest that carry it |"
    yield "|---|---|---|---|---|---|---|"
    for one in proof.figures:
        safe = "none" if one.safe is None else one.safe
        carry = "none" if one.carry is None else one.carry
        shown = ", ".join(one.shown)
        yield f"| {one.seats} | {one.guardians} | {carry} | {one.block} | {safe} | {one.live} | {shown} |"


def main() -> int:
    """Prove everything, write the page, and fail if anything is refuted."""
    begun, proofs = process_time(), list[Proof]()
    for subject in subjects():
        proofs.append(prove(subject))
        sys.stderr.write(f"{subject.name}: {len(proofs[-1].refuted)} refuted\n")
    text = "\n".join(page(proofs, round(process_time() - begun)))
    PAGE.write_text(text + "\n", encoding="utf-8")
    return int(any(proof.refuted for proof in proofs))


if __name__ == "__main__":
    sys.exit(main())
