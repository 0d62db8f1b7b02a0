"""Settings of the gateway's network namespace, put back when the data plane closes."""

from __future__ import annotations

from pathlib import Path

from lab.gateway.dataplane.errors import DataPlaneError

_ROOT = Path("/proc/sys/net")

# Before the rules. Time-outs are the device's defaults (tcp-timewait-timer 1 s, tcp-halfopen-timer
# 10 s, session-ttl 3600 s, udp-idle-timer 180 s).
SETTINGS = {
    "netfilter/nf_conntrack_acct": "1",
    "netfilter/nf_conntrack_timestamp": "1",
    # A session begins with a SYN: what is left of one that is gone does not pass as a new one.
    "netfilter/nf_conntrack_tcp_loose": "0",
    "netfilter/nf_conntrack_tcp_timeout_time_wait": "1",
    "netfilter/nf_conntrack_tcp_timeout_syn_sent": "10",
    "netfilter/nf_conntrack_tcp_timeout_established": "3600",
    "netfilter/nf_conntrack_udp_timeout": "180",
    "netfilter/nf_conntrack_udp_timeout_stream": "180",
    # Reverse path check: of the ports it is the rules' (`nft.hosts`), of what is made later, as
    # tunnels are, the kernel's, which refuses a source without any route back.
    "ipv4/conf/all/rp_filter": "0",
    "ipv4/conf/default/rp_filter": "2",
    "ipv4/conf/all/send_redirects": "0",
    "ipv4/conf/default/send_redirects": "0",
    "ipv6/conf/default/accept_dad": "0",
}

# Only when the rules are in force: a gateway without rules forwards nothing.
FORWARDING = {"ipv4/ip_forward": "1", "ipv6/conf/all/forwarding": "1"}


class KernelSettings:
    """Writes settings and remembers what they were."""

    def __init__(self) -> None:
        self._before: dict[str, str] = {}
        self._now: dict[str, str] = {}

    def set(self, settings: dict[str, str]) -> None:
        """Make the settings; those already made cost one comparison each.

        Raises:
            DataPlaneError: the kernel lacks a setting or refuses it.
        """
        for name, value in settings.items():
            if self._now.get(name) != value:
                before = _write(name, value)
                self._before.setdefault(name, before)
                self._now[name] = value

    def restore(self) -> None:
        """Put everything back, forwarding first."""
        for name, value in reversed(self._before.items()):
            _write(name, value)
        self._before.clear()
        self._now.clear()


def _write(name: str, value: str) -> str:
    path = _ROOT / name
    try:
        before = path.read_text().strip()
        if before != value:
            path.write_text(value)
    except OSError as error:
        raise DataPlaneError(
            f"The setting {path} cannot be made: {error.strerror}; "
            "the gateway needs root and a writable /proc/sys in its namespaces."
        ) from None
    return before
