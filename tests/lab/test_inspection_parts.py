"""The inspector's own parts: parsing and matching, without a network."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inspection_rig import antivirus, inspected, with_profiles

from fuzz.limits import within
from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.inspection import Inspected
from lab.gateway.dataplane.intent.signatures import EICAR_RULE
from lab.inspector import ftp, http, tls
from lab.inspector.certificate import covers
from lab.inspector.filetypes import file_type
from lab.inspector.marks import slots
from lab.inspector.signatures import Rule, Search
from lab.inspector.urlfilter import UrlEntry, first_match


def test_names_that_a_certificate_covers() -> None:
    names = ("www.lab", "*.shop.lab")
    assert covers(names, "www.lab") and covers(names, "one.shop.lab")
    assert not any(covers(names, asked) for asked in ("shop.lab", "a.b.shop.lab", "lab", ""))


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: +5",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Content-Length : 5",
        "A: b\r\n folded",
        "A: b\nContent-Length: 5",
        "Host: a\r\nHost: b",
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(fields):
    with pytest.raises(http.Unreadable):
        http.request(f"POST / HTTP/1.1\r\n{fields}\r\n\r\n".encode()).body()


@pytest.mark.parametrize(
    ("method", "head", "body"),
    [
        ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 7", (http.LENGTH, 7)),
        ("GET", "HTTP/1.1 200\r\nTransfer-Encoding: Chunked", (http.CHUNKED, 0)),
        ("GET", "HTTP/1.0 200 OK\r\nA: b", (http.UNTIL_CLOSE, 0)),
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7", (http.NONE, 0)),
        ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7", (http.NONE, 0)),
    ],
)
def test_where_a_response_ends(method, head, body):
    assert http.response(f"{head}\r\n\r\n".encode()).body(method) == body


@pytest.mark.parametrize("step", [1, 2, 3, 7, 100])
def test_the_content_of_a_chunked_body_in_any_pieces(step):
    wire = b"5;x=y\r\nhello\r\nb\r\n wonderful \r\n5\r\nworld\r\n0\r\nTrailer: 1\r\n\r\nHTTP/1.1"
    chunks, found, at = http.Chunks(), b"", 0
    while not chunks.over:
        piece = wire[at : at + step]
        found += b"".join(piece[low:high] for low, high in chunks.feed(piece))
        at += chunks.used
    assert found == b"hello wonderful world"
    assert wire[at:] == b"HTTP/1.1"


@pytest.mark.parametrize("wire", [b"5\nhello\n0\n\n", b"x\r\n", b"5\r\nhelloXX\r\n", b"-1\r\n"])
def test_what_is_no_chunked_body_is_refused(wire):
    with pytest.raises(http.Unreadable):
        list(http.Chunks().feed(wire))


def test_url_entries():
    block = [UrlEntry.of("https://Blocked.lab/Area", "simple", "block")]
    assert first_match(block, "blocked.lab", "/Area/page?x=1")
    assert first_match(block, "blocked.lab", "/Area?x")
    assert not first_match(block, "blocked.lab", "/Areas")
    assert not first_match(block, "sub.blocked.lab", "/Area")
    wild = UrlEntry.of("*.lab/a?c", "wildcard", "block")
    assert wild.matches("x.lab", "/abc")
    assert not wild.matches("x.lab", "/abcd")
    order = [UrlEntry.of("a.lab", "simple", "exempt"), UrlEntry.of(".*", "regex", "block")]
    assert first_match(order, "a.lab", "/").action == "exempt"
    assert first_match(order, "b.lab", "/").action == "block"


@pytest.mark.parametrize(
    ("kind", "url"),
    [("regex", "(a+)+$"), ("regex", "(a|aa)+$"), ("regex", ".*" * 100 + "b$"),
     ("wildcard", "*a" * 200 + "b"), ("wildcard", "*" * 511)],
)
def test_no_entry_keeps_the_inspector_busy(kind, url):
    with within(20):
        entry = UrlEntry.of(url, kind, "block")
        entry.matches("a" * 44 + "x", "/" + "a" * 8000 + "x")


@pytest.mark.parametrize("url", ["a(?=b)", "(?<!a)b", r"(a)\1", "(?>a)", "a*+", "a{1001}", "a("])
def test_what_cannot_be_matched_in_linear_time_is_no_expression(url):
    with pytest.raises(ValueError, match=r"invalid|bad|missing"):
        UrlEntry.of(url, "regex", "block")


def test_no_line_feed_leads_past_a_wildcard():
    assert UrlEntry.of("bad.lab/*", "wildcard", "block").matches("bad.lab", "/x\ny")


def test_a_pattern_across_pieces_is_found_once():
    rule = Rule(1, "n", "block", True, 0, None, None, "body", b"needle", True)
    for cut in range(1, 8):
        search, text = Search([rule]), b"xNeEdLex needle"
        assert list(search.feed(text[:cut])) + list(search.feed(text[cut:])) == [rule]


def test_ftp_addresses():
    assert ftp.passive(b"227 Entering Passive Mode (198,18,2,10,4,1).\r\n") == ("198.18.2.10", 1025)
    assert ftp.passive(b"227 (300,1,1,1,1,1)\r\n") is None
    assert ftp.extended_passive(b"229 Entering (|||6446|)\r\n") == 6446
    assert ftp.active("PORT", "198,18,1,10,4,1") == ("198.18.1.10", 1025)
    assert ftp.active("EPRT", "|2|2001:2:0:1::10|5282|") == ("2001:2:0:1::10", 5282)
    assert ftp.active("EPRT", "|1|x|5282|") is None
    assert ftp.as_command("PORT", ("198.18.2.1", 1025)) == b"PORT 198,18,2,1,4,1\r\n"


def test_a_server_name_needs_the_whole_hello():
    import ssl

    context = ssl.create_default_context()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="Blocked.lab")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    hello = outgoing.read()
    assert tls.server_name(hello) == "blocked.lab"
    assert all(tls.server_name(hello[:size]) is None for size in range(0, len(hello), 37))
    with pytest.raises(tls.NoHello):
        tls.server_name(b"GET / HTTP/1.1\r\n")


def test_types_of_files():
    assert file_type(b"MZ\x90", "a.txt") == "exe"
    assert file_type(b"\r\n@ECHO OFF\r\n", "a") == "bat"
    assert file_type(b"text", "a.txt") == "unknown"


def test_policies_keep_their_slots():
    many = slots([5, 70_000, 4_000_000_000])
    assert many[5] == 5
    assert len(set(many.values())) == 3
    assert slots([70_000])[70_000] == many[70_000]
    assert all(0 < slot < 65_536 for slot in many.values())


def test_a_policy_is_inspected_only_with_status_and_profile():
    tables = {"antivirus/profile": [antivirus()]}
    for attributes, expected in (
        ({"av_profile": "av"}, {1}),
        ({"av_profile": "av", "utm_status": "disable"}, set()),
        ({"av_profile": "missing"}, set()),
        ({"av_profile": "av", "action": "deny"}, set()),
        ({}, set()),
    ):
        intent = compile_config(with_profiles(inspected(**attributes), tables=tables))
        assert set(intent.inspecting) == expected


def test_without_a_licence_ones_own_lists_and_signatures_still_work():
    mine = {"id": 9, "name": "own", "action": "block"}
    known = {"id": EICAR_RULE, "name": "Eicar.Virus.Test.File", "action": "block"}
    every = {
        "antivirus": {"profile": "av", "services": {"HTTP": "block"}},
        "webfilter": {"profile": "wf", "entries": []},
        "applications": {"profile": "app", "rules": [mine]},
        "sensor": {"profile": "ips", "rules": [known, mine]},
    }
    intent = replace(compile_config({}), inspected={1: Inspected({80: "HTTP"}, every)})

    def left(function: str) -> dict:
        told = with_faults(intent, {"license-missing": {"function": function}})
        return told.inspected[1].profiles

    own = every["sensor"] | {"rules": [mine]}
    assert left("web_filtering") == left("appctrl") == every
    assert left("antivirus") == {key: every[key] for key in every if key != "antivirus"}
    assert left("ips") == every | {"sensor": own}
    assert left("all") == {key: every[key] for key in every if key != "antivirus"} | {"sensor": own}
    bought = {"antivirus": every["antivirus"], "sensor": every["sensor"] | {"rules": [known]}}
    only = replace(intent, inspected={1: Inspected({80: "HTTP"}, bought)})
    assert not with_faults(only, {"license-missing": {"function": "all"}}).inspecting
