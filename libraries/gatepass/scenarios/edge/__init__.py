"""What the gateway does at the edge of the customer's network."""
