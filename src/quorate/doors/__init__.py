"""Does I/O. Ways in: none knows another, none decides anything."""
