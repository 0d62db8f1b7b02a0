"""Dial-up IPsec users on the client endpoint: connections of one strongSwan.

ESP is done in user space there, so that each user's packets go through an interface on which they
can be told from others and looked at, whatever the endpoint's kernel has.
"""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.endpoint import host_changes, strongswan
from gatepass.endpoint.ike import Connection, IkeSa
from gatepass.endpoint.script import joined, script
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.strongswan import Charon
from gatepass.scenarios.remote_access.configuration import POOLS_WITHIN, VpnUser
from gatepass.scenarios.remote_access.dialup import STRONGSWAN_PROPOSAL, DialUp
from gatepass.scenarios.remote_access.vpn_client import Connected, forget, left_of, table_of

INTERFACE = "ipsec0"
"""That strongSwan makes when ESP is done in user space."""
_ROUTING = "vpn-routing"
_PATIENCE_S = 30


class DialUpClient:
    """The users of one run (see `VpnClient`).

    Args:
        shell: the client endpoint.
        mark: of the run.
        address: of the client towards the gateway.
        gateway: of the gateway on the client's side.
        access: what is set up there.
    """

    program = "strongSwan"

    def __init__(self, shell: Shell, mark: str, address: str, gateway: str, access: DialUp) -> None:
        self.shell = shell
        self.mark = mark
        self.address = address
        self.gateway = gateway
        self.access = access
        self.charon = Charon(shell, in_user_space=True, routes=False)
        self._tables: list[int] = []

    def check(self) -> None:
        """Look whether the endpoint has all that is needed.

        Raises:
            NotProven: it lacks something.
        """
        strongswan.look(self.shell, in_user_space=True)

    def connect(self, users: Sequence[VpnUser]) -> list[Connected]:
        """Connect all users at the same time; what became of each, in their order.

        Raises:
            NotProven: strongSwan cannot be used on the endpoint.
        """
        self.disconnect()
        self.charon.start()
        self.charon.load([self._connection(user) for user in users])
        names = [user.name for user in users]
        words = ""
        if len(users) == 1:
            words = self.charon.try_one(names[0], _PATIENCE_S)
            seconds = dict.fromkeys(names, 0.0)
        else:
            seconds = self.charon.initiate(names, _PATIENCE_S)
        found = {sa.name: sa for sa in self.charon.sas() if sa.child and sa.addresses}
        if len(found) < len(users):
            words = words or self.charon.last_words()
        connected = [
            self._connected(user, found.get(user.name), seconds.get(user.name, 0.0), words)
            for user in users
        ]
        self._route([one for one in connected if one.up])
        return connected

    def disconnect(self) -> None:
        """Log all users out; their addresses, routes and rules go too."""
        self.charon.stop()
        host_changes.take_back(self.shell, _ROUTING)

    def left(self) -> list[str]:
        """Addresses, rules and routes of the run's users that are on the endpoint."""
        look = script(
            "ip -o address show to {pools}; {left}",
            pools=str(POOLS_WITHIN),
            left=left_of(self._tables),
        )
        return self.shell.run(look).output.splitlines()

    def cpu_s(self) -> float:
        """CPU time of strongSwan in seconds so far."""
        return self.charon.cpu_s()

    def _connection(self, user: VpnUser) -> Connection:
        # who is in no group tries the first profile's
        profile = user.profile or self.access.profiles[0]
        return Connection(
            name=user.name,
            local=self.address,
            remote=self.gateway,
            ike=STRONGSWAN_PROPOSAL,
            esp=STRONGSWAN_PROPOSAL,
            psk=self.access.psk,
            user=user.name,
            password=user.password,
            local_id=self.access.tunnel(profile),
            encap=True,
        )

    def _connected(self, user: VpnUser, sa: IkeSa | None, seconds: float, words: str) -> Connected:
        address, routes = ("", ()) if sa is None else (sa.addresses[0], sa.child.remote_ts)
        table = table_of(self.mark, user.number)
        return Connected(user, address, routes, INTERFACE, table, seconds, "" if address else words)

    def _route(self, users: Sequence[Connected]) -> None:
        """Routes and rules of each user's own, as in `remote/vpn_script.sh`."""
        self._tables = [one.table for one in users]
        if not users:
            return
        lines = [
            script("set -e"),
            script("echo 2 >/proc/sys/net/ipv4/conf/{interface}/rp_filter", interface=INTERFACE),
        ]
        for one in users:
            lines += [
                script(
                    "ip route add {route} dev {interface} src {address} table {table}",
                    route=route,
                    interface=INTERFACE,
                    address=one.address,
                    table=one.table,
                )
                for route in one.routes
            ]
            lines += [
                script("ip rule add {who} lookup {table} pref 200", who=who, table=one.table)
                for who in (["from", one.address], ["fwmark", one.table])
            ]
        path = f"{self.shell.folder()}/vpn-routes.sh"
        self.shell.put(joined("\n", lines), path)
        add = script("sh {path}", path=path)
        host_changes.change(self.shell, _ROUTING, [add], forget(self._tables))
