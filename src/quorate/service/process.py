"""How a long-running process of ours behaves: its collector, and limits on its work."""

from quorate.engine.collector import tuned_collector
from quorate.engine.work_limit import limited_work

__all__ = ["limited_work", "tuned_collector"]
