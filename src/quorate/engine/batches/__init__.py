"""Does I/O. Many questions to one panel: read as a stream, asked a few at a time, answered in the order of the file."""
