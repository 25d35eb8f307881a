"""Does I/O. Use cases, the only thing interfaces call: a request becomes a deliberation here, in one order for all.

prepare   a request, step by step, into what will be held
policy    what an interface may not do, each restriction with its reason
host      where we run: environment, home, ledger, and what the owner lets callers name
"""
