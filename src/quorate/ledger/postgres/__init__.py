"""The ledger in a PostgreSQL database, for as many machines as like to use it, with a spool on each before it."""
