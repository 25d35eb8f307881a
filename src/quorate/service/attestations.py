"""Records signed and anchored."""

from quorate.offline.attest import StoredRecord, agrees, attest, comes_to, final_outcome, prove, stored_record

__all__ = ["StoredRecord", "agrees", "attest", "comes_to", "final_outcome", "prove", "stored_record"]
