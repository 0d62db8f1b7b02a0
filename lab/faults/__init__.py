"""What a lab can be made to do wrong."""
