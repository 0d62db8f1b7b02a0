"""The error of the data plane."""


class DataPlaneError(Exception):
    """The data plane could not be put in force or read; the message is one sentence for a user."""
