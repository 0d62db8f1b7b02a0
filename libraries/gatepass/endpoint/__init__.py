"""A Linux endpoint, its programs, and the traffic that they make."""
