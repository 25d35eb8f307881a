"""Does I/O. What was said of each option, by flag, environment, file or program, becomes one set of settings."""
