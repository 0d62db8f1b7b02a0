"""What a restart does to the kernel: sessions are gone, and the ports are down until it is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyroute2 import IPRoute
from pyroute2.netlink.nfnetlink.nfctsocket import NFCTSocket

from lab.gateway.dataplane.kernel.commands import FORWARDING

_SYS = Path("/proc/sys/net")
_PORTS = "port"


def end_sessions() -> None:
    """Forget every session."""
    with NFCTSocket() as table:
        table.flush()


@contextmanager
def ports_down() -> Iterator[None]:
    """All ports but the one for management are down for as long as the block lasts."""
    with IPRoute() as ipr:
        names = {link["index"]: link.get_attr("IFLA_IFNAME") for link in ipr.get_links()}
        ports = {index: name for index, name in names.items() if name.startswith(_PORTS)}
        for index, name in ports.items():
            _set(f"ipv6/conf/{name}/keep_addr_on_down", "1")
            _set(f"ipv6/conf/{name}/accept_dad", "0")
            ipr.link("set", index=index, state="down")
        yield
        for index in ports:
            ipr.link("set", index=index, state="up")


def forward(on: bool) -> None:
    """Forward packets without any rule, or not: what a gateway must never do while it starts."""
    for name, value in FORWARDING.items():
        _set(name, value if on else "0")


def _set(name: str, value: str) -> None:
    (_SYS / name).write_text(value)
