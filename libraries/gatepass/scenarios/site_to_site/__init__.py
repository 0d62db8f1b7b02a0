"""Tunnels to another site."""
