"""Records compared, and recounted under other rules."""

from quorate.offline.compare import Difference, compare_records, comparison_document
from quorate.offline.recount import WhatIf, recount

__all__ = ["Difference", "WhatIf", "compare_records", "comparison_document", "recount"]
