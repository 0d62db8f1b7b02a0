"""Rules about the ports that the gateway itself answers on: each has one that listens there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.interfaces import INTERFACES
from lab.gateway.schema.rules.registry import check

GLOBAL, PROXY, SSL_VPN = "system/global", "web-proxy/explicit", "vpn.ssl/settings"
MANAGEMENT = "mgmt"
"""The interface that the lab's gateway is managed on."""
MOST_PROXIES = 128
"""What squid is built for (MAXTCPLISTENPORTS)."""
_SINGLETON = ""


class _Seen:
    """The configuration as it would be with one row changed."""

    def __init__(self, path: str, row: Row, view: View) -> None:
        self._path, self._row, self._view = path, row, view

    def only(self, path: str) -> Row | None:
        """The row of a table that has one; None where the release lacks it."""
        return self._row if path == self._path else self._view.find(path, _SINGLETON)

    def interfaces(self) -> Iterator[Row]:
        """All of them."""
        changed = self._row["name"] if self._path == INTERFACES else None
        for row in self._view.all(INTERFACES):
            if row["name"] != changed:
                yield row
        if changed is not None:
            yield self._row


def _no_two_on_a_port(path: str) -> None:
    @check(path)
    def _listeners(row: Row, view: View) -> None:
        seen = _Seen(path, row, view)
        taken: dict[tuple[str, int], str] = {}
        proxies = list(_of_proxy(seen))
        for what, places in (
            ("the administration", _of_administration(seen)),
            ("the web proxy", proxies),
            ("the SSL VPN", _of_ssl_vpn(seen)),
        ):
            for name, port in dict.fromkeys(places):
                other = taken.setdefault((name, port), what)
                if other != what:
                    raise CmdbError(
                        BAD_VALUE,
                        f'Port {port} of interface "{name}" is that of {other} already; '
                        f"give {what} another port or interface.",
                    )
        if len(proxies) > MOST_PROXIES:
            raise CmdbError(
                BAD_VALUE,
                f"The lab's web proxy listens on {MOST_PROXIES} addresses and ports at most, not "
                f"{len(proxies)}; name fewer in http-incoming-port.",
            )


for _path in (INTERFACES, GLOBAL, PROXY, SSL_VPN):
    _no_two_on_a_port(_path)


def _of_administration(seen: _Seen) -> Iterator[tuple[str, int]]:
    row = seen.only(GLOBAL)
    if row is not None:
        yield MANAGEMENT, row["admin-sport"]


def _of_proxy(seen: _Seen) -> Iterator[tuple[str, int]]:
    row = seen.only(PROXY)
    if row is None or row["status"] != "enable":
        return
    versions = 2 if row["ipv6-status"] == "enable" else 1
    for interface in seen.interfaces():
        if interface["explicit-web-proxy"] == "enable":
            for port in ports_of(row["http-incoming-port"]):
                yield from [(interface["name"], port)] * versions


def _of_ssl_vpn(seen: _Seen) -> Iterator[tuple[str, int]]:
    row = seen.only(SSL_VPN)
    if row is None or row["status"] != "enable":
        return
    named = {one["name"] for one in row["source-interface"]}
    for interface in seen.interfaces():
        if interface["name"] in named or "any" in named:
            yield interface["name"], row["port"]


def ports_of(text: str) -> list[int]:
    """The ports of `8080 8443-8450`; no more than can be listened on, and one."""
    found: dict[int, Any] = {}
    for part in text.split():
        low, _, high = part.partition("-")
        for port in range(int(low), int(high or low) + 1):
            if len(found) > MOST_PROXIES:
                break
            found[port] = None
    return list(found)


@check(PROXY)
def _ports(row: Row, view: View) -> None:
    text = row["http-incoming-port"]
    if ":" in text or 0 in ports_of(text):
        raise bad_value("http-incoming-port", text, "ports, 1 to 65535")
    if row["status"] == "enable" and len(ports_of(text)) > MOST_PROXIES:
        raise bad_value("http-incoming-port", text, f"{MOST_PROXIES} ports at most")
