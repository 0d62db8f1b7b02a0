"""The programs that carry traffic of their own: inspector, squid, VPN server."""
