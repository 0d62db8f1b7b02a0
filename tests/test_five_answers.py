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


NOT_MEASURED = "No promised rate was measured often enough for a figure of confidence."
BY_FACTS = "What led to this verdict was observed directly, so it is no matter of chance."
MEND = "Network engineer: Correct on the gateway what is named under “Why not”."
AGAIN = "./run.sh --order variables/orders/lab.yaml --profile quick"
RIG = "Whoever tests: Correct on the test machines what is named under “Why it cannot be decided”"
EXPECTED = {
    "approved": Answers(
        "Acceptance certificate SGW-200 Gold",
        "for certain it is 306.7 Mbit/s; promised was at least 300 Mbit/s.",
        "Over all figures together (132) an approval is wrong at most once in 40 tests",
        "“AES128, SHA256, DH 14” (Site-to-site VPN);",
        "Provider and customer: Sign below. The gateway may go into service.",
    ),
    "approved-7.6.4": Answers(
        "Acceptance certificate SGW-200 Gold",
        "for certain it is 306.9 Mbit/s; promised was at least 300 Mbit/s.",
        "Over all figures together (132) an approval is wrong at most once in 40 tests",
        "“SSL VPN Is The Way In” (Remote access); 2 checks of the chapter “Remote access”;",
        "Provider and customer: Sign below. The gateway may go into service.",
    ),
    "approved-finnish": Answers(
        "Vastaanottotodistus SGW-200 Gold",
        "varmasti 301 Mbit/s, luvattu vähintään 300 Mbit/s.",
        "Kaikkien lukujen (132) osalta yhteensä hyväksyntä on väärä enintään kerran 40 testistä",
        "”AES128, SHA256, DH 14” (Toimipisteiden välinen VPN);",
        "Palveluntarjoaja ja asiakas: Allekirjoittakaa alle. Palomuuri voidaan ottaa käyttöön.",
    ),
    "rejected-rate-finnish": Answers(
        "Hylätty",
        "enintään 246,2 Mbit/s; luvattu on vähintään 300 Mbit/s.",
        "Kukin luku (yhteensä 130) arvioidaan yksinään väärin enintään kerran 40 testistä.",
        "”AES128, SHA256, DH 14” (Toimipisteiden välinen VPN);",
        "Verkkoasiantuntija: Korjaa palomuurista se, mikä mainitaan kohdassa ”Miksi hylätty”.",
    ),
    "rejected-nat": Answers(
        "Rejected after a quick test",
        "The server sees 198.18.1.10; it should see 198.18.2.1, the gateway's address.",
        BY_FACTS,
        "Checks that did not run (154), left out by the call (",
        MEND,
    ),
    "rejected-inspection": Answers(
        "Rejected after a quick test",
        "Got through although the security services were on: the virus test file (HTTP, FTP)",
        BY_FACTS,
        "Checks that did not run (150), left out by the call (",
        MEND,
    ),
    "not-proven-busy": Answers(
        "Not proven after a quick test",
        "Only 0 of 8 trials count, and 3 are needed.",
        NOT_MEASURED,
        "Checks that did not run (160), left out by the call (",
        RIG,
    ),
    "not-proven-iperf3": Answers(
        "Not proven after a quick test",
        "The client (198.18.0.11:22) lacks iperf3.",
        NOT_MEASURED,
        "Checks that did not run (160), left out by the call (",
        RIG,
    ),
    "not-proven-peer": Answers(
        "Not proven after a quick test",
        "Nothing gets from the client to the peer (198.18.4.10) without a tunnel either",
        NOT_MEASURED,
        "Checks that did not run (158), left out by the call (",
        RIG,
    ),
    "partly": Answers(
        "Not proven after a quick test",
        "Checks that did not run: 141 of 178.",
        NOT_MEASURED,
        "Checks that did not run (141), left out by the call (",
        f"Whoever tests: Test again, with all checks. The call brings up a lab of its own: {AGAIN}",
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
