"""Page 1 alone answers its reader's five questions, of real runs of every kind of verdict.

Read from paper: what stands on the first sheet, and not what stands somewhere in the page.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import records
from gatepass.base.chromium import chromium
from paper import printed

pytestmark = pytest.mark.skipif(chromium() is None, reason="no Chromium is installed")


@dataclass(frozen=True)
class Answers:
    """What page 1 has to say.

    Attributes:
        verdict: with the kind of test that it stands on.
        why: the cause, in figures or by the first check.
        sure: on how much it stands.
        untested: what was ordered and not tested.
        next: who does what.
    """

    verdict: str
    why: str
    sure: str
    untested: str
    next: str


NOT_MEASURED = "No rate of the tier was measured often enough to say how sure it is."
MEND = "Network engineer: Correct on the gateway what is named under “Why not”."
AGAIN = "./run.sh --order variables/orders/lab.yaml --profile quick"
RIG = "Whoever tests: Put the test machines in order as “Why it cannot be decided” says"
EXPECTED = {
    "approved": Answers(
        "Acceptance certificate SGW-200 Gold",
        "306.7 Mbit/s are proven, at least 300 Mbit/s were promised.",
        "stand on 3 trials or more; a trial of traffic lasts 2 s.",
        "Site-to-site VPN: AES128, SHA256, DH 14;",
        "Provider and customer: Sign below. The gateway may go into service.",
    ),
    "approved-7.6.4": Answers(
        "Acceptance certificate SGW-200 Gold",
        "306.9 Mbit/s are proven, at least 300 Mbit/s were promised.",
        "stand on 3 trials or more; a trial of traffic lasts 2 s.",
        "Remote access: SSL VPN Is The Way In; Remote access (2 checks);",
        "Provider and customer: Sign below. The gateway may go into service.",
    ),
    "approved-finnish": Answers(
        "Vastaanottotodistus SGW-200 Gold",
        "todennettu 301 Mbit/s, luvattu vähintään 300 Mbit/s.",
        "perustuvat vähintään 3 mittaukseen; yksi liikennemittaus kestää 2 s.",
        "Toimipisteiden välinen VPN: AES128, SHA256, DH 14;",
        "Palveluntarjoaja ja asiakas: Allekirjoittakaa alle. Palomuuri voidaan ottaa käyttöön.",
    ),
    "rejected-rate-finnish": Answers(
        "Hylätty",
        "palomuuri yltää enintään lukemaan 246,3 Mbit/s; luvattu on vähintään 300 Mbit/s.",
        "perustuvat vähintään 3 mittaukseen",
        "Toimipisteiden välinen VPN: AES128, SHA256, DH 14;",
        "Verkkoasiantuntija: Korjaa palomuurista se, mikä mainitaan hylkäämisen syissä.",
    ),
    "rejected-nat": Answers(
        "Rejected after a quick test",
        "Checks that failed: 3. The first is “Stateful firewall: One Policy, With NAT”.",
        "Of 40 gateways that just keep such a rate, at most one would fail it.",
        "Checks that did not run (154);",
        MEND,
    ),
    "rejected-inspection": Answers(
        "Rejected after a quick test",
        "Checks that failed: 11. The first is “Security services: A Virus Over HTTP”.",
        NOT_MEASURED,
        "Checks that did not run (150);",
        MEND,
    ),
    "not-proven-busy": Answers(
        "Not proven after a quick test",
        "Checks that could not tell: 1. The first is “Stateful firewall: One Policy, Without NAT”.",
        NOT_MEASURED,
        "Checks that did not run (160);",
        RIG,
    ),
    "not-proven-iperf3": Answers(
        "Not proven after a quick test",
        "Checks that could not tell: 2. The first is “Before the test: The Endpoints Are Ready”.",
        NOT_MEASURED,
        "Checks that did not run (160);",
        RIG,
    ),
    "not-proven-peer": Answers(
        "Not proven after a quick test",
        "Checks that could not tell: 3. The first is “Site-to-site VPN: AES256-GCM, DH 14”.",
        NOT_MEASURED,
        "Checks that did not run (158);",
        RIG,
    ),
    "partly": Answers(
        "Not proven after a quick test",
        "Checks that did not run: 141 of 178.",
        NOT_MEASURED,
        "Checks that did not run (141);",
        f"Whoever tests: Test again, with all checks. {AGAIN}",
    ),
}


@pytest.fixture(scope="module", params=records.NAMES)
def first_sheet(request: pytest.FixtureRequest, tmp_path_factory) -> tuple[str, str]:
    """A record's name, and all that is read on its first sheet, word by word."""
    name, folder = request.param, tmp_path_factory.mktemp("first")
    kept = records.outcome(name, folder)
    page = records.page(name, kept.run["order"]["language"], folder)
    words = printed(page, folder).sheets[0]
    return name, " ".join(word.text for word in words)


def test_every_record_has_its_answers() -> None:
    assert set(records.NAMES) == set(EXPECTED)


@pytest.mark.parametrize("question", ["verdict", "why", "sure", "untested", "next"])
def test_answered_on_page_1(first_sheet: tuple[str, str], question: str) -> None:
    name, told = first_sheet
    assert getattr(EXPECTED[name], question) in told


def test_what_is_not_approved_is_no_certificate(first_sheet: tuple[str, str]) -> None:
    name, told = first_sheet
    accepted = name.startswith("approved")
    certificate = "Acceptance certificate" in told or "Vastaanottotodistus" in told
    assert certificate == accepted
    assert accepted or "Test record" in told or "Testipöytäkirja" in told
    assert "LAB" in told
