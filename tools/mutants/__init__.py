"""Changes the source in small ways and sees whether a test notices; `make mutants`."""
