"""The embedded lab: network namespaces, endpoints and a stand-in for the gateway."""
