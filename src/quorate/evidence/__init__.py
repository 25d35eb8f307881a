"""Does I/O. Finding and fetching sources: folder, archive, list, search servers, addresses."""
