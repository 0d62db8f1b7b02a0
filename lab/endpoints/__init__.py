"""The Linux hosts at both ends."""
