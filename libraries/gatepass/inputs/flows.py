"""Flows: what a customer's gateway has to let through, and what not, as it was delivered."""

from __future__ import annotations

import ipaddress
import re
from functools import cached_property
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from gatepass.inputs.schema import Mistake, Model, text

PASS, BLOCK = "pass", "block"
MOST_FLOWS = 1000
A_SERVICE = "tcp/PORT, udp/PORT, icmp (an echo request) or ip/NUMBER, such as tcp/443"
AN_ADDRESS = 'an address of one host, such as 10.20.1.10 or "2001:db8::10"'
SOME_ADDRESSES = "an address, a network (203.0.113.0/28) or a range (203.0.113.1-203.0.113.6)"
A_PLACE = 'an address with or without a port, such as 10.20.1.80:8443 or "[2001:db8::80]:8443"'

_SERVICE = re.compile(r"(tcp|udp|ip)/([0-9]{1,5})|icmp")
_PLACE = re.compile(r"\[(?P<six>[^]]+)\](:(?P<six_port>\d+))?|(?P<four>[^:]+)(:(?P<port>\d+))?")
_WITH_A_NAME = {"1": "icmp", "6": "tcp/PORT", "17": "udp/PORT", "58": "icmp"}
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Flow(Model):
    """One flow: from an address to an address, by a service, that is to pass or to be blocked."""

    name: str = text("one line of text", default="")
    source: str = Field(alias="from", description=AN_ADDRESS)
    """Who begins."""
    target: str = Field(alias="to", description=AN_ADDRESS)
    """What it is sent to; of a published server the address that is published."""
    service: str = Field(description=A_SERVICE)
    expect: Literal["pass", "block"] = Field(description="pass or block")
    seen_from: str | None = Field(default=None, description=SOME_ADDRESSES)
    """From where it seems to come on the far side; None: it is told, and not held against it."""
    seen_at: str | None = Field(default=None, description=A_PLACE)
    """Where it arrives on the far side; None: where it was sent to."""

    @field_validator("source", "target")
    @classmethod
    def _one_host(cls, value: str) -> str:
        return str(_host(value, AN_ADDRESS))

    @field_validator("service")
    @classmethod
    def _known(cls, value: str) -> str:
        match = _SERVICE.fullmatch(value)
        if not match:
            raise Mistake(A_SERVICE)
        kind, number = match.groups()
        most = 255 if kind == "ip" else 65_535
        if kind and not (0 if kind == "ip" else 1) <= int(number) <= most:
            raise Mistake(A_SERVICE, f"The number after {kind}/ is {most} at most.")
        if kind == "ip" and str(int(number)) in _WITH_A_NAME:
            raise Mistake(A_SERVICE, f"Write {_WITH_A_NAME[str(int(number))]}.")
        return value

    @field_validator("seen_from")
    @classmethod
    def _some_addresses(cls, value: str | None) -> str | None:
        if value is not None:
            _span(value)
        return value

    @field_validator("seen_at")
    @classmethod
    def _a_place(cls, value: str | None) -> str | None:
        if value is not None:
            _place(value)
        return value

    @model_validator(mode="after")
    def _of_one_version(self) -> Self:
        version = self.version
        others = {"to": _host(self.target, AN_ADDRESS).version, "seen_at": self.at[0].version}
        if self.seen_from:
            others["seen_from"] = _span(self.seen_from)[0].version
        for key, found in others.items():
            if found != version:
                raise Mistake(
                    f"an address of IPv{version}, as 'from' is one",
                    "A flow is of one version of IP.",
                    [key],
                )
        if self.source in (self.target, str(self.at[0])):
            raise Mistake("another host than 'from'", "A flow has two ends.", ["to"])
        if self.at[1] and not self.port:
            raise Mistake(
                "an address alone, as the service has no port", "Take the port out.", ["seen_at"]
            )
        return self

    @property
    def version(self) -> int:
        """Of IP: 4 or 6."""
        return ipaddress.ip_address(self.source).version

    @property
    def protocol(self) -> str:
        """As in the service: tcp, udp, icmp, or the protocol's number."""
        kind, _, number = self.service.partition("/")
        return number if kind == "ip" else kind

    @property
    def port(self) -> int:
        """That it is sent to; 0 where there is none."""
        kind, _, number = self.service.partition("/")
        return int(number) if kind in ("tcp", "udp") else 0

    @cached_property
    def at(self) -> tuple[Address, int]:
        """Address and port (0: the service's) at which it arrives."""
        return _place(self.seen_at) if self.seen_at else (ipaddress.ip_address(self.target), 0)

    def may_come_from(self, address: str) -> bool:
        """Whether the far side may see it come from there; any address, where none was agreed."""
        if self.seen_from is None:
            return True
        low, high = _span(self.seen_from)
        return low <= ipaddress.ip_address(address) <= high

    def __str__(self) -> str:
        called = f"“{self.name}”, " if self.name else ""
        return f"{called}{self.source} to {self.target} by {self.service}"


def _host(text: str, allowed: str) -> Address:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise Mistake(allowed, "Write the address alone, without a mask.") from None
    if address.is_unspecified or address.is_multicast or address.is_loopback:
        raise Mistake(allowed, "It has to be one that a host can have.")
    return address


def _span(text: str) -> tuple[Address, Address]:
    first, dash, last = text.partition("-")
    try:
        if dash:
            low, high = ipaddress.ip_address(first.strip()), ipaddress.ip_address(last.strip())
            if low.version != high.version or low > high:
                raise ValueError(text)
            return low, high
        network = ipaddress.ip_network(text)
    except ValueError:
        raise Mistake(SOME_ADDRESSES) from None
    return network[0], network[-1]


def _place(text: str) -> tuple[Address, int]:
    try:  # an IPv6 address alone has colons as well
        return _host(text, A_PLACE), 0
    except Mistake:
        match = _PLACE.fullmatch(text)
    if not match:
        raise Mistake(A_PLACE)
    port = int(match["six_port"] or match["port"] or 0)
    if not 0 < port <= 65_535:
        raise Mistake(A_PLACE, "A port is a number from 1 to 65535.")
    return _host(match["six"] or match["four"], A_PLACE), port
