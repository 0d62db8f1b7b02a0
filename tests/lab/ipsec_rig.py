"""The data plane's rig with another office behind the gateway's port3, where a charon answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from dataplane_config import config, policy, refs
from dataplane_rig import Node, Rig, _cable, _route
from pyroute2 import IPRoute

from lab.gateway import schema
from lab.gateway.dataplane.ipsec.charon import Charon
from lab.gateway.dataplane.ipsec.status import IkeSa, read

PEER, PORT3 = "198.18.4.10", "198.18.4.1"
SECRET = "a key of two offices"
_TABLES = schema.tables((7, 4, 8))


def remote(number: int) -> str:
    """Where tunnel number … ends."""
    return f"198.19.200.{number}"


def behind(number: int, host: int = 1) -> str:
    """An address of the network that tunnel number … leads to."""
    return f"198.19.{99 + number}.{host}"


def row(path: str, **attributes: Any) -> dict[str, Any]:
    """A row of a table of IPsec with its defaults."""
    given = {key.replace("_", "-"): value for key, value in attributes.items()}
    return {**_TABLES[path].template, **given}


def phase1(number: int, **attributes: Any) -> dict[str, Any]:
    """Phase 1 of tunnel number …, `t1` for 1."""
    values = {
        "name": f"t{number}",
        "interface": "port3",
        "ike_version": "2",
        "peertype": "any",
        "remote_gw": remote(number),
        "proposal": "aes256-sha256",
        "dhgrp": "14",
        "psksecret": SECRET,
        "dpd": "on-idle",
        "dpd_retryinterval": "5",
    }
    return row("vpn.ipsec/phase1-interface", **(values | attributes))


def phase2(number: int, **attributes: Any) -> dict[str, Any]:
    """Phase 2 of tunnel number …, from the client to the network behind it."""
    values = {
        "name": f"t{number}",
        "phase1name": f"t{number}",
        "proposal": "aes256-sha256",
        "dhgrp": "14",
        "src_subnet": "198.18.1.0 255.255.255.0",
        "dst_subnet": f"198.19.{99 + number}.0 255.255.255.0",
        "auto_negotiate": "enable",
    }
    return row("vpn.ipsec/phase2-interface", **(values | attributes))


def route(number: int, dst: str, **attributes: Any) -> dict[str, Any]:
    """A static route."""
    return {"seq-num": number, "dst": dst, "gateway": "0.0.0.0", "device": "", **attributes}


def site_to_site(
    *policies: dict, count: int = 1, one: dict | None = None, two: dict | None = None
) -> dict[str, list[dict]]:
    """A configuration with tunnels.

    Args:
        policies: rows of firewall/policy; by default everything may pass both ways.
        count: of tunnels.
        one: attributes of each phase 1.
        two: attributes of each phase 2.
    """
    numbers = range(1, count + 1)
    names = refs(*(f"t{number}" for number in numbers))
    both = (
        policy(1, srcintf=refs("port2"), dstintf=names),
        policy(2, srcintf=names, dstintf=refs("port2")),
    )
    made = config(*(policies or both))
    made["system/interface"] = [
        *made["system/interface"],
        {"name": "port3", "ip": f"{PORT3} 255.255.255.0", "allowaccess": "ping", "ipv6": {}},
        *(
            {"name": f"t{number}", "type": "tunnel", "ip": "", "ipv6": {}} for number in numbers
        ),
    ]
    made["vpn.ipsec/phase1-interface"] = [phase1(number, **(one or {})) for number in numbers]
    made["vpn.ipsec/phase2-interface"] = [phase2(number, **(two or {})) for number in numbers]
    made["router/static"] = [
        route(1, "198.19.200.0 255.255.255.0", gateway=PEER, device="port3"),
        *(
            route(1 + number, f"198.19.{99 + number}.0 255.255.255.0", device=f"t{number}")
            for number in numbers
        ),
    ]
    return made


class Office:
    """The other office: a namespace with a charon that answers for every tunnel."""

    def __init__(self, gateway: Node, folder: Path) -> None:
        self.node = Node()
        self.node(_cable, gateway.ns_fd, "port3", (f"{PEER}/24", "2001:2:0:4::10/64"))
        self.node(_route, PORT3, "2001:2:0:4::1")
        self._charon = Charon(folder)

    def start(self, count: int, **attributes: Any) -> None:
        """Answer for so many tunnels; the attributes are those of charon's connections."""
        self.node(self._furnish, count)
        self.node(self._charon.run, True)
        session = self._charon.session()
        session.load_shared({"id": "key", "type": "IKE", "data": SECRET})
        for number in range(1, count + 1):
            session.load_conn({f"t{number}": self._connection(number, attributes)})
        self.node(_raise_tun)

    def _connection(self, number: int, attributes: dict[str, Any]) -> dict[str, Any]:
        proposals = attributes.get("proposals", ["aes256-sha256-modp2048"])
        child = {
            "local_ts": [f"198.19.{99 + number}.0/24"],
            "remote_ts": ["198.18.1.0/24"],
            "esp_proposals": proposals,
            "rekey_time": "0s",
            **attributes.get("child", {}),
        }
        return {
            "version": "2",
            "local_addrs": [remote(number)],
            "remote_addrs": [PORT3],
            "proposals": proposals,
            "encap": "yes",
            "mobike": "no",
            "local": {"auth": "psk", "id": remote(number)},
            "remote": {"auth": "psk", "id": PORT3},
            "children": {f"t{number}": child},
        }

    @staticmethod
    def _furnish(count: int) -> None:
        with IPRoute() as ipr:
            there = {item.get_attr("IFA_ADDRESS") for item in ipr.get_addr(index=1)}
            for number in range(1, count + 1):
                for address in {remote(number), behind(number)} - there:
                    ipr.addr("add", index=1, address=address, prefixlen=32)

    def sas(self) -> tuple[IkeSa, ...]:
        """The connections that it has."""
        return read(self._charon.session())

    def end(self, name: str) -> None:
        """End a connection, and say so to its other end."""
        list(self._charon.session().terminate({"ike": name}))

    def stop(self) -> None:
        """End charon, as a crash would."""
        self._charon.stop()

    def close(self) -> None:
        self.stop()
        self.node.close()


def _raise_tun() -> None:
    until = time.monotonic() + 60
    with IPRoute() as ipr:
        while not ipr.link_lookup(ifname="ipsec0"):
            assert time.monotonic() < until
        index = ipr.link_lookup(ifname="ipsec0")[0]
        ipr.link("set", index=index, state="up", mtu=1400)
        ipr.route("replace", dst="198.18.1.0/24", oif=index, scope=253, prefsrc=behind(1))


class OfficeRig(Rig):
    """Client, gateway, server and the other office."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.office = Office(self.gateway, folder / "office")

    def is_up(self, *names: str, seconds: float = 30) -> bool:
        """Wait until these phase 2s have keys."""
        return self.eventually(lambda: set(names) <= self.up(), seconds)

    def up(self) -> set[str]:
        """The phase 2s that have keys at this moment."""
        status = self.gateway(self.plane.ipsec)
        return {key.child for sa in status.sas for key in sa.children if key.up}

    @staticmethod
    def eventually(condition: Callable[[], bool], seconds: float = 30) -> bool:
        """Wait until something holds; False if it does not in time."""
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def close(self) -> None:
        with suppress(Exception):
            self.gateway(self.plane.close)
        self.office.close()
        super().close()
