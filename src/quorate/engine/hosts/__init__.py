"""Processes that hold deliberations, and how to follow one that another process holds."""
