"""What a scan looks for, kind by kind; a check is about one of them."""

TCP_PORTS, UDP_PORTS, SESSIONLESS = "tcp_ports", "udp_ports", "sessionless"
SOURCE_PORTS, PROTOCOLS, ICMP_TYPES = "source_ports", "protocols", "icmp_types"
FRAGMENTS, OPTIONS, ADDRESSES = "fragments", "options", "addresses"
SOURCES, NEIGHBOURS, HELPERS, OWN = "sources", "neighbours", "helpers", "own"
KINDS = (
    *(TCP_PORTS, UDP_PORTS, SESSIONLESS, SOURCE_PORTS, PROTOCOLS, ICMP_TYPES, FRAGMENTS),
    *(OPTIONS, ADDRESSES, SOURCES, NEIGHBOURS, HELPERS, OWN),
)
