"""A deliberation taken step by step, for interfaces that schedule the steps themselves."""

from quorate.engine.due_steps import ASK, DueStep, due_steps, first_due, unfinished_steps
from quorate.engine.stepper import Stepper

__all__ = ["ASK", "DueStep", "Stepper", "due_steps", "first_due", "unfinished_steps"]
