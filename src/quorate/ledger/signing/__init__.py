"""Statements over a record that travel without it: keys, hash trees, checkpoints, attestations."""
