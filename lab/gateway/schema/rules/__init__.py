"""What a table demands of a whole row, and gives it."""
