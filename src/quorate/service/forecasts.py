"""What a deliberation would take, and what its panel withstands."""

from quorate.offline.forecast import Forecast, fault_statement, forecast

__all__ = ["Forecast", "fault_statement", "forecast"]
