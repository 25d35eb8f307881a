"""Decisions on ballots that are given; no model is asked."""

from quorate.offline.decide import ballot_result, decide_ballots, decide_text

__all__ = ["ballot_result", "decide_ballots", "decide_text"]
