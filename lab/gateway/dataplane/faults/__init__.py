"""What the data plane can be made to do wrong, as changes of the intent."""
