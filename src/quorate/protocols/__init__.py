"""Pure. Who speaks when, and what they are shown: one protocol, one file."""
