"""Security services and the explicit proxy."""
