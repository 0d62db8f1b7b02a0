"""Web filter, signatures, applications, file filter and geography with real traffic."""

from __future__ import annotations

import os

import pytest
from dataplane_config import policy, refs
from dataplane_rig import CLIENT
from inspection_rig import EICAR, InspectionRig, inspected, with_profiles

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

NEIGHBOUR = "neighbour-of-blocked.lab"


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    rig = InspectionRig(tmp_path_factory.mktemp("filters"))
    try:
        rig.put("index.html", b"<p>hello</p>")
        (rig.docroot / "secret").mkdir()
        rig.put("secret/page.html", b"<p>secret</p>")
        rig.put("program.exe", b"MZ" + os.urandom(2_000))
        rig.put("batch", b"@echo off\r\ndir\r\n")
        rig.put("doc.pdf", b"%PDF-1.7\n" + os.urandom(2_000))
        rig.put("attack.html", b"x" * 100_000 + b"EvilToken" + b"y" * 100_000)
        rig.put("eicar.com", EICAR)
        yield rig
    finally:
        rig.close()


def url_filter(*entries: tuple[str, str, str], **attributes: object) -> dict:
    rows = [
        {"id": number, "url": url, "type": kind, "action": action, "status": "enable"}
        for number, (url, kind, action) in enumerate(entries, 1)
    ]
    return with_profiles(
        inspected(webfilter_profile="web", **attributes),
        tables={
            "webfilter/profile": [
                {"name": "web", "log-all-url": "disable", "web": {"urlfilter-table": 7}}
            ],
            "webfilter/urlfilter": [{"id": 7, "name": "list", "entries": rows}],
        },
    )


def reached(got) -> bool:
    return got.exit == 0 and got.status == 200


@pytest.mark.parametrize(
    ("url", "kind"),
    [("blocked.lab", "simple"), ("block*.lab", "wildcard"), (r"^blocked\.lab", "regex")],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_host_is_blocked_and_its_neighbours_are_not(rig, url, kind, scheme):
    rig.apply(url_filter((url, kind, "block")))
    before = len(rig.events())
    got = rig.get("index.html", host="blocked.lab", scheme=scheme)
    if scheme == "http":
        assert got.status == 403
        assert b"Web Page Blocked" in got.body
    else:
        assert got.exit == 35  # the TLS handshake was broken off
    assert reached(rig.get("index.html", host="allowed.lab", scheme=scheme))
    assert reached(rig.get("index.html", host=NEIGHBOUR, scheme=scheme))
    (event,) = rig.events()[before:]
    assert (event["type"], event["action"]) == ("webfilter", "blocked")
    assert event["hostname"] == "blocked.lab"
    assert event["service"] == scheme.upper()


def test_a_path_is_blocked_however_it_is_written(rig):
    rig.apply(url_filter(("allowed.lab/secret", "simple", "block")))
    assert rig.get("secret/page.html", host="allowed.lab").status == 403
    assert rig.get("%73ecret/page.html", host="allowed.lab").status == 403
    assert reached(rig.get("index.html", host="allowed.lab"))


def test_https_is_left_alone_without_inspection_of_certificates(rig):
    rig.apply(url_filter(("blocked.lab", "simple", "block"), ssl_ssh_profile="no-inspection"))
    assert reached(rig.get("index.html", host="blocked.lab", scheme="https"))
    assert rig.get("index.html", host="blocked.lab").status == 403


@pytest.mark.parametrize(
    ("check", "blocked", "others"),
    [("disable", False, True), ("enable", True, True), ("strict", False, False)],
)
def test_a_certificate_of_another_name(rig, check, blocked, others):
    """The server's certificate holds none of the names: FortiOS goes by it, or lets nothing pass.

    Args:
        check: `sni-server-cert-check` of the profile.
        blocked, others: whether the blocked site, and another one, are reached.
    """
    https = {"status": "certificate-inspection", "ports": "443", "sni-server-cert-check": check}
    wanted = url_filter(("blocked.lab", "simple", "block"), ssl_ssh_profile="tls")
    wanted["firewall/ssl-ssh-profile"] = [{"name": "tls", "https": https}]
    rig.apply(wanted)
    assert reached(rig.get("index.html", host="blocked.lab", scheme="https")) == blocked
    assert reached(rig.get("index.html", host="allowed.lab", scheme="https")) == others


def test_monitoring_logs_and_lets_pass(rig):
    rig.apply(url_filter(("blocked.lab", "simple", "monitor")))
    before = len(rig.events())
    assert reached(rig.get("index.html", host="blocked.lab"))
    assert [event["action"] for event in rig.events()[before:]] == ["passthrough"]


def test_log_traffic_disabled_logs_nothing(rig):
    rig.apply(url_filter(("blocked.lab", "simple", "block"), logtraffic="disable"))
    before = len(rig.events())
    assert rig.get("index.html", host="blocked.lab").status == 403
    assert len(rig.events()) == before


def sensor_config(*signatures: dict, **entry: object) -> dict:
    return with_profiles(
        inspected(ips_sensor="ips"),
        tables={
            "ips/custom": list(signatures),
            "ips/sensor": [{"name": "ips", "entries": [{"id": 1, "action": "block"} | entry]}],
        },
    )


def signature(number: int, context: str, pattern: str, more: str = "") -> dict:
    text = (
        f'F-SBID( --name "Lab.{number}"; --protocol tcp; --service HTTP; '
        f'--pattern "{pattern}"; --context {context}; {more})'
    )
    return {"tag": f"s{number}", "rule-id": number, "signature": text, "severity": ["high"]}


@pytest.mark.parametrize(
    ("context", "pattern", "options", "name"),
    [
        ("uri", "/../../etc", ["--path-as-is"], "../../etc/passwd"),
        ("header", "X-Attack", ["-H", "X-Attack: 1"], "index.html"),
        ("host", "blocked", [], "index.html"),
        ("body", "EvilToken", [], "attack.html"),
    ],
)
def test_a_custom_signature_stops_the_attack_and_nothing_else(rig, context, pattern, options, name):
    rule = {**signature(2001, context, pattern), "severity": "high"}
    rig.apply(sensor_config(rule, rule=[{"id": 2001}]))
    before = len(rig.events())
    assert reached(rig.get("index.html", host="allowed.lab"))
    got = rig.get(name, *options, host="blocked.lab")
    assert got.exit in (52, 56, 18)
    (event,) = rig.events()[before:]
    assert (event["type"], event["action"]) == ("ips", "dropped")
    assert (event["attack"], event["attackid"]) == ("Lab.2001", 2001)


def test_a_pattern_in_any_case_in_an_upload(rig):
    rule = {
        **signature(2002, "body", "eViLtOkEn", "--no_case; --flow from_client;"),
        "severity": "high",
    }
    rig.apply(sensor_config(rule, severity="high"))
    assert rig.curl("http://allowed.lab/index.html", "-d", "an EVILTOKEN").exit in (52, 56)
    assert reached(rig.get("attack.html"))  # from the server


def test_the_known_attack_needs_no_antivirus(rig):
    rig.apply(sensor_config(rule=[{"id": 29844}], action="reset"))
    before = len(rig.events())
    assert rig.get("eicar.com").exit in (52, 56)
    assert rig.ftp("eicar.com").exit != 0
    assert [event["action"] for event in rig.events()[before:]] == ["reset", "reset"]


def test_applications_are_told_apart(rig):
    custom = {
        "tag": "app",
        "id": 268435456,
        "category": 25,
        "signature": 'F-SBID( --name "Lab.App"; --service HTTP; --flow from_client; '
        '--pattern "LabApp"; --context header; )',
    }
    blocked = {"id": 1, "application": [{"id": 268435456}], "action": "block"}
    apps = {"name": "apps", "entries": [blocked], "unknown-application-action": "pass"}
    tables = {"application/custom": [custom], "application/list": [apps]}
    rig.apply(with_profiles(inspected(application_list="apps"), tables=tables))
    before = len(rig.events())
    assert reached(rig.get("index.html"))
    assert rig.get("index.html", "-A", "LabApp/1.0").status == 403
    (event,) = rig.events()[before:]
    assert (event["type"], event["app"], event["appid"]) == ("app-ctrl", "Lab.App", 268435456)
    assert rig.tcp(port=8080) == CLIENT  # a protocol that nobody knows
    apps["entries"] = [{"id": 1, "category": [{"id": 25}], "action": "block"}]
    rig.apply(with_profiles(inspected(application_list="apps"), tables=tables))
    assert rig.get("index.html").status == 403


@pytest.mark.parametrize(
    ("kind", "name"), [("exe", "program.exe"), ("bat", "batch"), ("pdf", "doc.pdf")]
)
@pytest.mark.parametrize("scheme", ["http", "ftp"])
def test_files_are_told_by_their_content(rig, kind, name, scheme):
    rule = {
        "name": "r",
        "protocol": "http ftp",
        "action": "block",
        "direction": "incoming",
        "file-type": [{"name": kind}],
    }
    rig.apply(
        with_profiles(
            inspected(file_filter_profile="files"),
            tables={"file-filter/profile": [{"name": "files", "log": "enable", "rules": [rule]}]},
        )
    )
    before = len(rig.events())
    for other in {"program.exe", "batch", "doc.pdf"} - {name}:
        assert rig.get(other, scheme=scheme).exit == 0
    got = rig.get(name, scheme=scheme)
    assert got.status == 403 if scheme == "http" else got.exit != 0
    (event,) = rig.events()[before:]
    assert (event["type"], event["filetype"]) == ("file-filter", kind)


def test_a_policy_for_a_country(rig):
    countries = [
        {"name": "finland", "type": "geography", "country": "FI"},
        {"name": "norway", "type": "geography", "country": "NO"},
    ]
    deny = policy(1, action="deny", srcaddr=refs("norway"))
    permit = policy(2, srcaddr=refs("finland"))
    rig.apply(with_profiles(deny, permit, address=countries))
    assert rig.tcp() == CLIENT
    deny["srcaddr"] = refs("finland")
    rig.apply(with_profiles(deny, permit, address=countries))
    assert rig.tcp() is None


def test_an_override_moves_addresses_to_another_country(rig):
    countries = [
        {"name": "finland", "type": "geography", "country": "FI"},
        {"name": "ours", "type": "geography", "country": "A0"},
    ]
    deny = policy(1, action="deny", srcaddr=refs("ours"))
    permit = policy(2, srcaddr=refs("finland"))

    def apply(first: str, last: str) -> None:
        span = {"id": 1, "start-ip": first, "end-ip": last}
        rows = [{"name": "o", "country-id": "A0", "ip-range": [span]}]
        tables = {"system/geoip-override": rows}
        rig.apply(with_profiles(deny, permit, address=countries, tables=tables))

    apply("198.18.1.11", "198.18.1.20")
    assert rig.tcp() == CLIENT
    apply("198.18.1.1", CLIENT)
    assert rig.tcp() is None
    deny["status"] = "disable"  # nor is it in Finland now
    apply("198.18.1.1", CLIENT)
    assert rig.tcp() is None
