"""Earlier decisions: similar ones, how they changed, and where they contradict each other."""

from quorate.offline.decision_documents import (
    contradictions_document,
    decision_log,
    export_document,
    memory_document,
    similar_document,
    timeline_document,
)
from quorate.offline.decision_history import Contradiction, TimelineEntry, contradictions, count_changes, timeline
from quorate.offline.earlier_decisions import EarlierDecision, EarlierDecisions, SimilarDecision
from quorate.offline.precedents import quoted_in, status_words

__all__ = [
    "Contradiction",
    "EarlierDecision",
    "EarlierDecisions",
    "SimilarDecision",
    "TimelineEntry",
    "contradictions",
    "contradictions_document",
    "count_changes",
    "decision_log",
    "export_document",
    "memory_document",
    "quoted_in",
    "similar_document",
    "status_words",
    "timeline",
    "timeline_document",
]
