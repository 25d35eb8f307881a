"""Pure. A panelist's words become speech and ballot, or silence: one form, one file."""
