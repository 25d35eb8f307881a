"""Requests become deliberations in one way, whichever interface they come by."""
