"""The spool: rows that were read and are not committed yet, where the next owner of a deliberation finds them.

One file per process and ledger, mapped into memory: a row is there for everybody as soon as it is copied, whatever
becomes of the process, and copying takes no call to the system. What is committed is overwritten with zeros, and its
room used again. The file is locked as long as its process lives. Nothing is synced: after a power loss the ledger is a
clean prefix without the spool.
"""
