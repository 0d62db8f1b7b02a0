"""What the chapters are called, also in runs of before they had names of their own."""

from __future__ import annotations

import pytest

from gatepass.base.chapters import CHAPTERS, called_now, short, title, titles

OF_BEFORE = {
    "Preflight": "Before the test",
    "Site To Site Vpn": "Site-to-site VPN",
    "Tier Ceiling": "The tier's ceiling",
    "Management Gui": "Management page",
}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_title_leads_back_to_its_chapter(chapter: str) -> None:
    assert short(title(chapter)) == chapter
    assert called_now(title(chapter)) == title(chapter)


@pytest.mark.parametrize(("name", "now"), OF_BEFORE.items())
def test_a_run_of_before_is_told_by_the_names_of_today(name: str, now: str) -> None:
    assert called_now(name) == now


def test_a_suite_that_is_no_chapter_keeps_its_name() -> None:
    assert called_now("Own Suite") == "Own Suite"


def test_several_stand_in_the_order_of_the_suites() -> None:
    assert titles({"handover", "preflight", "edge"}) == (
        "Before the test, The edge of the network, Handover"
    )
