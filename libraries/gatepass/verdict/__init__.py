"""From trials to a verdict with its causes."""
