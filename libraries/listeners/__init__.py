"""Listeners of Robot's: they settle verdicts, take turns and tell progress."""
