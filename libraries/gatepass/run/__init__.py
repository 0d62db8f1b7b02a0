"""One run of the suite."""
