"""What every other room may need, and which needs none of them."""
