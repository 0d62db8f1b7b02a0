"""Troubles of the gateway: nothing passes meanwhile that no policy permits."""
