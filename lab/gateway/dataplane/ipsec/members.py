"""Fills the packet filter's sets of users with the addresses that dial-up users were given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lab.gateway.dataplane.intent.ipsec import Tunnel
from lab.gateway.dataplane.intent.members import GROUP, Who
from lab.gateway.dataplane.intent.model import Intent, sets_of
from lab.gateway.dataplane.ipsec.status import IkeSa
from lab.gateway.dataplane.nft import nft

_Entry = tuple[str, str]
"""A set, and an address in it."""


def is_of(tunnels: Mapping[str, Tunnel], sa: IkeSa, who: Who) -> bool:
    """Whether a connection is that of a user, or of a member of a group."""
    kind, name = who
    tunnel = tunnels.get(sa.tunnel)
    if tunnel is None or tunnel.dial_up is None or not sa.user:
        return False
    if kind != GROUP:
        return sa.user == name
    return any(user.name == sa.user and name in user.groups for user in tunnel.dial_up.everyone)


class DialUpMembers:
    """Keeps the sets as the connections are."""

    def __init__(self) -> None:
        self._sets: dict[str, Who] = {}
        self._inside: set[_Entry] = set()

    def follow(self, intent: Intent) -> None:
        """Fill the sets that this intent's policies name; they are there by now."""
        sets = sets_of(intent)
        self._inside = {entry for entry in self._inside if entry[0] in self._sets.keys() & sets}
        self._sets = sets

    def update(self, tunnels: Mapping[str, Tunnel], sas: Iterable[IkeSa]) -> None:
        """Bring the sets to the connections that there are.

        Raises:
            DataPlaneError: the kernel refuses it.
        """
        wanted = set(self._wanted(tunnels, sas))
        if wanted == self._inside:
            return
        # Added first, so that what is not there any more can be deleted.
        commands = [_command("add", entry) for entry in wanted ^ self._inside]
        commands += [_command("delete", entry) for entry in self._inside - wanted]
        nft.load("".join(commands))
        self._inside = wanted

    def _wanted(self, tunnels: Mapping[str, Tunnel], sas: Iterable[IkeSa]) -> Iterator[_Entry]:
        for sa in sas:
            if sa.established and sa.assigned:
                for name, who in self._sets.items():
                    if is_of(tunnels, sa, who):
                        yield name, sa.assigned

    def clear(self) -> None:
        """Forget what is inside: the sets or the connections are gone."""
        self._inside.clear()


def _command(verb: str, entry: _Entry) -> str:
    name, address = entry
    return f"{verb} element {nft.FAMILY_AND_TABLE} {name} {{ {address} }}\n"
