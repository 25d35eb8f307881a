"""Command-line tools that answer for a seat: which there are, and how their processes are kept."""
