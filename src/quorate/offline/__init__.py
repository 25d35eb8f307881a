"""Does I/O. What needs no model: decide, group, estimate, check a panel, attest."""
