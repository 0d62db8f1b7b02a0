"""The customer's flows, tried on the configuration as it was delivered."""
