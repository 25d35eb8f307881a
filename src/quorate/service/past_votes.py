"""What a panel's recorded votes say without fitting anything: no numpy is needed."""

from quorate.evaluate.decision_cache import cache_place, cached_decisions, past_decisions
from quorate.evaluate.gate_expectation import GateExpectation, expect_gate
from quorate.evaluate.independence import Independence, measure_independence
from quorate.evaluate.past_decisions import PastDecision, likeness, recorded_votes, seat_name
from quorate.evaluate.rulebook_votes import apply_to_votes, chosen_option, voting_rulebook
from quorate.evaluate.voted_question import VotedQuestion

__all__ = [
    "GateExpectation",
    "Independence",
    "PastDecision",
    "VotedQuestion",
    "apply_to_votes",
    "cache_place",
    "cached_decisions",
    "chosen_option",
    "expect_gate",
    "likeness",
    "measure_independence",
    "past_decisions",
    "recorded_votes",
    "seat_name",
    "voting_rulebook",
]
