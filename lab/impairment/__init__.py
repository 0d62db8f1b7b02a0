"""What becomes of packets in a faulty gateway that has already decided to forward them.

A process of its own beside the gateway's, with the standard library alone, that runs only while
there is such a fault. The packet filter hands it frames as they leave for a port (a TAP device for
each, `wires`); it holds, drops or doubles them (`line`, by a `plan`) and sends them on. So time to
live, sessions, counters, policies and shapers are the gateway's as ever.
"""
