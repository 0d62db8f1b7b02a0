"""The results folder as pages on the loopback, for who looks at many runs: read only."""
