"""The part that keeps tunnels up: tells charon of them, and sees to it that they come back."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import vici
from vici.exception import CommandException, SessionException

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.ipsec import Child, Tunnel
from lab.gateway.dataplane.intent.members import Who
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.ipsec import connections as ipsec_connections
from lab.gateway.dataplane.ipsec import status as ipsec_status
from lab.gateway.dataplane.ipsec.charon import Charon
from lab.gateway.dataplane.ipsec.connections import Message
from lab.gateway.dataplane.ipsec.links import TunnelLinks
from lab.gateway.dataplane.ipsec.members import DialUpMembers, is_of
from lab.gateway.dataplane.ipsec.outages import Outages
from lab.gateway.dataplane.ipsec.status import Accounts, IkeSa, IpsecStatus
from lab.gateway.dataplane.kernel.links import sent_packets

log = logging.getLogger(__name__)

_TICK_S = 1.0
_AGAIN_S = 3.0
_TOGETHER_S = 0.01
_TUN_S = 5.0
_RENEWED = "child-rekey"
_CAME_OR_WENT = "child-updown"


@dataclass(frozen=True)
class _Told:
    """What charon knows of a tunnel."""

    connection: Message
    pool: Message | None
    secrets: list[Message]


class Ike:
    """Runs charon while there is a tunnel, and has it do what the intent says.

    A thread of its own looks every second which tunnels are down, and starts those again that are
    to be up, or that packets wait for.
    """

    share = ()

    def __init__(self, folder: Path, links: TunnelLinks) -> None:
        """Args: folder: the gateway's own folder. links: the tunnels' interfaces."""
        self._charon = Charon(folder / "ipsec")
        self._links = links
        self._lock = threading.Lock()
        self._session: vici.Session | None = None
        self._tunnels: Mapping[str, Tunnel] = {}
        self._most = 0
        self._wanted: dict[str, _Told] = {}
        self._told: dict[str, _Told] = {}
        self._accounts = Accounts()
        self._not_before: dict[str, float] = {}
        self._been_up: set[str] = set()
        self._sent: dict[str, int] = {}
        self._members = DialUpMembers()
        self._outages = Outages()
        self._remembered: dict[int, IkeSa] = {}
        self._wake = threading.Event()
        self._keeper: threading.Thread | None = None

    def apply(self, intent: Intent) -> None:
        """Have charon know the intent's tunnels; those that did not change stay up."""
        if not intent.ipsec.tunnels:
            self.close()
            return
        wanted = self._messages(intent)
        with self._lock:
            self._tunnels, self._most = intent.ipsec.tunnels, intent.ipsec.most
            self._wanted = wanted
            self._members.follow(intent)
            try:
                self._bring_about()
            except (OSError, SessionException, CommandException) as error:
                raise DataPlaneError(f"charon does not take the tunnels: {error}") from None
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._keep, name="ike-keeper", daemon=True)
            self._keeper.start()
        self._wake.set()

    def _messages(self, intent: Intent) -> dict[str, _Told]:
        addresses = {port.name: port.address for port in intent.ports}
        found = {}
        for name, tunnel in intent.ipsec.tunnels.items():
            local = tunnel.local or addresses.get(tunnel.port, "")
            if not local or not tunnel.children:
                continue  # nothing to negotiate, or from nowhere
            number = self._links.number(name) if self._links.in_kernel else None
            found[name] = _Told(
                ipsec_connections.connection(tunnel, local, number),
                ipsec_connections.pool(tunnel),
                ipsec_connections.secrets(tunnel),
            )
        return found

    def _bring_about(self) -> None:
        """Go from what charon knows to what it is to know; a charon that has ended runs anew."""
        if not self._charon.running:
            self._start()
        elif self._session is None:
            self._session = self._charon.session()
        for name, request in list(self._told.items()):
            wanted = self._wanted.get(name)
            if wanted is None or (wanted.connection, wanted.pool) != (
                request.connection,
                request.pool,
            ):
                self._forget(name)
            elif wanted != request:
                self._change_secrets(name, wanted)
        if not self._links.in_kernel:
            self._links.satisfy(self._tunnels.values())
        for name, request in self._wanted.items():
            if name not in self._told:
                self._tell(name, request)

    def _start(self) -> None:
        self._told, self._session = {}, None
        self._links.make_way()
        self._charon.run(encrypts=not self._links.in_kernel)
        self._session = self._charon.session()
        self._members.clear()
        threading.Thread(target=self._listen, name="ike-listener", daemon=True).start()
        if self._links.in_kernel:
            return
        until = time.monotonic() + _TUN_S
        while not self._links.adopt(self._tunnels.values()):
            if time.monotonic() > until:
                self._charon.stop()
                raise DataPlaneError(
                    "charon has no interface for its packets; it needs /dev/net/tun."
                )
            time.sleep(0.005)

    def _tell(self, name: str, request: _Told) -> None:
        assert self._session is not None
        for secret in request.secrets:
            self._session.load_shared(secret)
        if request.pool is not None:
            self._session.load_pool(request.pool)
        self._session.load_conn({name: request.connection})
        self._told[name] = request
        self._not_before = {key: at for key, at in self._not_before.items() if key != name}

    def _change_secrets(self, name: str, wanted: _Told) -> None:
        """Let other users in; those who are connected stay so."""
        assert self._session is not None
        before = self._told[name].secrets
        ids = {secret["id"] for secret in wanted.secrets}
        for secret in before:
            if secret["id"] not in ids:
                self._session.unload_shared({"id": secret["id"]})
        for secret in wanted.secrets:
            if secret not in before:
                self._session.load_shared(secret)
        self._told[name] = wanted

    def _forget(self, name: str) -> None:
        """Take a tunnel down and out of charon's memory."""
        assert self._session is not None
        request = self._told.pop(name)
        self._session.unload_conn({"name": name})
        with suppress(CommandException):  # it is not up
            list(self._session.terminate({"ike": name, "force": "yes", "timeout": "-1"}))
        for secret in request.secrets:
            self._session.unload_shared({"id": secret["id"]})
        if request.pool is not None:
            with suppress(CommandException):  # an address of it is still taken for a moment
                self._session.unload_pool({"name": next(iter(request.pool))})
        self._been_up -= request.connection["children"].keys()

    # What others ask for

    def status(self) -> IpsecStatus:
        """The connections at this moment."""
        with self._lock:
            return self._accounts.status(self._read())

    def _read(self) -> tuple[IkeSa, ...]:
        if self._session is None or not self._charon.running:
            return ()
        try:
            sas = ipsec_status.read(self._session)
        except (OSError, SessionException):
            self._session = None  # the keeper opens a new one
            return ()
        sas = self._with_remembered(sas)
        self._accounts.update(sas)
        return sas

    def _with_remembered(self, sas: tuple[IkeSa, ...]) -> tuple[IkeSa, ...]:
        """Carry out the fault that users who logged out stay connected by what is shown."""
        forgetful = {
            name
            for name, tunnel in self._tunnels.items()
            if tunnel.dial_up is not None and tunnel.dial_up.forgets_logout
        }
        there = {sa.id: sa for sa in sas if sa.tunnel in forgetful and sa.established}
        self._remembered = {
            number: sa
            for number, sa in (self._remembered | there).items()
            if sa.tunnel in forgetful
        }
        return (*sas, *(sa for number, sa in self._remembered.items() if number not in there))

    def belongs(self, address: str, who: Who) -> bool:
        """Whether an address is that of a dial-up user, or of a member of a group."""
        with self._lock:
            found = [sa for sa in self._read() if sa.assigned == address]
            return any(is_of(self._tunnels, sa, who) for sa in found)

    def reset_counters(self, tunnel: str | None) -> None:
        """Set the bytes of one tunnel, or of all, back to zero."""
        with self._lock:
            self._read()
            self._accounts.reset(tunnel)

    def take_down(self, tunnel: str, child: str) -> None:
        """Delete a phase 2's keys; if it is to be up at all times it comes back in seconds."""
        with self._lock:
            self._not_before[child] = time.monotonic() + _AGAIN_S
            self._terminate({"ike": tunnel, "child": child})

    def end_connection(self, number: int) -> None:
        """End one connection, such as that of one dial-up user."""
        with self._lock:
            self._terminate({"ike-id": str(number)})

    def _terminate(self, what: Message) -> None:
        if self._session is not None:
            with suppress(CommandException):  # it is down already
                list(self._session.terminate({**what, "force": "yes", "timeout": "-1"}))

    def bring_up(self, tunnel: str, child: str) -> None:
        """Negotiate a phase 2's keys now, if it has none."""
        with self._lock:
            states = [sa for sa in self._read() if sa.tunnel == tunnel]
            if tunnel in self._told and not _is_up(states, child):
                self._initiate(tunnel, child)

    # The keeper

    def _listen(self) -> None:
        """Have the keeper look whenever a connection came or went, as long as charon lives."""
        with suppress(OSError, SessionException):
            session = self._charon.session()
            for event, message in session.listen(["ike-updown", _CAME_OR_WENT, _RENEWED]):
                if event == _RENEWED.encode():
                    self._interrupt(message)
                elif event is not None:
                    if event == _CAME_OR_WENT.encode() and message.get("up"):
                        # one that goes again at once is not there any more when the keeper looks
                        self._been_up |= ipsec_status.children_of(message)
                    self._wake.set()

    def _interrupt(self, renewed: Message) -> None:
        """Carry out the fault that a tunnel carries nothing for a while with new keys."""
        for name in renewed:
            tunnel = self._tunnels.get(name)
            if tunnel is not None and tunnel.renewal_outage_s:
                self._outages.begin(name, tunnel.renewal_outage_s)

    def _keep(self) -> None:
        while self._keeper is threading.current_thread():
            self._wake.wait(_TICK_S)
            time.sleep(_TOGETHER_S)  # what happens at once is looked at once
            self._wake.clear()
            with self._lock:
                if self._keeper is not threading.current_thread():
                    return
                try:
                    self._tick()
                except (DataPlaneError, OSError, SessionException, CommandException) as error:
                    log.warning("IPsec: %s", error)

    def _tick(self) -> None:
        self._bring_about()
        by_tunnel: dict[str, list[IkeSa]] = {}
        sas = self._read()
        self._members.update(self._tunnels, sas)
        self._end_strangers(sas)
        self._end_surplus(sas)
        for sa in sas:
            by_tunnel.setdefault(sa.tunnel, []).append(sa)
        now = time.monotonic()
        down = []
        for name in self._told:
            tunnel, sas = self._tunnels[name], by_tunnel.get(name, [])
            self._been_up |= {one.name for one in tunnel.children if _is_up(sas, one.name)}
            if not tunnel.passive and not any(sa.connecting for sa in sas):
                down += [(tunnel, one) for one in self._missing(tunnel, sas, now)]
        for tunnel, child in self._needed(down):
            self._initiate(tunnel.name, child.name)

    def _end_strangers(self, sas: Iterable[IkeSa]) -> None:
        """End the connections of users who may not be there, or who got no address.

        charon knows passwords and not for which tunnel they are; or somebody was shut out.
        """
        for sa in sas:
            dial_up = self._tunnels[sa.tunnel].dial_up if sa.tunnel in self._tunnels else None
            if dial_up is None or not sa.established or not sa.user:
                continue
            has_place = sa.assigned or not dial_up.pool
            if not has_place or sa.user not in {user.name for user in dial_up.users}:
                self._terminate({"ike-id": str(sa.id)})

    def _end_surplus(self, sas: Iterable[IkeSa]) -> None:
        """Carry out the fault that a new tunnel ends the oldest."""
        if self._most:
            there = sorted(sa.id for sa in sas if sa.established and not sa.assigned)
            for number in there[: -self._most]:
                self._terminate({"ike-id": str(number)})

    def _missing(self, tunnel: Tunnel, sas: list[IkeSa], now: float) -> list[Child]:
        """The phase 2s that have no keys and may be negotiated now."""
        return [
            child
            for child in tunnel.children
            if not _is_up(sas, child.name)
            and now >= self._not_before.get(child.name, 0)
            and (tunnel.returns or child.name not in self._been_up)
        ]

    def _needed(self, down: list[tuple[Tunnel, Child]]) -> list[tuple[Tunnel, Child]]:
        """Of what is down, what is to be up at all times or has packets waiting for it."""
        asked = {tunnel.name for tunnel, child in down if not child.auto_negotiate}
        sent = sent_packets(asked) if asked else {}
        waiting = {name for name in asked if sent.get(name, 0) > self._sent.get(name, 0)}
        self._sent = sent
        return [
            (tunnel, child)
            for tunnel, child in down
            if child.auto_negotiate or tunnel.name in waiting
        ]

    def _initiate(self, tunnel: str, child: str) -> None:
        assert self._session is not None
        self._not_before[child] = time.monotonic() + _AGAIN_S
        list(self._session.initiate({"ike": tunnel, "child": child, "timeout": "-1"}))

    def close(self) -> None:
        """End charon and the keeper."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            self._wake.set()
            keeper.join()
        self._session = None
        self._charon.stop()
        self._tunnels, self._wanted, self._told = {}, {}, {}
        self._remembered.clear()
        self._members.clear()
        self._been_up.clear()
        self._outages.close()
        self._accounts.reset(None)


def _is_up(sas: Iterable[IkeSa], child: str) -> bool:
    return any(key.up and key.child == child for sa in sas for key in sa.children)
