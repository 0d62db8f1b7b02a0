"""Holds the lab's declarations and what the suite sends against what Fortinet publishes."""
