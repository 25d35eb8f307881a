"""Records handed over as capsules, which anybody can check without us."""

from quorate.offline.capsule import (
    VERIFIER,
    add_timestamp,
    capsule_id,
    capsule_page,
    make_capsule,
    parse_capsule,
    timestamp_request,
    verifier_program,
    withhold,
    write_capsule,
)

__all__ = [
    "VERIFIER",
    "add_timestamp",
    "capsule_id",
    "capsule_page",
    "make_capsule",
    "parse_capsule",
    "timestamp_request",
    "verifier_program",
    "withhold",
    "write_capsule",
]
