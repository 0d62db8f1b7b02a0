"""From the configuration to what the gateway is to do with packets. Pure."""
