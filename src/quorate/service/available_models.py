"""What could answer on this machine, and what it costs."""

from quorate.engine.discovery import WEIGHTS, Answerer, Health, check, discover, fetch, pick, withstood
from quorate.engine.prices import price_table
from quorate.engine.routing import RouteChoice, Router, resolve_routes

__all__ = [
    "WEIGHTS",
    "Answerer",
    "Health",
    "RouteChoice",
    "Router",
    "check",
    "discover",
    "fetch",
    "pick",
    "price_table",
    "resolve_routes",
    "withstood",
]
