"""Rules at the edge that are tried together: what is translated, and what the gateway answers."""
