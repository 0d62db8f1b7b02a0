"""Checks as whole runs would leave them, of which `certificate_examples` makes outcomes."""

from __future__ import annotations

from dataclasses import replace

from gatepass.results.outcome import Check
from gatepass.results.record import FAIL, NOT_APPLICABLE, PASS, measured
from said import evidence, measurement


def throughput(policies: int, nat: bool, value: float, half_width: float, **more) -> Check:
    """A check of the stateful throughput, as the suite records it."""
    noun = "policy" if policies == 1 else "policies"
    conditions = f"{policies} {noun}, NAT {'on' if nat else 'off'}"
    spread = (-0.4, 0.1, 0.3)
    counted = 4.89e8 + policies * 1000
    found = measurement(
        promise="Stateful throughput",
        conditions=conditions,
        value=value,
        unit="Mbit/s",
        layer="TCP goodput",
        half_width=half_width,
        trials=tuple(value + part * half_width for part in spread),
        threshold=300,
        baseline=18_420.0,
        facts={"client_cpu_percent": 21.3, "retransmits": 12},
        series=tuple(round(value + part, 1) for part in (-2.4, 1.1, 0.6, -0.9, 1.6, -0.3, 0.2)),
        series_interval_s=0.5,
    )
    seen, whose = ("198.18.2.1", "gateway") if nat else ("198.18.1.10", "client")
    return Check(
        chapter="Stateful firewall",
        name=f"{policies} {noun.title()}, {'With' if nat else 'Without'} NAT",
        verdict=more.get("verdict", PASS),
        message=more.get("message", f"Stateful throughput, {conditions}: {measured(found)}."),
        measurements=[found],
        evidence=more.get(
            "evidence",
            [
                evidence(
                    "The test policy counted at least the bytes received",
                    f"counted {counted * 1.04 / 1e6:.1f} MB, received {counted / 1e6:.1f} MB",
                    True,
                ),
                evidence(
                    "The server saw the address that the policy should give",
                    f"The server saw {seen}; expected is {seen}, the {whose}'s.",
                    True,
                ),
            ],
        ),
        tags=("stateful", "throughput"),
        elapsed_s=21.4,
    )


def baseline(when: str, value: float) -> Check:
    """A check of the path without the gateway."""
    found = measurement(
        promise="Baseline without the gateway",
        conditions=when,
        value=value,
        unit="Mbit/s",
        layer="TCP goodput",
        half_width=210.0,
        trials=(value - 90, value + 20, value + 70),
    )
    return Check(
        f"Baseline {when.title()}",
        f"{when.title()} The Gateway's Checks",
        PASS,
        f"The path without the gateway carried {measured(found)}.",
        measurements=[found],
        tags=("baseline",),
    )


def ceiling() -> Check:
    """A check that the shaper lets through no more than was ordered."""
    found = measurement(
        promise="The tier's ceiling",
        conditions="TCP, to the client",
        value=308.4,
        unit="Mbit/s",
        layer="TCP goodput",
        half_width=0.6,
        trials=(308.2, 308.4, 308.6),
        threshold=315,
        relation="at most",
    )
    return Check(
        "The tier's ceiling",
        "No More Than The Tier's Rate",
        PASS,
        f"Ceiling of the tier: {measured(found)}.",
        measurements=[found],
        evidence=[
            evidence(
                "The shaper that was ordered is in use",
                "“sgw-200” is set to 320000 kbps",
                True,
            )
        ],
        tags=("ceiling",),
    )


def preflight(gateway: dict) -> list[Check]:
    model, serial = gateway["model"], gateway["serial"]
    said = {
        "The Gateway Is The One That Was Ordered": f"{model}, serial {serial}, v7.4.8; ordered is "
        f"{model}, 7.4 or later.",
        "The Licence Is Valid": "Licence valid until 2027-11-20.",
        "The Gateway Has The Resources": "2 vCPUs and 4 096 MB; at least 2 and 3 072 are ordered.",
        "The Management Plane Is Closed": "It answers over HTTPS alone, with TLS 1.2 or later and "
        "the pinned certificate, and refuses a call without a token.",
        "The Endpoints Are Ready": "Both answer over SSH with the known host keys; iperf3 3.12.",
        "Traffic Gets From Client To Server": "One connection went through, before any load.",
    }
    return [Check("Before the test", name, PASS, message) for name, message in said.items()]


def services() -> list[Check]:
    """Checks of the security services: what they stop, and what they cost."""
    stopped = [
        ("The virus test file", "A clean file", "HTTP"),
        ("The virus test file", "A clean file", "FTP"),
        ("The page of a blocked host", "The page of its neighbour", "HTTPS"),
        ("An exploit-like request", "A harmless request", "HTTP"),
        ("A controlled application", "Another application", "HTTP"),
        ("A file of a filtered type", "A file of another type", "HTTP"),
    ]
    checks = [
        Check(
            "Security services",
            f"{what} Over {way}".title(),
            PASS,
            evidence=[
                evidence(
                    f"{what} arrives over {way} with services off", "answer 200, 68 bytes", True
                ),
                evidence(f"{what} is stopped over {way}", "answer 403, 456 bytes", True),
                evidence(f"{other} arrives over {way} with services on", "answer 200", True),
                evidence("The gateway's virus log tells what was stopped", "virus Eicar.", True),
            ],
            tags=("securityservices",),
        )
        for what, other, way in stopped
    ]
    checks.append(
        Check(
            "Security services",
            "A Blocked Country",
            PASS,
            evidence=[evidence("What lies in a blocked country is out of reach", "nothing", True)],
            tags=("securityservices",),
        )
    )
    figures = [
        ("FTP download of 20 MiB, NAT on", 287.03, 8.53, 307.21, 6.57),
        ("HTTP download of 20 MiB, NAT on", 292.51, 4.35, 309.23, 5.41),
        ("HTTP objects of 16 KB, 8 connections", 189.4, 17.2, None, None),
        ("HTTP objects of 64 KB, 8 connections", 296.6, 4.1, None, None),
        ("HTTP objects of 256 KB, 8 connections", 298.9, 1.3, None, None),
        ("application mix, connections: 4 of HTTP, 2 of HTTPS, 2 of FTP", 304.9, 1.9, None, None),
    ]
    for conditions, value, half_width, off, cost in figures:
        measured = measurement(
            "Throughput with security services",
            conditions,
            value,
            "Mbit/s",
            "file content",
            half_width=half_width,
            trials=(value - half_width, value, value + half_width),
            threshold=120,
            facts={"services_off_mbps": off, "degradation_percent": cost} if off else {},
        )
        compared = [
            replace(
                measured,
                promise="throughput_without_services",
                value=off,
                half_width=0.3,
                threshold=None,
                facts={},
            )
        ]
        checks.append(
            Check(
                "Security services",
                conditions.split(",")[0].title(),
                PASS,
                measurements=[*(compared if off else []), measured],
                evidence=[
                    evidence(
                        "Inspection is on while the rate with services on is measured",
                        "The virus test file does not arrive.",
                        True,
                    )
                ],
                tags=("securityservices", "downloads"),
            )
        )
    return checks


def at_once(promise: str, conditions: str, unit: str, promised: int, found: int) -> Check:
    """A check that so many of something are there at once."""
    counted = measurement(
        promise, conditions, found, unit, observed=True, tried=promised,
        trials=(found,), threshold=promised
    )
    verdict = PASS if found >= promised else FAIL
    told = f"{promise}: {found} of {promised} {unit}."
    of = {"IPsec tunnels": ("Site-to-site VPN", "ipsec"), "VPN users": ("Remote access", "vpn")}
    chapter, tag = of.get(promise, ("Web proxy", "proxy"))
    claim = {
        "IPsec tunnels": "Every promised IPsec tunnel is up at once",
        "VPN users": "Every promised VPN user is connected with an address of their own",
        "Proxy users": "Every promised proxy user is served",
    }[promise]
    return Check(
        chapter,
        f"The Promised {promise.title()} At Once",
        verdict,
        "" if verdict == PASS else told,
        measurements=[counted],
        evidence=[evidence(claim, told, verdict == PASS)],
        tags=(tag,),
    )


def tunnels(threshold: float | None = None) -> list[Check]:
    """Checks of the rate of one IPsec tunnel by proposal."""
    weak = {
        "AES128, SHA256, DH 5": "DH group 5 has 1536 bits and is too short (RFC 8247)",
        "3DES, SHA1, DH 2": "3DES, SHA1 and DH group 2 should not be used any more (RFC 8221)",
    }
    figures = {
        "AES256, SHA256, DH 14": 342.6,
        "AES256-GCM, DH 14": 361.2,
        "AES128, SHA256, DH 5": 498.8,
        "3DES, SHA1, DH 2": 93.7,
    }
    return [
        Check(
            "Site-to-site VPN",
            conditions,
            PASS,
            measurements=[
                measurement(
                    "IPsec throughput",
                    conditions,
                    value,
                    "Mbit/s",
                    "TCP goodput",
                    half_width=6.1,
                    trials=(value - 5, value, value + 5),
                    threshold=threshold,
                    baseline=912.0,
                    facts={"weak": weak[conditions]} if conditions in weak else {},
                )
            ],
            evidence=[
                evidence("The tunnel is encrypted as configured", f"Configured: {conditions}", True)
            ],
            tags=("ipsec", "throughput"),
        )
        for conditions, value in figures.items()
    ]


def remote_access(threshold: float | None = None) -> list[Check]:
    """Checks of the rate of one VPN user."""
    return [
        Check(
            "Remote access",
            f"{direction.title()} Of One User",
            PASS,
            measurements=[
                measurement(
                    "Remote access throughput",
                    f"{way}, {direction}",
                    value,
                    "Mbit/s",
                    "TCP goodput",
                    half_width=3.0,
                    trials=(value - 2, value, value + 2),
                    threshold=threshold if way == "SSL VPN" else None,
                )
                for way, value in (("without a tunnel", rate * 3), ("SSL VPN", rate))
            ],
            evidence=[
                evidence(
                    "Between client and gateway only the tunnel is seen",
                    "80,123 packets of the tunnel, 0 of the test traffic in clear.",
                    True,
                )
            ],
            tags=("vpn", "throughput"),
        )
        for direction, rate in (("to the server", 282.4), ("to the client", 301.7))
    ]


def enforcement() -> list[Check]:
    said = {
        "What No Policy Permits Is Blocked": "20 of 20 connections were blocked.",
        "Nothing Gets In From The Server's Side": "20 of 20 connections were blocked.",
        "The Order Of Policies Holds": "A deny above the permit blocked 20 of 20 connections.",
        "A Disabled Policy Does Nothing": "20 of 20 connections were blocked.",
        "The Implicit Deny Counts": "The implicit deny counted 60 sessions of 60 tried.",
    }
    seen = evidence("What no policy permits is blocked", "0 of 20 connections arrived", True)
    return [
        Check(
            "Policy enforcement", name, PASS, text, evidence=[seen] if "counted" not in text else []
        )
        for name, text in said.items()
    ]


def every_check(gateway: dict) -> list[Check]:
    figures = ((1, 309.2, 0.7), (100, 308.9, 0.9), (1000, 308.1, 1.2))
    return [
        *preflight(gateway),
        baseline("before", 18_420.0),
        *(throughput(n, nat, value - nat * 0.6, h) for n, value, h in figures for nat in (0, 1)),
        *enforcement(),
        ceiling(),
        Check(
            "Handover",
            "IPv6 Is Enforced As IPv4 Is",
            NOT_APPLICABLE,
            "The order does not name IPv6.",
        ),
        baseline("after", 18_310.0),
        Check("Handover", "The Configuration Is Back As It Was", PASS, "It compares equal."),
    ]
