"""Rulebooks searched for what they could approve wrongly."""

from quorate.offline import prove
from quorate.offline.prove import Proof, subject_of, subjects
from quorate.offline.prove_bench import Subject
from quorate.offline.prove_report import COVERAGE, ballot_file, claim_words, counter_words, panel_file, proof_document

__all__ = [
    "COVERAGE",
    "Proof",
    "Subject",
    "ballot_file",
    "claim_words",
    "counter_words",
    "panel_file",
    "proof_document",
    "prove",
    "subject_of",
    "subjects",
]
