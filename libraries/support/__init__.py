"""What keyword libraries have in common."""
