"""Has the kernel forget the tracked connections of an address.

What is still on its way back of them would reach the next user with that address. The kernel
deletes a connection by all of its addresses and ports, so these are read from its table first.
"""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address
from pathlib import Path

_TABLE = Path("/proc/net/nf_conntrack")
_NETLINK_NETFILTER = 12
_DELETE = 0x0102  # NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_DELETE
_REQUEST = 0x0001
_ORIGINAL, _IP, _PROTOCOL = 0x8001, 0x8001, 0x8002  # nested attributes of a tuple
_SOURCE, _DEST, _NUMBER = 1, 2, 1
# Word of the table -> attribute of the protocol, and how it is written.
_FIELDS = {
    "sport": (2, "!H"),
    "dport": (3, "!H"),
    "id": (4, "!H"),
    "type": (5, "B"),
    "code": (6, "B"),
}
_WORD = re.compile(r"(\w+)=(\S+)")
_IPV4 = b"ipv4"


def forget(address: int) -> None:
    """Delete every connection that began at an address."""
    source = f"src={IPv4Address(address)} ".encode()
    try:
        with _TABLE.open("rb") as table:
            lines = [line for line in table if line.startswith(_IPV4) and source in line]
    except FileNotFoundError:  # nothing is tracked here
        return
    _delete(_requests(line.decode() for line in lines), IPv4Address(address))


def _delete(requests: Iterable[tuple[str, bytes]], source: IPv4Address) -> None:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_NETFILTER) as netlink:
        for began_at, request in requests:
            if began_at == str(source):
                header = struct.pack("=IHHII", 16 + len(request), _DELETE, _REQUEST, 1, 0)
                netlink.send(header + request)


def _requests(lines: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Where each connection began, and the request that deletes it."""
    for line in lines:
        words: dict[str, str] = {}
        for name, value in _WORD.findall(line):
            words.setdefault(name, value)  # the reply's come second
        number = int(line.split(maxsplit=4)[3])
        ends = b"".join(
            _attribute(kind, IPv4Address(words[name]).packed)
            for kind, name in ((_SOURCE, "src"), (_DEST, "dst"))
        )
        protocol = _attribute(_NUMBER, bytes((number,))) + b"".join(
            _attribute(kind, struct.pack(form, int(words[name])))
            for name, (kind, form) in _FIELDS.items()
            if name in words
        )
        tuple_ = _attribute(_IP, ends) + _attribute(_PROTOCOL, protocol)
        family = struct.pack("!BBH", socket.AF_INET, 0, 0)
        yield words["src"], family + _attribute(_ORIGINAL, tuple_)


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", len(value) + 4, kind) + value + b"\0" * (-len(value) % 4)
