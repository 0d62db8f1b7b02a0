"""The pages that clients ask for: login, configuration, tunnel, logout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_network
from xml.sax.saxutils import quoteattr

from lab.sslvpn.http import Answer, Request
from lab.sslvpn.sessions import Session, Sessions

COOKIE = "SVPNCOOKIE"
_FORBIDDEN = Answer(403)
_LOGIN = "/remote/login?lang=en"
_REFUSED = "ret=0,redir=/remote/login?&err=sslvpn_login_permission_denied&lang=en"
_ACCEPTED = "ret=1,redir=/remote/fortisslvpn_xml"
_PAGE = "<html><head><title>{}</title></head><body></body></html>\n"


@dataclass(frozen=True, slots=True)
class Peer:
    """Who asks.

    Attributes:
        source: the client's address.
        interface: where it arrives.
    """

    source: str
    interface: str


class Web:
    """Answers requests.

    Args:
        sessions: who is logged in.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._pages: dict[tuple[str, str], Callable[[Request, Peer], Answer | Session]] = {
            ("GET", "/"): self._front,
            ("GET", "/remote/login"): self._login_page,
            ("POST", "/remote/logincheck"): self._log_in,
            ("GET", "/remote/index"): self._logged_in_page,
            ("GET", "/remote/fortisslvpn"): self._logged_in_page,
            ("GET", "/remote/fortisslvpn_xml"): self._configuration,
            ("GET", "/remote/sslvpn-tunnel"): self._tunnel,
            ("GET", "/remote/logout"): self._log_out,
        }

    def answer(self, request: Request, peer: Peer) -> Answer | Session:
        """Serve a request; a session for an answer means that its tunnel begins now."""
        page = self._pages.get((request.method, request.path))
        if page is not None:
            return page(request, peer)
        known = any(path == request.path for _, path in self._pages)
        return Answer(405 if known else 404)

    def _session(self, request: Request, peer: Peer) -> Session | None:
        return self._sessions.of_cookie(request.cookie(COOKIE), peer.source)

    def _front(self, request: Request, peer: Peer) -> Answer:
        return Answer(302, headers=(("Location", _LOGIN),))

    def _login_page(self, request: Request, peer: Peer) -> Answer:
        return Answer(body=_PAGE.format("Please Login"))

    def _log_in(self, request: Request, peer: Peer) -> Answer:
        form = request.form
        session = self._sessions.login(
            form.get("username", ""), form.get("credential", ""), peer.source, peer.interface
        )
        if session is None:
            return Answer(body=_REFUSED, kind="text/plain")
        cookie = f"{COOKIE}={session.cookie}; path=/; secure; httponly"
        return Answer(body=_ACCEPTED, kind="text/plain", headers=(("Set-Cookie", cookie),))

    def _logged_in_page(self, request: Request, peer: Peer) -> Answer:
        if self._session(request, peer) is None:
            return _FORBIDDEN
        return Answer(body=_PAGE.format("SSL VPN"))

    def _configuration(self, request: Request, peer: Peer) -> Answer:
        session = self._with_address(request, peer)
        if session is None:
            return _FORBIDDEN
        plan = self._sessions.plan
        text = configuration(
            session, routes(session, self._sessions), plan.idle_s, plan.keep_s, plan.checks_source
        )
        return Answer(body=text, kind="text/xml")

    def _tunnel(self, request: Request, peer: Peer) -> Answer | Session:
        return self._with_address(request, peer) or _FORBIDDEN

    def _with_address(self, request: Request, peer: Peer) -> Session | None:
        """The session with its address; one for which there is none left ends."""
        session = self._session(request, peer)
        if session is not None and self._sessions.assign(session) is None:
            self._sessions.end(session)
            return None
        return session

    def _log_out(self, request: Request, peer: Peer) -> Answer:
        session = self._session(request, peer)
        if session is not None:
            self._sessions.log_out(session)
        gone = f"{COOKIE}=; path=/; expires=Sun, 11 Mar 1984 12:00:00 GMT; secure; httponly"
        return Answer(body=_PAGE.format("Logged out"), headers=(("Set-Cookie", gone),))


def routes(session: Session, sessions: Sessions) -> Sequence[str] | None:
    """The networks that a user is told of; None for no word of them, which means everything."""
    plan, portal = sessions.plan, session.portal
    if not plan.tells_split:
        return None
    if not portal.by_policy:
        return portal.split
    found: dict[str, None] = {}
    for reach in plan.reaches:
        named = session.user.name in reach.users
        if named or not set(reach.groups).isdisjoint(session.user.groups):
            if reach.networks is None:
                return None
            found |= dict.fromkeys(reach.networks)
    return list(found)


def configuration(
    session: Session,
    networks: Sequence[str] | None,
    idle_s: int,
    keep_s: int,
    checks_source: bool,
) -> str:
    """What a client is told of its tunnel.

    Args:
        session: with its address.
        networks: as `routes` answers.
        idle_s: without a packet the session ends.
        keep_s: for how long a broken tunnel can be taken up again; 0 for not at all.
        checks_source: whether that has to be from the same address.
    """
    assert session.address is not None
    portal = session.portal
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<sslvpn-tunnel ver="2" dtls="0">',
        '<dtls-config heartbeat-interval="3" heartbeat-fail-count="3" '
        'heartbeat-idle-timeout="3" client-hello-timeout="10"/>',
        '<tunnel-method value="ppp"/>',
        f'<auth-ses check-src-ip="{int(checks_source)}" '
        f'tun-connect-without-reauth="{int(keep_s > 0)}" tun-user-ses-timeout="{keep_s or 30}"/>',
        f'<idle-timeout val="{idle_s}"/>',
        "<ipv4>",
        f'<assigned-addr ipv4="{IPv4Address(session.address)}"/>',
        *(f'<dns ip="{server}"/>' for server in portal.dns),
        *([f"<dns domain={quoteattr(portal.dns_suffix)}/>"] if portal.dns_suffix else []),
    ]
    if networks is not None:
        lines.append('<split-tunnel-info negate="1">' if portal.excluded else "<split-tunnel-info>")
        for network in map(ip_network, networks):
            lines.append(f'<addr ip="{network.network_address}" mask="{network.netmask}"/>')
        lines.append("</split-tunnel-info>")
    return "\n".join([*lines, "</ipv4>", "</sslvpn-tunnel>"]) + "\n"
