"""The lab gateway's inspector: a transparent proxy that looks into the sessions of some policies.

A process of its own beside the gateway's, with the standard library alone. The gateway's packet
filter hands it TCP sessions (TPROXY); it opens the other half towards the server with the client's
address, and passes on what the plan of the session's policy allows. What it stands on:

`loop` runs coroutines on sockets, `legs` knows the sockets, `plan` what is to be inspected, `http`,
`tls` and `ftp` the protocols, `content` looks into what is transferred, `clamd` asks the virus
scanner, `events` writes the security log.
"""
