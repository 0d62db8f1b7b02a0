"""Who is logged in, with which address, and for how long."""

from __future__ import annotations

import hmac
import itertools
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from lab.sslvpn.plan import Portal, Rule, ServerPlan, Sources, Span, User

_NOBODY = User("", secrets.token_urlsafe(16))
_FIRST_INDEX = 1


@dataclass(slots=True, eq=False)
class Session:
    """One user who is logged in.

    Attributes:
        index: number among the sessions.
        user: who.
        portal: what the user gets.
        cookie: what the client shows.
        source: the address that the client came from.
        since: when the user logged in, in s since the epoch.
        began: the same on the clock of the sessions.
        active: when the last packet of the user passed, or the user last asked for something.
        address: what the user was given; None before.
        tunnel: the connection that carries the user's packets; None without one.
        tunnel_index: its number.
        left: when the last tunnel broke; None while there is one, and before the first.
        in_bytes: of IP packets from the user.
        out_bytes: of IP packets to the user.
    """

    index: int
    user: User
    portal: Portal
    cookie: str
    source: str
    since: float
    began: float
    active: float
    address: int | None = None
    tunnel: Any = None
    tunnel_index: int = 0
    left: float | None = None
    in_bytes: int = 0
    out_bytes: int = 0


@dataclass(slots=True)
class _Failures:
    count: int = 0
    last: float = 0.0


@dataclass(slots=True)
class Most:
    """The highest numbers there have been at once."""

    users: int = 0
    tunnels: int = 0


class Sessions:
    """All sessions.

    Args:
        clock: s that only go forward.
        wall: s since the epoch.
        on_end: called when a session has ended.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        wall: Callable[[], float],
        on_end: Callable[[Session], None] = lambda session: None,
    ) -> None:
        self.plan = ServerPlan()
        self.most = Most()
        self._clock, self._wall, self._on_end = clock, wall, on_end
        self._by_cookie: dict[str, Session] = {}
        self._by_address: dict[int, Session] = {}
        self._users: dict[str, User] = {}
        self._failures: dict[str, _Failures] = {}
        self._freed: deque[int] = deque(maxlen=65_536)
        self._indexes = itertools.count(_FIRST_INDEX)

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._by_cookie.values()))

    def follow(self, plan: ServerPlan) -> list[Session]:
        """Go by a plan from now on; answers the sessions that it has no room for any more."""
        self.plan = plan
        self._users = {_key(user.name, user.any_case): user for user in plan.users}
        gone = []
        for session in self:
            user = self._users.get(_key(session.user.name, session.user.any_case))
            portal = None
            if user is not None and user.password == session.user.password:
                portal = self._portal(user, session.source, None)
            if user is None or portal is None:
                gone.append(session)
            else:
                session.user, session.portal = user, portal
        return gone

    def login(self, name: str, password: str, source: str, interface: str) -> Session | None:
        """Let a user in, or not.

        Args:
            name: as typed.
            password: likewise.
            source: the address that the client comes from.
            interface: where it arrives.
        """
        now = self._clock()
        if self._is_blocked(source, now):
            return None
        user = self._users.get(_key(name, False)) or self._users.get(_key(name, True)) or _NOBODY
        is_right = hmac.compare_digest(password.encode(), user.password.encode()) or (
            user is not _NOBODY and not self.plan.minds_passwords
        )
        portal = self._portal(user, source, interface) if is_right else None
        if portal is None:
            failures = self._failures.setdefault(source, _Failures())
            failures.count, failures.last = failures.count + 1, now
            return None
        self._failures.pop(source, None)
        if portal.one_login:
            for other in self:
                if other.user.name == user.name:
                    self.end(other)
        return self._new(user, portal, source, now)

    def _is_blocked(self, source: str, now: float) -> bool:
        """Whether too many logins from an address failed; what is long ago is forgotten."""
        failures, plan = self._failures.get(source), self.plan
        if failures is None or not plan.attempts:
            return False
        if now - failures.last >= plan.block_s:
            del self._failures[source]
            return False
        return failures.count >= plan.attempts

    def _portal(self, user: User, source: str, interface: str | None) -> Portal | None:
        rules: Iterable[Rule] = self.plan.rules
        if not self.plan.minds_groups:
            rules = (Rule((), (user.name,), rule.portal) for rule in rules)
        for rule in rules:
            chosen = user.name in rule.users or not set(rule.groups).isdisjoint(user.groups)
            if chosen and _covers(rule.sources, source, interface):
                portal = self.plan.portals.get(rule.portal)
                return portal if portal is not None and portal.tunnels else None
        return None

    def _new(self, user: User, portal: Portal, source: str, now: float) -> Session:
        session = Session(
            index=next(self._indexes),
            user=user,
            portal=portal,
            cookie=secrets.token_urlsafe(48),
            source=source,
            since=self._wall(),
            began=now,
            active=now,
        )
        self._by_cookie[session.cookie] = session
        self.most.users = max(self.most.users, len(self._by_cookie))
        return session

    def of_cookie(self, cookie: str, source: str) -> Session | None:
        """The session that a client shows the cookie of."""
        session = self._by_cookie.get(cookie)
        if session is None or (self.plan.checks_source and session.source != source):
            return None
        session.active = self._clock()
        return session

    def assign(self, session: Session) -> int | None:
        """Give a session its address; None where there is none left."""
        if session.address is None:
            address = self._free_address(session.portal)
            if address is None:
                return None
            session.address = address
            self._by_address[address] = session
        return session.address

    def _free_address(self, portal: Portal) -> int | None:
        most = self.plan.most_users
        if most is not None and len(self._by_address) >= most:
            return None
        waiting = set(self._freed) if self.plan.round_robin else frozenset()
        for low, high in portal.pools:
            for address in range(low, high + 1):
                if address not in self._by_address and address not in waiting:
                    return address
        for address in self._freed if waiting else ():
            if address not in self._by_address and _within(portal.pools, address):
                self._freed.remove(address)
                return address
        return None

    def attach(self, session: Session, tunnel: object) -> object | None:
        """Let a connection carry the session's packets; answers the one that did so before."""
        before, session.tunnel = session.tunnel, tunnel
        session.tunnel_index = next(self._indexes)
        session.left = None
        tunnels = sum(other.tunnel is not None for other in self._by_cookie.values())
        self.most.tunnels = max(self.most.tunnels, tunnels)
        return before

    def detach(self, session: Session, tunnel: object) -> bool:
        """A connection broke. Answers whether that ended the session."""
        if session.tunnel is not tunnel or not self.plan.logs_out:
            return False
        session.tunnel = None
        session.left = self._clock()
        if self.plan.keep_s or self._by_cookie.get(session.cookie) is not session:
            return False
        self.end(session)
        return True

    def log_out(self, session: Session) -> bool:
        """A user asked to leave. Answers whether that ended the session."""
        if self.plan.logs_out:
            self.end(session)
        return self.plan.logs_out

    def end(self, session: Session) -> None:
        """Forget a session; its address is free for others."""
        if self._by_cookie.pop(session.cookie, None) is None:
            return
        if session.address is not None:
            del self._by_address[session.address]
            self._freed.append(session.address)
        self._on_end(session)

    def expired(self) -> list[tuple[Session, str]]:
        """The sessions whose time is up, with the reason."""
        plan, now = self.plan, self._clock()
        found = []
        for session in self:
            if plan.auth_s and now - session.began >= plan.auth_s:
                found.append((session, "Authentication timeout"))
            elif plan.idle_s and now - session.active >= plan.idle_s:
                found.append((session, "Idle timeout"))
            elif session.left is not None and now - session.left >= plan.keep_s:
                found.append((session, "Connection lost"))
        for source in list(self._failures):
            self._is_blocked(source, now)
        return found


def _key(name: str, any_case: bool) -> str:
    return f"~{name.casefold()}" if any_case else name


def _within(spans: Iterable[Span], number: int) -> bool:
    return any(low <= number <= high for low, high in spans)


def _covers(sources: Sources, source: str, interface: str | None) -> bool:
    if sources.interfaces and interface is not None and interface not in sources.interfaces:
        return False
    address = ip_address(source)
    spans = sources.addresses if address.version == 4 else sources.addresses6
    return spans is None or _within(spans, int(address))
