"""Addresses, links and routes."""
