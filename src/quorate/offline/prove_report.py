"""What was proved, as a document, in words, and the counter-example as files that `quorate decide` replays."""

import json
from typing import Final

from quorate.model import PartRef, Rulebook
from quorate.offline.prove import Proof, ProofClaim
from quorate.offline.prove_bench import MOST
from quorate.offline.prove_guarantee import SCANNED, GuaranteeFigures
from quorate.offline.prove_properties import CounterExample

__all__ = ["COVERAGE", "ballot_file", "claim_words", "counter_words", "panel_file", "proof_document"]

WORDS: Final = {
    "checked": "checked to N = {seats}",
    "on_purpose": "does not hold, on purpose",
    "refuted": "REFUTED",
    "not_stated": "nothing is stated",
    "unfinished": "not finished: time was up",
}
COVERAGE: Final = (
    f"Checked means: every way to vote was tried on panels of up to N seats, at most {MOST}, of which at most one may "
    "veto. Nothing is claimed for larger panels. Only the last claim also tries its thresholds on panels of up to "
    f"{SCANNED} seats."
)


def claim_words(claim: ProofClaim, *, rounds: bool = False) -> str:
    """How a claim ended, in a few words."""
    words = WORDS[claim.status].format(seats=claim.seats)
    return words.replace("N = ", "rounds = ") if rounds else words


def counter_words(counter: CounterExample) -> str:
    """A counter-example in one sentence."""
    held = counter.bench.guardians
    seats = [
        f"{seat}{' (may veto)' if at < held else ''}: {kind.name}"
        for at, (seat, kind) in enumerate(zip(counter.bench.seats, counter.casts, strict=True))
    ]
    return f"{'; '.join(seats)} → {counter.ending.words}; {counter.wrong}"


def ballot_file(counter: CounterExample) -> str:
    """The ballots, as `quorate decide` reads them."""
    rounds = bool(counter.bench.subject.ballots.rounds)
    ballots = [
        {"seat": seat, **({"round": at // 2 + 1} if rounds else {}), **kind.fields}
        for at, (seat, kind) in enumerate(zip(counter.bench.seats, counter.casts, strict=True))
    ]
    lines = ",\n  ".join(json.dumps(ballot) for ballot in ballots)
    return f"[\n  {lines}\n]\n"


def panel_file(counter: CounterExample) -> str:
    """The panel they are of, with its rulebook by value; JSON is YAML too."""
    subject = counter.bench.subject
    panel = counter.bench.panel
    seats = [{"name": seat.name, "powers": list(seat.powers)} for seat in panel]
    settings = {"settings": dict(subject.settings)} if subject.settings else {}
    document = {"protocol": subject.protocol, "seats": seats, "rulebook": _book(subject.book), **settings}
    return json.dumps(document, indent=2) + "\n"


def _book(book: Rulebook) -> dict[str, object]:
    return {
        "name": book.name,
        "rules": [_part(part) for part in book.rules],
        "otherwise": _part(book.otherwise),
        "unless": [_part(part) for part in book.unless],
        "silence": book.silence,
    }


def _part(part: PartRef) -> object:
    return {part.name: dict(part.settings)} if part.settings else part.name


def proof_document(proof: Proof) -> dict[str, object]:
    """All of it, for programs."""
    return {
        "rulebook": proof.subject.name,
        "protocol": proof.subject.protocol,
        "holds": not proof.refuted and proof.is_finished,
        "claims": [_claim(claim) for claim in proof.claims],
        "withstands": [_figures(one) for one in proof.figures],
        "outcomes": list(proof.outcomes),
    }


def _claim(claim: ProofClaim) -> dict[str, object]:
    return {
        "name": claim.name,
        "claim": claim.title,
        "status": claim.status,
        "tried": claim.tried,
        "seats": claim.seats,
        "declared_by": list(claim.by),
        "note": claim.note or None,
        "counter_example": None if claim.counter is None else _counter(claim.counter),
    }


def _counter(counter: CounterExample) -> dict[str, object]:
    return {
        "ballots": json.loads(ballot_file(counter)),
        "panel": json.loads(panel_file(counter)),
        "outcome": counter.ending.outcome,
        "decided": counter.ending.decided,
        "rule": counter.ending.rule or None,
        "error": counter.ending.error or None,
        "wrong": counter.wrong,
    }


def _figures(one: GuaranteeFigures) -> dict[str, object]:
    return {
        "seats": one.seats, "may_veto": one.guardians, "carry": one.carry, "block": one.block, "safe": one.safe,
        "live": one.live, "carried_by": list(one.shown),
    }  # fmt: skip
