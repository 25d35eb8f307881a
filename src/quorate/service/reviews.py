"""What people add to a record: answers, reviews and what turned out right."""

from quorate.engine import person_entries
from quorate.engine.person_entries import asks_of_people, record_outcome, review, unreadable

__all__ = ["asks_of_people", "person_entries", "record_outcome", "review", "unreadable"]
