"""The SSL VPN's server without sockets: frames, PPP, HTTP, sessions, pages, joined packets."""

from __future__ import annotations

import struct
from dataclasses import replace
from ipaddress import IPv4Address
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.sslvpn.frames import IPV4_HEADS, Deframer, FrameError, frame
from lab.sslvpn.http import Answer, BadRequestError, Reader, Request
from lab.sslvpn.membership import Membership
from lab.sslvpn.plan import (
    Listener,
    Portal,
    Reach,
    Rule,
    ServerPlan,
    Sources,
    User,
    as_message,
    heard,
)
from lab.sslvpn.ppp import IPCP, LCP, Ppp
from lab.sslvpn.sessions import Session, Sessions
from lab.sslvpn.web import Peer, Web, routes

FIRST = int(IPv4Address("198.19.210.1"))
ALICE = User("alice", "secret", ("vpn", "staff"))
BOB = User("bob", "other", ())
PORTAL = Portal("p", pools=((FIRST, FIRST + 1),), split=("198.18.2.0/24",))
PLAN = ServerPlan(
    listeners=(Listener("port2", "198.18.1.1", 10443),),
    users=(ALICE, BOB),
    rules=(Rule(("vpn",), (), "p"),),
    portals={"p": PORTAL},
    attempts=2,
)
HERE = "198.18.1.10"


class Clock:
    """A clock that is put forward."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(clock: Clock) -> Sessions:
    made = Sessions(clock, clock)
    made.follow(PLAN)
    return made


def login(sessions: Sessions, name: str = "alice", password: str = "secret", source: str = HERE):
    return sessions.login(name, password, source, "port2")


# Plan


def test_a_plan_goes_over_a_pipe() -> None:
    plan = replace(
        PLAN,
        sources=Sources(("port2",), ((1, 2),), None),
        reaches=(Reach(("vpn",), (), None), Reach((), ("bob",), ("198.18.2.0/24",))),
        most_users=3,
    )
    assert heard(as_message(plan)) == plan


# Frames


@given(st.lists(st.binary(max_size=100)), st.data())
def test_frames_come_out_as_they_went_in(packets: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame, packets))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    deframer, found = Deframer(), []
    for begin, end in pairwise((0, *cuts, len(stream))):
        found += deframer.feed(stream[begin:end])
    assert found == [p.removeprefix(b"\xff\x03") for p in packets]
    assert deframer.is_empty


def test_heads_of_ipv4_packets() -> None:
    assert IPV4_HEADS[20] + b"x" * 20 == frame(b"\x00\x21" + b"x" * 20)


@pytest.mark.parametrize("stream", [b"GET / HTTP/1.1\r\n", b"\0\x09PP\0\x04abcd", bytes(8)])
def test_no_frame(stream: bytes) -> None:
    with pytest.raises(FrameError):
        Deframer().feed(stream)


# PPP


def control(protocol: int, code: int, number: int, body: bytes = b"") -> bytes:
    return struct.pack("!HBBH", protocol, code, number, len(body) + 4) + body


def ppp(*dns: str) -> Ppp:
    servers = [IPv4Address(server).packed for server in dns]
    return Ppp(FIRST.to_bytes(4), servers, IPv4Address("169.254.2.1").packed)


def option(kind: int, value: bytes) -> bytes:
    return bytes((kind, len(value) + 2)) + value


MAGIC, MRU = option(5, b"abcd"), option(1, (1433).to_bytes(2))
MY_ADDRESS = option(3, FIRST.to_bytes(4))


def code_of(packet: bytes) -> tuple[int, int, int]:
    protocol, code, number = struct.unpack_from("!HBB", packet)
    return protocol, code, number


def test_a_link_opens() -> None:
    link = ppp()
    (request,) = link.begin()
    assert code_of(request)[:2] == (LCP, 1)
    (ack,) = link.receive(control(LCP, 1, 7, MRU + MAGIC))
    assert ack == control(LCP, 2, 7, MRU + MAGIC) and link.mru == 1433
    (request,) = link.receive(b"\xc0\x21\x02" + request[3:])
    assert (code_of(request)[:2], request[6:]) == ((IPCP, 1), b"\x03\x06\xa9\xfe\x02\x01")
    assert not link.opened
    ack, again = link.receive(control(IPCP, 1, 8, MY_ADDRESS))
    assert ack == control(IPCP, 2, 8, MY_ADDRESS) and not link.opened
    assert link.receive(b"\x80\x21\x02" + again[3:]) == [] and link.opened
    assert link.repeat() == []


def test_what_is_asked_for_and_not_to_be_had() -> None:
    link = ppp("9.9.9.9")
    unwanted = option(2, bytes(4)) + option(7, b"") + option(8, b"")
    assert link.receive(control(LCP, 1, 1, unwanted + MAGIC)) == [control(LCP, 4, 1, unwanted)]
    jumping = option(2, b"\0\x2d\x0f\x01")
    assert link.receive(control(IPCP, 1, 2, jumping + MY_ADDRESS)) == [
        control(IPCP, 4, 2, jumping)]
    asked = option(3, bytes(4)) + option(129, bytes(4))
    given_ = MY_ADDRESS + option(129, b"\x09" * 4)
    assert link.receive(control(IPCP, 1, 3, asked)) == [control(IPCP, 3, 3, given_)]
    second = option(131, bytes(4))
    assert link.receive(control(IPCP, 1, 4, second)) == [control(IPCP, 4, 4, second)]
    assert link.receive(control(IPCP, 1, 5)) == [control(IPCP, 3, 5, MY_ADDRESS)]
    deflate = option(26, b"\x78\0")
    assert link.receive(control(0x80FD, 1, 6, deflate)) == [control(0x80FD, 4, 6, deflate)]
    tiny = option(1, (100).to_bytes(2))
    assert link.receive(control(LCP, 1, 7, tiny)) == [
        control(LCP, 3, 7, option(1, (576).to_bytes(2)))]


def test_ipv6_is_rejected_as_a_protocol() -> None:
    (answer,) = ppp().receive(control(0x8057, 1, 1, option(1, bytes(8))))
    assert code_of(answer)[:2] == (LCP, 8)
    assert answer[6:] == control(0x8057, 1, 1, option(1, bytes(8)))


def test_signs_of_life_and_the_end() -> None:
    link = ppp()
    (echo,) = link.receive(control(LCP, 9, 3, b"abcdxyz"))
    assert code_of(echo) == (LCP, 10, 3) and echo[10:] == b"xyz"
    assert code_of(link.echo()[0])[:2] == (LCP, 9)
    assert link.receive(control(LCP, 5, 9)) == [control(LCP, 6, 9)]
    assert link.closed and link.repeat() == []
    other = ppp()
    (end,) = other.terminate("Idle timeout")
    assert end.endswith(b"Idle timeout") and other.closed


def test_a_peer_that_wants_no_magic_number() -> None:
    link = ppp()
    (request,) = link.begin()
    (again,) = link.receive(control(LCP, 4, request[3], request[6:]))
    assert code_of(again)[:2] == (LCP, 1) and again[6:] == b""
    assert link.receive(control(LCP, 4, 9, MAGIC)) == []


@given(st.lists(st.binary(max_size=60), max_size=30))
def test_ppp_takes_anything(packets: list[bytes]) -> None:
    link = ppp("9.9.9.9")
    for packet in packets:
        for protocol in (b"", b"\xc0\x21", b"\x80\x21"):
            for answer in link.receive(protocol + packet):
                assert len(answer) >= 6


# HTTP


@given(st.data())
def test_requests_come_out_however_they_are_cut(data: st.DataObject) -> None:
    text = (b"GET /a?b=c HTTP/1.1\r\nCookie: x=1; SVPNCOOKIE=y==\r\n\r\n"
            b"POST /p HTTP/1.1\r\nContent-Length: 19\r\n\r\nusername=a&b=%C3%A4")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    reader, found = Reader(), []
    for begin, end in pairwise((0, *cuts, len(text))):
        reader.feed(text[begin:end])
        while (request := reader.request()) is not None:
            found.append(request)
    first, second = found
    assert (first.method, first.path, first.cookie("SVPNCOOKIE")) == ("GET", "/a", "y==")
    assert second.form == {"username": "a", "b": "ä"}
    assert first.cookie("other") == "" and first.keeps_open


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (b"GET /\r\n\r\n", 400),
        (b"GET relative HTTP/1.1\r\n\r\n", 400),
        (b"GET / SPDY/9\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
        (b"x" * 20_000, 431),
        (b"x" * 90_000, 413),
    ],
)
def test_no_request(text: bytes, status: int) -> None:
    reader = Reader()
    with pytest.raises(BadRequestError) as caught:
        reader.feed(text)
        reader.request()
    assert caught.value.status == status


def test_an_answer_as_the_clients_want_it() -> None:
    lines = Answer(200, "ret=1", headers=(("Set-Cookie", "SVPNCOOKIE=z"),)).encode().split(b"\r\n")
    assert lines[0] == b"HTTP/1.1 200 OK" and lines[1] == b"Set-Cookie: SVPNCOOKIE=z"
    assert b"Content-Length: 5" in lines and lines[-1] == b"ret=1"


# Sessions


def test_who_gets_in(sessions: Sessions) -> None:
    assert login(sessions).user is ALICE
    assert login(sessions, password="wrong") is None
    assert login(sessions).index == 2
    assert login(sessions, "nobody", "") is None
    assert login(sessions).user is ALICE
    assert login(sessions, "bob", "other") is None  # in no group of a rule


def test_too_many_failures_block_an_address_for_a_while(sessions: Sessions, clock: Clock) -> None:
    for _ in range(2):
        login(sessions, password="wrong")
    assert login(sessions) is None
    assert login(sessions, source="198.18.1.11") is not None
    clock.now += 60
    assert login(sessions) is not None


def test_any_number_of_failures(sessions: Sessions) -> None:
    sessions.follow(replace(PLAN, attempts=0))
    for _ in range(5):
        login(sessions, password="wrong")
    assert login(sessions) is not None


def test_a_name_in_any_case(sessions: Sessions) -> None:
    assert login(sessions, "Alice") is None
    sessions.follow(replace(PLAN, users=(replace(ALICE, any_case=True),)))
    assert login(sessions, "ALICE") is not None


def test_rules_are_for_places(sessions: Sessions) -> None:
    elsewhere = Rule(("vpn",), (), "p", Sources(("port1",)))
    sessions.follow(replace(PLAN, rules=(elsewhere,)))
    assert login(sessions) is None
    far = Rule(("vpn",), (), "p", Sources((), ((1, 2),)))
    sessions.follow(replace(PLAN, rules=(far, Rule((), ("alice",), "p"))))
    assert login(sessions) is not None


def test_a_cookie_holds_for_one_address(sessions: Sessions) -> None:
    session = login(sessions)
    assert sessions.of_cookie(session.cookie, HERE) is session
    assert sessions.of_cookie(session.cookie, "198.18.1.11") is None
    assert sessions.of_cookie("", HERE) is None
    sessions.follow(replace(PLAN, checks_source=False))
    assert sessions.of_cookie(session.cookie, "198.18.1.11") is session


def test_addresses_are_given_out_and_come_back(sessions: Sessions) -> None:
    one, two, three = (login(sessions) for _ in range(3))
    assert [sessions.assign(one), sessions.assign(two)] == [FIRST, FIRST + 1]
    assert sessions.assign(one) == FIRST
    assert sessions.assign(three) is None
    assert one.address == FIRST
    assert sessions.log_out(one)
    assert sessions.of_cookie(one.cookie, HERE) is None
    assert sessions.assign(three) == FIRST


def test_round_robin_gives_a_freed_address_last(sessions: Sessions) -> None:
    sessions.follow(replace(PLAN, round_robin=True))
    one = login(sessions)
    sessions.assign(one)
    sessions.end(one)
    assert [sessions.assign(login(sessions)) for _ in range(3)] == [FIRST + 1, FIRST, None]


def test_time_is_up(sessions: Sessions, clock: Clock) -> None:
    sessions.follow(replace(PLAN, idle_s=100, auth_s=250))
    session = login(sessions)
    clock.now += 99
    assert sessions.expired() == []
    session.active = clock.now
    clock.now += 99
    assert sessions.expired() == []
    clock.now += 1
    assert sessions.expired() == [(session, "Idle timeout")]
    session.active = clock.now
    clock.now += 51
    assert sessions.expired() == [(session, "Authentication timeout")]
    sessions.follow(replace(PLAN, idle_s=0, auth_s=0))
    assert sessions.expired() == []


def test_a_broken_connection(sessions: Sessions, clock: Clock) -> None:
    session = login(sessions)
    assert sessions.attach(session, "a connection") is None
    assert sessions.attach(session, "another") == "a connection"
    assert not sessions.detach(session, "a connection")
    assert sessions.detach(session, "another")
    assert sessions.of_cookie(session.cookie, HERE) is None
    sessions.follow(replace(PLAN, keep_s=30))
    session = login(sessions)
    sessions.attach(session, "a connection")
    assert not sessions.detach(session, "a connection")
    clock.now += 29
    assert sessions.of_cookie(session.cookie, HERE) is session
    clock.now += 1
    assert sessions.expired() == [(session, "Connection lost")]
    sessions.attach(session, "again")
    assert sessions.expired() == []


def test_a_plan_ends_only_the_sessions_that_it_concerns(sessions: Sessions) -> None:
    session = login(sessions)
    others = (*PLAN.users, User("carol", "x", ("vpn",)))
    assert sessions.follow(replace(PLAN, users=others, idle_s=5)) == []
    assert session.user.name == "alice"
    for users in ((BOB,), (replace(ALICE, groups=()), BOB), (replace(ALICE, password="new"),)):
        assert sessions.follow(replace(PLAN, users=users)) == [session]
    assert sessions.follow(replace(PLAN, rules=())) == [session]


def test_one_login_of_a_user(sessions: Sessions) -> None:
    ended: list[Session] = []
    sessions = Sessions(Clock(), Clock(), ended.append)
    sessions.follow(replace(PLAN, portals={"p": replace(PORTAL, one_login=True)}))
    first = login(sessions)
    assert login(sessions) is not None and ended == [first]


def test_faults_of_sessions(sessions: Sessions) -> None:
    sessions.follow(replace(PLAN, minds_groups=False))
    assert login(sessions, "bob", "other") is not None
    assert login(sessions, "bob", "wrong") is None
    sessions.follow(replace(PLAN, logs_out=False))
    session = login(sessions)
    sessions.attach(session, "a connection")
    assert not sessions.detach(session, "a connection") and not sessions.log_out(session)
    assert sessions.of_cookie(session.cookie, HERE) is session
    sessions.follow(replace(PLAN, most_users=1))
    assert [sessions.assign(login(sessions)) for _ in range(2)] == [FIRST, None]


# Pages


class Client:
    """Somebody who asks for pages."""

    def __init__(self, sessions: Sessions) -> None:
        self._web, self.cookie = Web(sessions), ""

    def get(self, path: str, method: str = "GET", body: bytes = b""):
        headers = {"cookie": f"SVPNCOOKIE={self.cookie}"}
        return self._web.answer(Request(method, path, headers, body), Peer(HERE, "port2"))

    def login(self, text: bytes = b"username=alice&credential=secret&realm=&ajax=1") -> Answer:
        answer = self.get("/remote/logincheck", "POST", text)
        for name, value in answer.headers:
            if name == "Set-Cookie":
                self.cookie = value.partition(";")[0].partition("=")[2]
        return answer


def test_the_way_of_a_client(sessions: Sessions) -> None:
    client = Client(sessions)
    assert client.get("/").headers == (("Location", "/remote/login?lang=en"),)
    assert client.get("/remote/login").status == 200
    for path in ("fortisslvpn_xml", "sslvpn-tunnel", "index", "fortisslvpn"):
        assert client.get(f"/remote/{path}").status == 403
    assert client.login().body == "ret=1,redir=/remote/fortisslvpn_xml"
    text = client.get("/remote/fortisslvpn_xml").body
    assert '<assigned-addr ipv4="198.19.210.1"/>' in text
    assert '<addr ip="198.18.2.0" mask="255.255.255.0"/>' in text
    assert all("/" not in part for part in text.split('"')[1::2])
    assert isinstance(client.get("/remote/sslvpn-tunnel"), Session)
    assert client.get("/remote/logout").status == 200
    assert client.get("/remote/sslvpn-tunnel").status == 403


def test_a_refused_login_has_no_cookie(sessions: Sessions) -> None:
    client = Client(sessions)
    answer = client.login(b"username=alice&credential=wrong")
    assert answer.status == 200 and answer.body.startswith("ret=0") and not client.cookie
    assert client.login(b"").body.startswith("ret=0")


def test_no_address_is_left(sessions: Sessions) -> None:
    sessions.follow(replace(PLAN, most_users=0))
    client = Client(sessions)
    client.login()
    assert client.get("/remote/fortisslvpn_xml").status == 403
    assert client.get("/remote/sslvpn-tunnel").status == 403


def test_other_pages_and_methods(sessions: Sessions) -> None:
    client = Client(sessions)
    assert client.get("/remote/other").status == 404
    assert client.get("/remote/logincheck").status == 405


def test_networks_through_the_tunnel(sessions: Sessions) -> None:
    session = login(sessions)
    assert routes(session, sessions) == ("198.18.2.0/24",)
    by_policy = {"p": replace(PORTAL, split=None, by_policy=True)}
    plan = replace(PLAN, portals=by_policy, reaches=(
        Reach(("vpn",), (), ("198.18.2.0/24",)),
        Reach((), ("alice",), ("198.18.2.0/24", "9.0.0.0/8")),
        Reach(("others",), (), None)))
    sessions.follow(plan)
    assert routes(session, sessions) == ["198.18.2.0/24", "9.0.0.0/8"]
    sessions.follow(replace(plan, reaches=(Reach(("vpn",), (), None),)))
    assert routes(session, sessions) is None
    sessions.follow(replace(PLAN, tells_split=False))
    assert routes(session, sessions) is None


# Sets of addresses


def test_sets_hold_the_addresses_of_members() -> None:
    said: list[str] = []
    membership = Membership(lambda text: said.append(text) or True, "inet t")
    membership.follow({"g": ("group", "vpn"), "a": ("user", "alice"), "b": ("user", "bob")})
    membership.put(FIRST, ALICE)
    membership.put(FIRST, ALICE)
    membership.put(FIRST, replace(ALICE, groups=()))
    membership.take(FIRST)
    membership.take(FIRST)
    elements = [text.splitlines() for text in said]
    assert elements[0] == ["flush set inet t g", "flush set inet t a", "flush set inet t b"]
    one = "inet t {} {{ 198.19.210.1 }}"
    assert sorted(elements[1]) == sorted(f"add element {one.format(s)}" for s in "ga")
    assert elements[2:] == [
        [f"delete element {one.format('g')}"], [f"delete element {one.format('a')}"]]
