"""Does I/O. Deliberations that workers on any number of machines take from one queue; the ledger is the only record."""
