"""Whole ledgers, copied."""

from quorate.offline.ledger_copy import CopyReport, copy_ledger

__all__ = ["CopyReport", "copy_ledger"]
