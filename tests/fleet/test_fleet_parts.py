"""Two shells as two machines: each order is run once, and the parts become one page."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from lock_servers import lock_server, until
from world import World, ended

from gatepass.cli import main
from gatepass.fleet.outcome import read_fleet


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """The folders of both parts, run at the same time over one lock server."""
    world = World(tmp_path_factory.mktemp("machines"))
    words = [*world.pairs(quick="abc"), "--turns"]
    try:
        with lock_server(world.folder) as server:
            both = [world.start(*words, server.socket, "--shard", part) for part in ("1/2", "2/2")]
            for one in both:
                code, told = ended(one)
                assert code == 2, told
                assert "This is part " in told
        yield sorted(world.fleets(), key=lambda fleet: read_fleet(fleet).shards)
        until(lambda: not world.left(), "all processes of the fleets have ended")
    finally:
        world.end()


def test_they_are_joined_with_each_order_once(
    parts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", *map(str, parts), "--to", str(tmp_path)]) == 2
    assert "All 3 not proven" in capsys.readouterr().out
    html = (tmp_path / "fleet.html").read_text(encoding="utf-8")
    for name in "abc":
        assert html.count(f'aria-label="Certificate of {name}"') == 1
    suites = [suite.get("name") for suite in ET.parse(tmp_path / "xunit.xml").getroot()]
    assert suites == ["a", "b", "c"]
    assert "This is part" not in html


def test_without_one_part_the_fleet_is_not_whole(
    parts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", str(parts[0]), "--to", str(tmp_path)]) == 2
    assert "Part 2 of 2: not proven. None of the folders is of part 2/2" in capsys.readouterr().out
    assert [row.name for row in read_fleet(parts[0]).rows] == ["a", "b"]
