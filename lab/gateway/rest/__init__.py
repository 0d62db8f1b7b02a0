"""The FortiOS REST API over HTTPS."""
