"""Does I/O. Wrappers around a panelist, in one stack: deadline, retry, fallback, rate limit, breaker, budget, cache."""
