"""Does I/O. The loop and its clerk; deadlines, budgets, retries, concurrency, resume.

All that happens between the chair and the world, and what doors share: panel files, configuration, deciding, checking.
"""
