"""What the gateway knows of single hosts: whose address has which hardware, and where it lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.gateway.dataplane.intent.values import Port

Config = Mapping[str, Sequence[Mapping]]
_ANY_ADDRESS, _ANY_HARDWARE = "0.0.0.0", "00:00:00:00:00:00"


@dataclass(frozen=True, slots=True)
class Binding:
    """An IPv4 address and the hardware address that it has; empty for any."""

    address: str
    mac: str


@dataclass(frozen=True, slots=True)
class Bindings:
    """Which hosts have to have which hardware address (`firewall.ipmacbinding`).

    Attributes:
        ports: where packets are looked at.
        through, own: whether those that go through the gateway are, and those that are for itself.
        pairs: that are right.
        others_pass: whether a host passes that no pair names.
        strays: addresses whose packets pass from no hardware address at all; a fault.
    """

    ports: tuple[str, ...] = ()
    through: bool = False
    own: bool = False
    pairs: tuple[Binding, ...] = ()
    others_pass: bool = True
    strays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """The reverse path check: where a packet may come from.

    Attributes:
        ports: where it is made.
        strict: whether the best route to the source has to lead there; else any route.
    """

    ports: tuple[str, ...] = ()
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A host whose hardware address is fixed."""

    interface: str
    address: str
    mac: str


def compile_bindings(config: Config) -> Bindings:
    """The bindings of a configuration."""
    settings = _only(config, "firewall.ipmacbinding/setting")
    return Bindings(
        ports=tuple(
            str(row["name"]) for row in _physical(config) if row.get("ipmac") == "enable"
        ),
        through=settings.get("bindthroughfw") == "enable",
        own=settings.get("bindtofw") == "enable",
        pairs=tuple(
            Binding(
                "" if row["ip"] == _ANY_ADDRESS else row["ip"],
                "" if row["mac"] == _ANY_HARDWARE else row["mac"],
            )
            for row in config.get("firewall.ipmacbinding/table", ())
            if row.get("status") == "enable"
        ),
        others_pass=settings.get("undefinedhost") == "allow",
    )


def compile_source_check(config: Config) -> SourceCheck:
    """The reverse path check of a configuration; routes that are asymmetric leave none."""
    settings = _only(config, "system/settings")
    ports = () if settings.get("asymroute") == "enable" else tuple(
        str(row["name"]) for row in _physical(config) if row.get("src-check") != "disable"
    )
    return SourceCheck(ports, settings.get("strict-src-check") == "enable")


def compile_neighbours(config: Config, ports: Sequence[Port]) -> tuple[Neighbour, ...]:
    """The fixed hosts of a configuration, on those of the ports that are up."""
    up = {port.name for port in ports if port.up}
    return tuple(
        Neighbour(row["interface"], row["ip"], row["mac"])
        for row in config.get("system/arp-table", ())
        if row["interface"] in up
    )


def _only(config: Config, path: str) -> Mapping:
    return next(iter(config.get(path, ())), {})


def _physical(config: Config) -> list[Mapping]:
    rows = config.get("system/interface", ())
    return [row for row in rows if row.get("type", "physical") == "physical"]
