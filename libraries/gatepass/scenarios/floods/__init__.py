"""Floods and scans that a DoS policy holds, and what it must let pass meanwhile."""
