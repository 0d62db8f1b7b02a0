"""Wires the nodes of a lab together: veth pairs, the control bridge, addresses and routes.

Both ends of a pair are made inside their namespaces, so nothing ever shows in the host's own.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from ipaddress import ip_interface

from pyroute2 import IPRoute, NetlinkError

from lab.base.errors import LabError
from lab.base.process import Process, wait_until
from lab.nodes.topology import CONTROL_ADDRESS, CONTROL_BRIDGE, Interface, Topology

_IFA_F_NODAD = 0x02  # duplicate detection would keep an IPv6 address unusable for a second
_FIRST_INDEX = 100
_CARRIER_SECONDS = 5
# What goes through the gateway is sent the same way whatever the machine's own is, and so that a
# shaper's queue stays filled: bbr leaves so little in it that a stall of 10 ms empties it, and the
# rate falls short. By the routes, as a namespace may not choose it for all unless the host allows.
_CONGESTION_CONTROL = {"cc_algo": "cubic"}


def wire(inits: Mapping[str, Process], topology: Topology) -> None:
    """Make all interfaces, addresses and routes of a lab.

    Args:
        inits: the first process of every node, which holds its namespaces.
        topology: what to make.

    Raises:
        LabError: the kernel refused one of them.
    """
    with ExitStack() as stack:
        try:
            sockets = {
                node: stack.enter_context(IPRoute(netns=f"/proc/{init.pid}/ns/net", flags=0))
                for node, init in inits.items()
            }
            for socket in sockets.values():
                socket.link("set", index=1, state="up")  # lo is always the first
            _bridge(sockets["control"])
            for number, pair in enumerate(topology.wires):
                sockets[pair.one.node].link(
                    "add",
                    kind="veth",
                    ifname=pair.one.name,
                    # Unlike the other end's: to ends of one number the kernel gives no hurry, and
                    # it would take a second until they carry packets.
                    index=_FIRST_INDEX + number,
                    peer={"ifname": pair.other.name, "net_ns_pid": inits[pair.other.node].pid},
                )
                for end in (pair.one, pair.other):
                    _plug_in(sockets[end.node], end)
            for route in topology.routes:
                sockets[route.node].route(
                    "add",
                    dst=route.destination,
                    gateway=route.gateway,
                    metrics=_CONGESTION_CONTROL,
                )
            if not wait_until(lambda: all(map(_carries, sockets.values())), _CARRIER_SECONDS):
                raise LabError("The lab's wires carry nothing; take it down and build it anew.")
        except NetlinkError as error:
            raise LabError(
                f"The kernel refused to wire the lab's nodes ({error}): it needs network "
                "namespaces, veth and bridge, which a container has only with --privileged."
            ) from None


def _carries(socket: IPRoute) -> bool:
    """Whether all interfaces of a node are ready for packets."""
    return all(
        link.get("operstate") == "UP" for link in socket.get_links() if link.get("ifname") != "lo"
    )


def _index(socket: IPRoute, name: str) -> int:
    return socket.link_lookup(ifname=name)[0]


def _bridge(socket: IPRoute) -> None:
    """The switch of the control network; without spanning tree its ports forward at once."""
    socket.link("add", kind="bridge", ifname=CONTROL_BRIDGE, br_stp_state=0, br_forward_delay=0)
    index = _index(socket, CONTROL_BRIDGE)
    socket.addr("add", index=index, address=CONTROL_ADDRESS, prefixlen=24)
    socket.link("set", index=index, state="up")


def _plug_in(socket: IPRoute, end: Interface) -> None:
    index = _index(socket, end.name)
    for address in map(ip_interface, end.addresses):
        flags = {"flags": _IFA_F_NODAD} if address.version == 6 else {}
        socket.addr(
            "add",
            index=index,
            address=str(address.ip),
            prefixlen=address.network.prefixlen,
            **flags,
        )
    if end.node == "control" and not end.addresses:
        socket.link("set", index=index, master=_index(socket, CONTROL_BRIDGE))
    socket.link("set", index=index, state="up")
