"""Does I/O. Measuring: datasets, baselines, calibration, significance, plots."""
