"""What is set up for a chapter."""
