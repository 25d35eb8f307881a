"""What a ledger's deliberations come to, all together."""

from quorate.offline.ledger_report import LedgerReport, report_ledger

__all__ = ["LedgerReport", "report_ledger"]
