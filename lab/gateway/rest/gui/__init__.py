"""The gateway's own web page: log-in, the policy list and its editor, over the same REST API."""
