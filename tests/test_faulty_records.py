"""Page 1 of gateways with two or three faults at once names every cause, gravest first.

The records are of runs against the lab; a grave fault often lies in a chapter that comes late. Each
was made as `FAULTS` and `CHECKS` say, by

    python -m lab run --fault A --fault B -- python -m gatepass run --testbed '{testbed}' \\
      -- --test "*.Before the test.*" --test "*.Handover.*" --test CHECK …
    python tests/records.py RUN NAME tests/data/records/faulty
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import records
from certificate_reader import parsed, reasons, text
from gatepass.base.languages import LANGUAGES
from gatepass.report import reasons as causes
from gatepass.report.evidence import MOST_ITEMS
from gatepass.report.wording import wording
from gatepass.results.outcome import Outcome
from gatepass.results.record import FAIL, REJECTED


@dataclass(frozen=True)
class Faulty:
    """A record.

    Attributes:
        faults: of the lab.
        checks: that ran, besides those before and after the others.
        causes: that failed checks, by kind and name, gravest first.
    """

    faults: tuple[str, ...]
    checks: tuple[str, ...]
    causes: list[tuple[str, str]]


SHAPER = ("figure", "shaper")
RATE = "*.One Policy, Without NAT"
VIRUS = "*.A Virus Over HTTP"
RECORDS = {
    "virus-shaper": Faulty(
        ("shaper-below-tier", "services-not-applied"),
        (RATE, VIRUS, "*.A Virus Over FTP", "*.An Attack", "*.A Blocked Site Over HTTP"),
        [("claim", "stopped"), SHAPER],
    ),
    "virus-leak-shaper": Faulty(
        ("shaper-below-tier", "any-any", "services-not-applied"),
        (RATE, "*.No Other TCP Port*", VIRUS),
        [("claim", "stopped"), ("claim", "no_leak"), SHAPER],
    ),
    "leak-nat": Faulty(
        ("nat-not-applied", "leak"),
        ("*.One Policy, With NAT", "*.100 Policies, With NAT", "*.No ICMP Message*"),
        [("claim", "no_leak"), ("claim", "address_seen")],
    ),
    "clear-slow": Faulty(
        ("ipsec-clear-beside", "vpn-slow"),
        ("*.AES256-GCM, DH 14", "*.Without The Tunnel*", "*.Downloads Of One User"),
        [("claim", "no_clear"), ("claim", "only_encrypted"), ("figure", "loss")],
    ),
    "class-certificate": Faulty(
        ("marking-lost", "http-open", "shaper-below-tier"),
        ("*.Every Frame Arrives Once*", RATE),
        [("claim", "https_only"), ("claim", "class_mark"), SHAPER],
    ),
    "proxy-rekey": Faulty(
        ("proxy-open", "ipsec-never-rekeys"),
        ("*.The Proxy Refuses Whom No Policy Permits", "*Keys*"),
        [("claim", "proxy_refuses"), ("claim", "keys_renewed"), ("figure", "renewal_outage")],
    ),
    "remote-delay": Faulty(
        ("group-ignored", "latency"),
        ("*.A User Outside The Group Is Refused", "*.Delay.*At Rest"),
        [("claim", "refused_user"), ("figure", "added_delay")],
    ),
    "tenants-dhcp": Faulty(
        ("objects-lost", "dhcp-list-ignored"),
        ("*.Every Tenant*", "*.Hosts That Are Not Listed*"),
        [("claim", "dhcp_unlisted"), ("message", ""), ("claim", "tenants_whole")],
    ),
    "restart-gui": Faulty(
        ("boots-open", "gui-any-password"),
        ("*.Nothing Else Passes While The Gateway Restarts", "*.An Administrator*Password*"),
        [("claim", "restart_closed"), ("claim", "gui_wrong_password")],
    ),
    "vip-ipv6": Faulty(
        ("vip-every-port", "ipv6-slow"),
        ("*.A Published Port Leads To Its Host", "*.One Policy, Over IPv6"),
        [("claim", "published_alone"), SHAPER],
    ),
    "country-log": Faulty(
        ("countries-unknown", "log-lost"),
        ("*.A Blocked Country", VIRUS),
        [("claim", "country"), ("claim", "logged")],
    ),
    "licence-loss": Faulty(
        ("license-missing", "packet-loss"),
        ("*.The Ordered Services Are Licensed", "*.Hardly Any Packet Is Lost*"),
        [("claim", "services_licensed"), ("figure", "loss")],
    ),
}


@pytest.fixture(scope="module", params=RECORDS)
def record(request: pytest.FixtureRequest, tmp_path_factory) -> tuple[Faulty, Outcome]:
    """What is expected of a record, and what it tells."""
    name = request.param
    return RECORDS[name], records.faulty(name, tmp_path_factory.mktemp(name))


def test_every_record_is_looked_at() -> None:
    kept = {path.name.removesuffix(".xml.xz") for path in records.FAULTY.glob("*.xz")}
    assert kept == set(RECORDS)


def test_the_causes_are_told_gravest_first(record: tuple[Faulty, Outcome]) -> None:
    expected, outcome = record
    assert outcome.verdict == REJECTED
    found = [one for one in causes.reasons(outcome) if one.verdict == FAIL]
    names = [(one.kind, "" if one.kind == "message" else one.name) for one in found]
    assert names == expected.causes
    assert {check.name for check in outcome.checks if check.verdict == FAIL} == {
        check.name for one in found for check in one.checks
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_1_has_a_line_for_each_cause(
    record: tuple[Faulty, Outcome], language: str
) -> None:
    expected, outcome = record
    order = outcome.run["order"] | {"language": language}
    outcome = replace(outcome, run=outcome.run | {"order": order})
    words = wording(language)
    failed = [one for one in causes.reasons(outcome) if one.verdict == FAIL]
    lines = reasons(outcome)[: len(failed)]
    assert len(failed) == len(expected.causes)
    for line, reason in zip(lines, failed, strict=True):
        told = causes.in_words(reason, words, MOST_ITEMS).striptags()
        assert " ".join(told.replace("\u202f", " ").split()) in line
        assert line.startswith(words["check_verdicts"]["fail"])
    why = text(parsed(outcome).find(".//section[@aria-labelledby='decision']"))
    gravest = causes.in_words(failed[0], words, MOST_ITEMS).striptags()
    assert " ".join(gravest.replace("\u202f", " ").split()) in why
