"""The Model Context Protocol door: a panel inside any assistant, that outlives its client."""
