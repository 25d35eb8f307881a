"""Pure. Ballots become a tally: group, weigh, count, course; one way to count, one file."""
