"""One record: verified, replayed and shown."""

from quorate.engine.recompute import AuditRecord
from quorate.engine.verify import (
    CHANGED,
    MISREAD,
    Verification,
    decide_with,
    describe_missing_verdict,
    record_of,
    refusal,
    refuse,
    replay_with,
    verify_record,
)
from quorate.offline.record_view import (
    CheckedRecord,
    fitting_rulebook,
    judged_record,
    look_up,
    record_warning,
    shown_record,
    verification_document,
)

__all__ = [
    "CHANGED",
    "MISREAD",
    "AuditRecord",
    "CheckedRecord",
    "Verification",
    "decide_with",
    "describe_missing_verdict",
    "fitting_rulebook",
    "judged_record",
    "look_up",
    "record_of",
    "record_warning",
    "refusal",
    "refuse",
    "replay_with",
    "shown_record",
    "verification_document",
    "verify_record",
]
