"""Remote access: who gets in, what they reach and what stays closed, and how many at once."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.scenarios.remote_access import behind
from gatepass.scenarios.remote_access.configuration import (
    ALL_BEHIND,
    BEHIND,
    EVERYTHING,
    POOLS_WITHIN,
    SPLIT,
    Listed,
    VpnUser,
)
from gatepass.scenarios.remote_access.ssl_vpn import SslVpn, offered
from gatepass.scenarios.remote_access.ssl_vpn_client import Replay
from support import words
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import APPLY_S
from support.steps import Steps
from support.vpn_control import kept_out_by_the_gateway
from support.vpn_users import LAG_S, VpnUsers, listed_as, words_of

_EXPIRES_S = 8
"""How long a login lasts where its end is looked at."""
_EXPIRY_LAG_S = 12


_INTRUDERS: dict[words.Intruder, str] = {
    "a user with a wrong password": "wrong_password",
    "a disabled user": "disabled_user",
    "a user outside the group": "outside_group",
}


class Refusal(Steps):
    """What the gateway has to refuse.

    Attributes:
        what: somebody, or an ended session; a word of the phrases.
        replay: how a session was used again.
    """

    what: str
    replay: Replay


class RemoteAccess(KeywordLibrary):
    """Keywords that open remote access on the gateway and connect users from the client."""

    # -- what there is -----------------------------------------------------------------------

    @keyword("The gateway's version has SSL VPN")
    def the_version_has_ssl_vpn(self) -> None:
        """All else of remote access is shown over it then.

        Raises:
            NotApplicable: FortiOS 7.6.3 or later, or a model without it.
        """
        identity = self.run.identity
        if not offered(self.run.gateway, identity.version):
            raise NotApplicable(
                say("no_ssl_vpn", model=identity.model, version=str(identity.version))
            )

    @keyword()
    def remote_access_is_open(self, nat: words.Switch = "disable") -> None:
        """Users, groups, profiles and policies are on the gateway, the endpoints are prepared.

        Example: ``Remote Access Is Open``

        Args:
            nat: whether the server is to see the gateway's address: enable or disable.

        Raises:
            NotApplicable: the tier promises no VPN users.
            NotProven: an endpoint lacks what it takes.
        """
        if not self.run.order.promise.vpn_users:
            raise NotApplicable(say("no_vpn_users", tier=self.run.order.tier))
        access = self.run.remote_access
        access.prepare(nat == "enable")
        self.run.vpn_client.check()
        self._prepare_endpoints()
        self.check.conditions = access.way

    @keyword()
    def everybody_is_logged_out(self) -> None:
        """No user of the run is connected any more."""
        if self.run.has("vpn_client"):
            self.run.vpn_client.disconnect()

    # -- who comes in ------------------------------------------------------------------------

    @keyword("A user ${kind} a split tunnel connects")
    def a_user_connects(self, kind: words.SplitTunnel) -> None:
        """The first user of a profile gets an address.

        Example: ``A User With A Split Tunnel Connects``

        Args:
            kind: "with" (the profile leads to the server alone) or "without" (to everything).

        Raises:
            AssertionError: the gateway does not let the user in.
            NotProven: the client may be what keeps the user out.
        """
        profile = {"with": SPLIT, "without": EVERYTHING}[kind]
        self._must_connect([self.run.remote_access.user(profile)])

    @keyword()
    def a_user_of_each_of_five_profiles_connects(self) -> None:
        """Five users of five groups at the same time, as many profiles as a tier includes."""
        access = self.run.remote_access
        self._must_connect([access.user(profile.number) for profile in access.profiles])

    @keyword()
    def the_promised_number_of_users_connects_at_once(self) -> None:
        """As many users as the tier promises, each with a connection of their own."""
        self._connect(self.run.remote_access.promised)

    @keyword("The User Should Have An Address Of The Pool And The Profile's Routes")
    def the_user_should_have_address_and_routes(self) -> None:
        """The gateway gives what the user's profile says, no more and no less."""
        for one in self._users.connected:
            profile = one.user.profile
            self.check.evidence(
                say("pool_address"),
                f"Address {one.address}, routes {words_of(one.routes)}; the pool is "
                f"{profile.first}-{profile.last}, the profile leads to {words_of(profile.routes)}.",
                profile.holds(one.address) and set(one.routes) == set(profile.routes),
            )

    @keyword()
    def every_user_should_have_an_address_of_their_own(self) -> None:
        """All are connected, no address was given twice, and the gateway lists them all."""
        promised = len(self._users.connected)
        there = [one for one in self._users.connected if one.up]
        addresses = {one.address for one in there}
        missing = [one for one in self._users.connected if not one.up]
        why = ""
        if missing:
            first = missing[0]
            shown = kept_out_by_the_gateway(self.run, first.user, first.words)
            why = f" The first of the others: “{first.words}”. {shown}"
        slowest = max((one.seconds for one in there), default=0.0)
        self.check.evidence(
            say("users_connected"),
            f"{len(there)} of {promised} users were connected within {slowest:.1f} s, with "
            f"{len(addresses)} addresses.{why}",
            not missing and len(addresses) == len(there),
        )
        wanted = {(one.user.name, one.address) for one in there}
        kept: list[Listed] = []

        def look() -> bool:
            kept[:] = self.run.remote_access.listed()
            return wanted <= {(row.name, row.address) for row in kept}

        good = until(look, LAG_S)
        found = wanted & {(row.name, row.address) for row in kept}
        self.check.evidence(
            say("users_listed"),
            f"It lists {len(found)} of {len(wanted)}.",
            good,
        )

    @keyword()
    def the_gateway_should_list_the_user(self) -> None:
        """Its monitor shows the user with that address and at least the bytes received."""
        (one,) = self._users.connected
        needed = self._users.exchanged.content_bytes
        kept: list[Listed] = []

        def look() -> bool:
            kept[:] = listed_as(self.run, one.user)
            return any(row.address == one.address and row.bytes >= needed for row in kept)

        good = until(look, LAG_S)
        rows = " and ".join(f"{row.address} and {row.bytes:,} bytes" for row in kept)
        self.check.evidence(
            say("user_listed"),
            f"It lists {one.user.name} with {rows or 'nothing'}; the user has {one.address} and "
            f"got {needed:,} bytes of content.",
            good,
        )

    # -- who has no right --------------------------------------------------------------------

    @keyword("${who} tries to connect")
    def tries_to_connect(self, who: words.Intruder) -> None:
        """Somebody who has no right to come in asks for a tunnel.

        Example: ``A User With A Wrong Password Tries To Connect``

        Args:
            who: "a user with a wrong password", "a disabled user" or "a user outside the group".
        """
        access = self.run.remote_access
        asking: dict[words.Intruder, VpnUser] = {
            "a user with a wrong password": replace(
                access.user(SPLIT), password=secrets.token_urlsafe(15)
            ),
            "a disabled user": access.disabled,
            "a user outside the group": access.outsider,
        }
        self._refusal.what = _INTRUDERS[who]
        self._users.connected = self.run.vpn_client.connect([asking[who]])

    @keyword()
    def nobody_should_be_connected(self) -> None:
        """The gateway gave no address, and lists nobody of that name."""
        (one,) = self._users.connected
        listed = listed_as(self.run, one.user)
        got = f"The user got the address {one.address}."
        observed = got if one.up else self._refused(one.words)
        if listed:
            observed += f" The gateway lists the user with {listed[0].address or 'no address'}."
        claim = say("refused_user", what=say(self._refusal.what))
        self.check.evidence(claim, observed, not (one.up or listed))

    @keyword("A session is used again after ${how}")
    def a_session_is_used_again(self, how: words.SessionEnd) -> None:
        """What the gateway gave at the login is shown to it again when it should be worth nothing.

        Example: ``A Session Is Used Again After Logout``

        Args:
            how: "logout", or "expiry", for which a login lasts 8 s.

        Raises:
            NotApplicable: the way of access has no such thing.
        """
        access, user = self.run.remote_access, self.run.remote_access.user(SPLIT)
        if not isinstance(access, SslVpn):
            raise NotApplicable(say("nothing_outlives", way=access.way))
        self._refusal.what = how
        if how == "expiry":
            access.sessions_last(_EXPIRES_S)
        try:
            patience_s = _EXPIRES_S + _EXPIRY_LAG_S
            self._refusal.replay = self.run.vpn_client.replay(user, how, patience_s)
        finally:
            access.sessions_last_as_before()

    @keyword()
    def the_session_should_be_refused(self) -> None:
        """It was good at first, and is refused the second time."""
        used = self._refusal.replay
        if not used.first:
            shown = kept_out_by_the_gateway(
                self.run, self.run.remote_access.user(SPLIT), used.words
            )
            raise AssertionError(
                "A user of the group does not get in with a session at all: "
                f"“{used.words}”. {shown}"
            )
        if self._refusal.what == "expiry":
            became = "ended" if used.by_gateway else "was still up"
            self.check.evidence(
                say("session_ends"),
                f"A login lasts {_EXPIRES_S} s; the tunnel {became} after {used.seconds:g} s.",
                used.by_gateway,
            )
        self.check.evidence(
            say("session_worthless", what=say(self._refusal.what)),
            f"When the session was used again, it got the address {used.second}."
            if used.second
            else f"When the session was used again: {self._refused(used.words)}",
            not used.second,
        )

    # -- who leaves --------------------------------------------------------------------------

    @keyword()
    def the_user_logs_out(self) -> None:
        """The user ends the connection as users do."""
        self.run.vpn_client.disconnect()

    @keyword("Address And Routes Should Be Gone From The Client")
    def address_and_routes_should_be_gone(self) -> None:
        """Nothing of the tunnel is left on the client.

        Raises:
            NotProven: something is, which is the rig's fault.
        """
        if left := self.run.vpn_client.left():
            raise NotProven(f"after the logout this is left on the client: {left[0]}.")
        self.check.evidence(
            say("logout_clean"), "The client has neither address nor routes any more.", True
        )

    @keyword()
    def the_gateway_should_list_the_user_no_more(self) -> None:
        """Its monitor forgets the user within a moment."""
        (one,) = self._users.connected
        gone = until(lambda: not listed_as(self.run, one.user), LAG_S)
        self.check.evidence(
            say("listed_no_more"),
            f"{one.user.name} is {'gone from' if gone else f'still, after {LAG_S} s, in'} its "
            "list.",
            gone,
        )

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _users(self) -> VpnUsers:
        return self.check.left(VpnUsers)

    @property
    def _refusal(self) -> Refusal:
        return self.check.left(Refusal)

    def _prepare_endpoints(self) -> None:
        """Networks behind the server, and the ways there and back; once a run."""
        if self.run.has("wire_watch"):
            return
        ports = self.run.testbed.gateway
        near, far = map(self.run.gateway.port_address, (ports.client_port, ports.server_port))
        behind.stand_in(self.run.server, BEHIND, POOLS_WITHIN, far)
        behind.lead(self.run.client, ALL_BEHIND, near)
        self.run.wire_watch.begin()

    def _connect(self, users: Sequence[VpnUser]) -> None:
        """Connect them; again while the last change may not be in force yet."""
        self._users.wire_before = self.run.wire_watch.look(anew=True)

        def look() -> bool:
            self._users.connected = self.run.vpn_client.connect(users)
            return all(one.up for one in self._users.connected)

        until(look, self.run.rules.in_force_within(APPLY_S))

    def _must_connect(self, users: Sequence[VpnUser]) -> None:
        self._connect(users)
        for one in self._users.connected:
            sentence = f"{one.user.name} got {one.address}."
            if not one.up:
                shown = kept_out_by_the_gateway(self.run, one.user, one.words)
                sentence = f"{one.user.name} did not: “{one.words}”. {shown}"
            self.check.evidence(say("group_in"), sentence, one.up)

    def _refused(self, words: str) -> str:
        return f"Refused; {self.run.vpn_client.program} says “{words}”."
