"""Records listed, filtered and searched."""

from quorate.offline.ledger_list import (
    ListedRecord,
    RecordFilter,
    begun_since,
    judge_here,
    list_records,
    summary_document,
    summary_state,
    verify_summary,
)

__all__ = [
    "ListedRecord",
    "RecordFilter",
    "begun_since",
    "judge_here",
    "list_records",
    "summary_document",
    "summary_state",
    "verify_summary",
]
