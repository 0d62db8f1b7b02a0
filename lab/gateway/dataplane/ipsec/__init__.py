"""Tunnels, by strongSwan."""
