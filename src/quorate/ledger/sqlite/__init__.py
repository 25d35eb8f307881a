"""The ledger in one SQLite file: its database, tables, the one writer, and the spool before it."""
