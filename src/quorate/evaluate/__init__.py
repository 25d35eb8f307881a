"""Does I/O. How right a panel is: recorded votes, what seats are worth, how sure a verdict is, when to ask a person."""
