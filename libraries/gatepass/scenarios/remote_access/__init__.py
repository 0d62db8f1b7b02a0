"""Users who dial in."""
