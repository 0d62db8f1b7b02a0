"""Labs side by side for one command, each of its own service tier."""

import re

import pytest
import yaml
from network_lab import Labs

from lab.base.errors import LabMistake
from lab.lifecycle.device import DELIVERED
from lab.lifecycle.tiers import for_tier, tiers
from lab.several import several

NAME = "five"


@pytest.fixture
def labs(tmp_path):
    labs = Labs(tmp_path / "labs")
    yield labs
    labs.must("down", "--all")
    assert not labs.folder.exists()


def test_a_tiers_gateway_is_the_delivered_one_with_other_shapers():
    delivered = DELIVERED.read_text()
    assert for_tier(delivered, None) == delivered
    assert for_tier(delivered, "SGW-200") == delivered
    small = for_tier(delivered, "SGW-10")
    assert 'edit "sgw-10"' in small
    assert [int(one) for one in re.findall(r"bandwidth (\d+)", small)] == [
        108_667, 667, 667, 6_667, 10_000,
    ]  # fmt: skip
    assert not re.search("sgw-200", small, re.IGNORECASE)
    assert len(small.splitlines()) == len(delivered.splitlines())


@pytest.mark.parametrize(
    ("number", "wanted", "labs"),
    [
        (None, [], {NAME: None}),
        (None, ["SGW-10"], {NAME: "SGW-10"}),
        (None, ["SGW-10", "SGW-10"], {f"{NAME}-1": "SGW-10", f"{NAME}-2": "SGW-10"}),
        (1, ["SGW-10"], {f"{NAME}-1": "SGW-10"}),
        (3, ["SGW-10", "SGW-500"],
         {f"{NAME}-1": "SGW-10", f"{NAME}-2": "SGW-500", f"{NAME}-3": "SGW-10"}),
        (6, [], {f"{NAME}-{at}": tier for at, tier in enumerate(tiers(), start=1)}),
    ],
)  # fmt: skip
def test_which_labs_are_built(number, wanted, labs):
    assert several(NAME, number, wanted) == labs


@pytest.mark.parametrize("number", [0, -1, 201])
def test_a_number_that_cannot_be(number):
    with pytest.raises(LabMistake, match="--gateways"):
        several(NAME, number, [])


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["--tier", "SGW-11"], "SGW-11"),
        (["--gateways", "many"], "many"),
        (["--gateways", "0"], "--gateways"),
    ],
)
def test_a_mistake_is_told(labs, words, telling):
    done = labs.call("run", *words, "--", "true")
    assert done.returncode == 64
    assert telling in done.stderr and done.stderr.count("\n") == 1


def test_a_command_gets_all_testbeds_and_nothing_is_left(labs, tmp_path):
    words = ["run", "--name", NAME, "--tier", "SGW-10", "--tier", "SGW-300", "--"]
    shell = 'shift; for file; do cat "${file#--testbed=}" >>' + str(tmp_path / "seen") + "; done"
    done = labs.call(*words, "sh", "-c", shell, "sh", "once", "--testbed={testbed}")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "seen").read_text()
    beds = [yaml.safe_load(one) for one in text.split("# Written by")[1:] for one in [
        one.partition("\n")[2]]]
    assert [bed["tiers"] for bed in beds] == [["SGW-10"], ["SGW-300"]]
    assert len({bed["network_namespace"] for bed in beds}) == 2
    assert not list(labs.folder.glob("*"))


def test_one_that_cannot_be_built_takes_the_others_down(labs):
    labs.must("up", f"{NAME}-2")
    done = labs.call("run", "--name", NAME, "--gateways", "2", "--", "true")
    assert done.returncode == 64
    assert "is up already" in done.stderr
    assert [path.name for path in labs.folder.glob("*")] == [f"{NAME}-2"]
    labs.must("down", f"{NAME}-2")
