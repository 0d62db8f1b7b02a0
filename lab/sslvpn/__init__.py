"""The SSL VPN's server, a process beside the gateway's.

A client logs in over HTTPS and then sends PPP frames over the same connection. `http`, `web`,
`ppp`, `frames` and `sessions` know neither sockets nor clocks; `connection` joins them to a TLS
connection, `server` to the one TUN device that all users share.
"""
