"""Bounds of means, shares and repeated looks."""
