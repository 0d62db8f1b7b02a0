"""Published figures beside the measurements that they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatepass.base.errors import InputError
from gatepass.base.paths import VARIABLES
from gatepass.inputs.published import load_published
from gatepass.report.published import reference
from gatepass.scenarios.studies.frames import FrameSize
from gatepass.scenarios.studies.published import beside
from said import measurement

PUBLISHED = VARIABLES / "published_results.yaml"


def told(promise: str, conditions: str, unit: str = "Mbit/s") -> float | None:
    facts = load_published(PUBLISHED).model_dump()
    found = reference(facts, measurement(promise, conditions, 1.0, unit))
    return found and found["value"]


@pytest.mark.parametrize(
    ("promise", "conditions", "value"),
    [
        ("Stateful throughput", "1 policy, NAT off", 1900),
        ("Stateful throughput", "1000 policies, NAT on", 1890),
        ("Stateful throughput", "10 policies, NAT on", None),
        ("Throughput with security services", "FTP download of 20 MiB, NAT on", 585.2),
        ("Throughput with security services", "HTTP download of 20 MiB, NAT on", None),
        ("IPsec throughput", "AES256, SHA256, DH 14, as fast as it goes", 318),
        ("IPsec throughput", "AES256, SHA256, DH 14", None),
        ("IPsec throughput", "AES256, SHA256, DH 14, 20 tunnels up", None),  # another method
        ("IPsec throughput", "3DES, SHA1, DH 2, as fast as it goes", 121),
        ("Remote access throughput", "SSL VPN, to the client, as fast as it goes", 109),
        ("Remote access throughput", "dial-up IPsec, to the client", None),
    ],
)
def test_the_same_method_only(promise: str, conditions: str, value: float | None) -> None:
    assert told(promise, conditions) == value


def test_another_unit_is_another_figure() -> None:
    assert told("Stateful throughput", "1 policy, NAT off", "packets/s") is None


def test_a_run_that_wrote_none_down() -> None:
    measured = measurement("Stateful throughput", "1 policy, NAT off", 1, "Mbit/s")
    assert reference({}, measured) is None


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    wrong = tmp_path / "published.yaml"
    wrong.write_text(PUBLISHED.read_text().replace("source: hokkanen-2016", "source: hokkanen", 1))
    with pytest.raises(InputError, match=r"published.yaml.*source.*hokkanen-2016"):
        load_published(wrong)


@pytest.mark.parametrize("promise", ["stateful_thruput", "Stateful throughput"])
def test_a_promise_that_nobody_makes_is_refused(tmp_path: Path, promise: str) -> None:
    wrong = tmp_path / "published.yaml"
    text = PUBLISHED.read_text(encoding="utf-8")
    wrong.write_text(text.replace("stateful_throughput", promise), encoding="utf-8")
    with pytest.raises(InputError, match=r"published.yaml.*promise.*stateful_throughput"):
        load_published(wrong)


def test_conditions_in_words_are_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "published.yaml"
    text = PUBLISHED.read_text(encoding="utf-8")
    wrong.write_text(text.replace("{protocol: FTP}", '"FTP download of *"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"published.yaml.*conditions.*named values") as refused:
        load_published(wrong)
    assert "\n" not in str(refused.value)


def test_what_came_about_otherwise_stands_beside_studies_alone() -> None:
    published = load_published(PUBLISHED)
    sizes = (FrameSize("IPv4", (1518,)), FrameSize("IPv6", (512,)), FrameSize("IPv4", (64,)))
    found = beside(published, "frame_throughput", sizes)
    assert found.names == "DeCusatis 2014"
    assert found.figures == {sizes[0]: 4100, sizes[1]: 1500}
    assert "Juniper vSRX" in found.devices[0]
    assert told("Throughput by frame size", "IPv4, frame 1518") is None
    assert beside(published, "frame_latency", sizes).figures == {}
