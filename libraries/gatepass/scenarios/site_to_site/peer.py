"""The peer of site-to-site tunnels: the remote sites, all on one Linux host with strongSwan."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.endpoint import host_changes
from gatepass.endpoint.ike import Connection
from gatepass.endpoint.pulse import start_echo
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, Shell
from gatepass.endpoint.strongswan import KERNEL, TABLE, Charon
from gatepass.endpoint.wire_watch import Carrier, WireWatch
from gatepass.inputs.proposals import PROPOSALS
from gatepass.scenarios.site_to_site.tunnels import Site, Tunnel

_ON_THE_WIRE = (Carrier("udp", (500, 4500)), Carrier("esp"))
_NETWORKS = ("198.19.100.0-198.19.199.255", "198.19.201.0/24")
"""Behind the remote sites, see `site_tunnels.Tunnel.network`."""
_ECHO_S = 7 * 86_400


class SitePeer:
    """The remote sites.

    Args:
        shell: the peer, with root.
        charon: strongSwan there.
        mark: of the run, which its addresses and its nftables table carry.
        site: where the tunnels run.
        client: the address at the other end of the tunnels.
        port: on the peer, where datagrams are echoed.
    """

    def __init__(
        self, shell: Shell, charon: Charon, mark: str, site: Site, client: str, port: int
    ) -> None:
        self.shell = shell
        self.charon = charon
        self.mark = mark
        self.site = site
        self.client = client
        self.port = port
        self._echo: Detached | None = None
        self._wire: WireWatch | None = None

    @property
    def wire(self) -> WireWatch:
        """What passes between it and the gateway; counted once it is open."""
        if self._wire is None:
            raise RuntimeError("the peer is not open")
        return self._wire

    @property
    def is_open(self) -> bool:
        """Whether all of it is at work."""
        return self._echo is not None

    def open(self, tunnels: Sequence[Tunnel]) -> None:
        """Have strongSwan, an echo and the addresses for these tunnels and all of fewer.

        Raises:
            NotProven: something is missing there, or the user is not root.
        """
        self.charon.start()
        # a label of IPv4 addresses tells the run's own from others
        label = f"lo:{self.mark}"
        added = [address for tunnel in tunnels for address in (tunnel.remote, tunnel.host)]
        # what is no tunnel's keeps to the host's own routes, also while tunnels are up
        rule = script(
            "from {peer} lookup main priority {priority}", peer=self.site.peer, priority=TABLE - 1
        )
        host_changes.change(
            self.shell,
            "sites",
            [
                script(
                    "for a in {added}; do ip addr add $a/32 dev lo label {label}; done",
                    added=added,
                    label=label,
                ),
                script("ip rule add {rule}", rule=rule),
            ],
            [
                script("ip addr flush dev lo label {label}", label=label),
                script("ip rule del {rule}", rule=rule),
                # of a charon that was killed itself
                script("while ip rule del lookup {table}; do :; done", table=TABLE),
                script("ip route flush table {table}", table=TABLE),
            ],
        )
        self._wire = WireWatch(
            self.shell,
            f"{self.mark}_wire",
            self.site.address,
            _ON_THE_WIRE,
            _NETWORKS,
            kernel_ipsec=self.charon.esp == KERNEL,
        )
        self._wire.begin()
        hosts = [self.site.peer, *(tunnel.host for tunnel in tunnels)]
        self._echo = start_echo(self.shell, self.port, hosts, _ECHO_S)

    def close(self) -> None:
        """End all of it."""
        if self._echo:
            self._echo.stop()
            self._echo = None
        self.charon.stop()
        if self._wire:
            self._wire.end()
        host_changes.take_back(self.shell, "sites")

    def know(self, tunnels: Sequence[Tunnel]) -> None:
        """Teach strongSwan these tunnels; none is up then."""
        self.charon.load(map(self._connection, tunnels))

    def _connection(self, tunnel: Tunnel) -> Connection:
        """What was ordered comes first; whatever else the gateway takes shows in the SA."""
        own = tunnel.proposal
        others = [other for other in PROPOSALS.values() if other is not own]
        return Connection(
            name=tunnel.name,
            local=tunnel.remote,
            remote=self.site.address,
            ike=own.strongswan(own.ike),
            esp=own.strongswan(own.esp),
            also_ike=tuple(dict.fromkeys(one.strongswan(one.ike) for one in others)),
            also_esp=tuple(dict.fromkeys(one.strongswan(one.esp) for one in others)),
            psk=tunnel.psk,
            local_ts=(tunnel.network,),
            remote_ts=(f"{self.client}/32",),
            encap=self.charon.in_user_space,
        )
