"""The device under test: its API, what is changed on it, and how that is undone."""
