"""Classes of service for the data plane's tests: a configuration with them, and marked packets."""

from __future__ import annotations

import re
import socket
from collections import Counter

from dataplane_config import class_policy, config, policy, refs, shaper, shaping_policy
from dataplane_rig import SERVER, SERVER6, Rig

from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.nft.shaping import ShaperClasses

EF, AF31, UNMARKED = 0xB8, 0x68, 0
KBPS = {"voice": 2_000, "business": 30_000, "tier": 326_000}
CONFIG = config(
    policy(1, srcaddr6=refs("all"), dstaddr6=refs("all")),
    traffic_shaper=[
        shaper("voice", KBPS["voice"], guaranteed=2_000),
        shaper("business", KBPS["business"], guaranteed=20_000),
        shaper("tier", KBPS["tier"]),
    ],
    shaping_policy=[
        class_policy(5, "voice", EF),
        class_policy(6, "voice", EF, version=6),
        class_policy(7, "business", AF31),
        class_policy(8, "business", AF31, version=6),
        shaping_policy(1, "tier", "tier"),
        class_policy(3, "tier", 0, version=6) | {"tos-mask": "0x00"},
    ],
)
# tc tells of classes in no other form, whatever it is asked for.
_COUNTED = re.compile(r"class htb (\S+) .*\n Sent \d+ bytes (\d+) pkt")


def marked(rig: Rig, tos: int, answer_tos: int, version: int = 4, count: int = 3) -> list[int]:
    """Send datagrams from client to server and back; answers the markings that the server saw.

    Args:
        rig: the nodes.
        tos: the byte that those of the client have.
        answer_tos: the byte that the answers have.
        version: of IP.
        count: how many go each way.
    """
    six = version == 6
    family, dest = (socket.AF_INET6, SERVER6) if six else (socket.AF_INET, SERVER)
    level, option = (41, socket.IPV6_TCLASS) if six else (socket.IPPROTO_IP, socket.IP_TOS)
    receive = socket.IPV6_RECVTCLASS if six else 13  # IP_RECVTOS
    seen = []
    with rig.server.socket(family, socket.SOCK_DGRAM) as server:
        server.setsockopt(level, receive, 1)
        server.setsockopt(level, option, answer_tos)
        server.bind((dest, 9000))
        with rig.client.socket(family, socket.SOCK_DGRAM) as client:
            client.setsockopt(level, option, tos)
            for _ in range(count):
                client.sendto(b"x" * 100, (dest, 9000))
                _data, told, _flags, peer = server.recvmsg(200, 64)
                seen += [int.from_bytes(data[:4], "little") & 0xFF for _, _, data in told]
                server.sendto(b"y" * 100, peer)
                client.recv(200)
    return seen


def counted(rig: Rig, port: str) -> Counter[str]:
    """How many packets have left a port by each shaper; those without any are left out."""
    intent = with_faults(compile_config(CONFIG), {"ipv6-slow": {}})  # has one shaper more
    minors = ShaperClasses.of(intent).minors
    names = {f"1:{minor:x}": name for (name, _owner), minor in minors.items()}
    told = rig.output("tc", "-s", "class", "show", "dev", port)
    found = {names[handle]: int(packets) for handle, packets in _COUNTED.findall(told)}
    return Counter({name: packets for name, packets in found.items() if packets})
