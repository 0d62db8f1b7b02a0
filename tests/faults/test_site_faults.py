"""Each fault of tunnels between sites is caught by the check that is there for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from cases import FAIL, NOT_PROVEN, Case, alone, cases_of, prove, together
from faulty_lab import PROJECT, FaultyLab, lab_in

MODERN, STRONG = "AES256-GCM, DH 14", "AES256, SHA256, DH 14"
SHORTER, SHORT_GROUP = "AES128, SHA256, DH 14", "AES128, SHA256, DH 5"
EVERY_CIPHER = (MODERN, STRONG, SHORTER, SHORT_GROUP, "3DES, SHA1, DH 2")
CLEAR = "Without The Tunnel Nothing Passes In Clear"
IN_TIME = "A Tunnel Adds Hardly Any Delay"
PROMISED = "The Promised Tunnels Are Up At Once"
ASKED = "Keys Are Renewed Under Traffic When The Peer Asks"
BY_ITSELF = "Keys Are Renewed By The Gateway Before They Run Out"
DELETED = "A Tunnel Comes Back After Its SA Was Deleted"
RESTARTED = "A Tunnel Comes Back After Its Peer Restarted"
NOT_AS_CONFIGURED = "The tunnel is encrypted as configured: not the case"
NOT_NEW = "A tunnel's keys are renewed: not the case"


def chosen(*checks: str) -> tuple[str, ...]:
    """Patterns of these checks of the chapter."""
    return tuple(f"*.Site-to-site VPN.*.{check}" for check in checks)


RUNS = [
    together(
        Case(
            ("ipsec-other-cipher",),
            chosen(*EVERY_CIPHER),
            {
                label: (FAIL, NOT_AS_CONFIGURED, f"Configured is {label}; in use are")
                for label in EVERY_CIPHER
            },
        ),
        Case(
            ("ipsec-few-tunnels", "tunnels=12"),
            chosen(PROMISED),
            {
                PROMISED: (
                    FAIL,
                    "Every promised IPsec tunnel is up at once: not the case",
                    "of 20 are up, according to gateway and peer",
                )
            },
        ),
        Case(
            ("ipsec-renewal-outage",),
            chosen(ASKED),
            {ASKED: (FAIL, "tunnel's keys are renewed, when the peer asks for it", "without a")},
        ),
    ),
    *alone(
        Case(
            ("ipsec-weak-group",),
            chosen(SHORTER, SHORT_GROUP),
            {SHORTER: (FAIL, NOT_AS_CONFIGURED, f"Configured is {SHORTER}", "MODP_1536 for IKE")},
        ),
        Case(
            ("ipsec-clear-beside",),
            chosen(MODERN, CLEAR),
            {
                MODERN: (FAIL, "Between the gateways only encrypted packets are seen: not the"),
                CLEAR: (FAIL, "Without the tunnel nothing of its network passes in clear: not the"),
            },
        ),
        Case(
            ("peer-firewall",),
            chosen(STRONG, CLEAR),
            {
                STRONG: (NOT_PROVEN, "without a tunnel either", "its firewall at UDP port 5301"),
                CLEAR: (NOT_PROVEN, "did not answer while the tunnel was up either"),
            },
        ),
        Case(
            ("ipsec-slow",),
            chosen(STRONG, CLEAR, IN_TIME),
            {
                STRONG: (FAIL, "at least 20 Mbit/s", "The same path without a tunnel carried"),
                IN_TIME: (FAIL, "99th percentile", "at most 12 ms", "path without a tunnel"),
            },
        ),
    ),
]
WAITING = [
    Case(
        ("ipsec-never-rekeys",),
        chosen(ASKED, BY_ITSELF),
        {
            ASKED: (FAIL, NOT_NEW, "no new keys came"),
            BY_ITSELF: (FAIL, NOT_NEW, "Keys live for 120 s", "no new keys came"),
        },
    ),
    Case(
        ("ipsec-stays-down",),
        chosen(DELETED, RESTARTED),
        {
            DELETED: (FAIL, "by itself after its SA was deleted: not the", "not up again within"),
            RESTARTED: (FAIL, "by itself after its peer restarted: not the", "not up again within"),
        },
    ),
]
"""Minutes each, in which nothing is measured: until keys run out, or a tunnel could be back."""
CASES = [*cases_of(RUNS), *WAITING]


@pytest.fixture
def order(tmp_path: Path) -> Path:
    """The lab's own order, with all that a tunnel can be encrypted with."""
    values = yaml.safe_load((PROJECT / "variables" / "orders" / "lab.yaml").read_text())
    # The first is one that the peer takes with a weaker group as well: a tunnel of it comes up
    # when a run begins.
    values["vpn"]["ipsec"] = [
        "aes128-sha256-dh14",
        "aes256-sha256-dh14",
        "aes256gcm-dh14",
        "aes128-sha256-dh5",
        "3des-sha1-dh2",
    ]
    path = tmp_path / "every-cipher.yaml"
    path.write_text(yaml.safe_dump(values))
    return path


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...], order: Path) -> None:
    prove(lab, *cases, order=order)


def test_caught_where_it_takes_minutes(lab: FaultyLab, tmp_path: Path) -> None:
    with lab_in(tmp_path) as other, ThreadPoolExecutor() as side_by_side:
        assert len(list(side_by_side.map(prove, (lab, other), WAITING))) == len(WAITING)
