"""What a run found, as values, and where they are written and read."""
