"""Somebody else at work on the gateway while a run tests it: told by name, and left alone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from gateway_client import GatewayUnderTest
from played import Played

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.gateway.changes import Changes
from gatepass.gateway.config_objects import object_changes, objects
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.journal import Journal
from gatepass.gateway.saved import SAVED
from gatepass.gateway.undo import undo
from gatepass.report.reasons import reasons
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, NOT_PROVEN, PASS, REJECTED, Restoration
from gatepass.run.run import closing_box
from Run import Run

ADDRESS, INTERFACE, POLICY = "firewall/address", "system/interface", "firewall/policy"
SUBNET = {"type": "ipmask", "subnet": "198.19.7.0 255.255.255.0"}


def back(changes: Changes) -> Restoration:
    return undo(changes.gateway, changes.journal, changes.journal.path.with_name(SAVED))


def test_what_was_added_is_named_and_stays(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest
) -> None:
    changes.create(ADDRESS, {"name": f"{changes.mark}-a", **SUBNET})
    device.post("cmdb/firewall/address", {"name": "branch", **SUBNET})
    told = back(changes)
    assert not told.identical and told.left == () and changes.journal.closed
    assert told.others == (
        "firewall/address branch was added (set subnet 198.19.7.0 255.255.255.0)",
    )
    assert "somebody changed the gateway while the test ran (between" in told.problem
    assert "firewall/address branch" in told.problem
    assert gateway.row(ADDRESS, "branch") and not gateway.row(ADDRESS, f"{changes.mark}-a")


def test_what_was_changed_is_told_with_before_and_after(
    changes: Changes, device: GatewayUnderTest
) -> None:
    device.put("cmdb/firewall/policy/1", {"comments": "theirs"})
    assert back(changes).others == (
        'firewall/policy 1 was changed (before: nothing; now: set comments ***)',
    )


def test_what_was_removed_is_told(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest
) -> None:
    device.delete("cmdb/firewall/policy/1")
    (sentence,) = back(changes).others
    assert sentence.startswith("firewall/policy 1 was removed (before: ")


def test_an_attribute_that_somebody_set_after_us_stays_theirs(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest
) -> None:
    changes.change(POLICY, 1, {"comments": "ours", "logtraffic": "disable"})
    device.put("cmdb/firewall/policy/1", {"comments": "theirs"})
    told = back(changes)
    row = gateway.row(POLICY, 1)
    assert row["comments"] == "theirs" and row["logtraffic"] != "disable"
    assert told.left == () and "firewall/policy 1 was changed" in told.others[0]
    assert "logtraffic" not in told.others[0]


def test_what_was_changed_twice_goes_back_all_the_way(
    changes: Changes, gateway: FortiGate
) -> None:
    for text in ("one", "two"):
        changes.change(POLICY, 1, {"comments": text})
    changes.journal.release()
    left = Journal.read(changes.journal.path)  # what a killed run leaves
    assert [entry["now"] for entry in left.entries] == [{"comments": "one"}, {"comments": "two"}]
    assert left.adopt()
    assert undo(gateway, left, left.path.with_name(SAVED)).identical


def test_a_change_of_which_nobody_saw_what_came_goes_back(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest
) -> None:
    """Killed between the call and the look at it."""
    changes.journal.changes(POLICY, 1, {"comments": ""})
    device.put("cmdb/firewall/policy/1", {"comments": "ours"})
    assert back(changes).identical


def test_what_the_gateway_does_not_set_back_is_its_own_fault(
    changes: Changes, gateway: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes.change(POLICY, 1, {"comments": "ours"})
    with monkeypatch.context() as deaf:
        deaf.setattr(gateway, "change", lambda *_: None)
        told = back(changes)
    assert told.left == ("firewall/policy 1",) and told.others == ()
    assert "confirmed that it set comments of firewall/policy back" in told.problem
    assert not changes.journal.closed and back(changes).identical


def test_somebody_elses_object_that_is_left_beside_ours(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest
) -> None:
    """They use our address, so that it cannot go: both are told."""
    ours = f"{changes.mark}-a"
    changes.create(ADDRESS, {"name": ours, **SUBNET})
    device.put("cmdb/firewall/policy/1", {"srcaddr": [{"name": ours}]})
    told = back(changes)
    assert told.left == (f"firewall/address {ours}",) and not changes.journal.closed
    assert "firewall/policy 1 was changed" in told.others[0]
    device.put("cmdb/firewall/policy/1", {"srcaddr": [{"name": "customer-lan"}]})
    assert back(changes).identical


BEFORE = """config system global
    set hostname "a"
end
config firewall policy
    edit 1
        set name "first"
        config inner
            edit 1
                set name "gp0a1b2c-in-it"
            next
        end
    next
    edit 2
        set name "second"
        set comments "of two
lines, edit 3
end"
    next
end
"""


def test_the_objects_of_a_configuration() -> None:
    found = objects(BEFORE)
    assert list(found) == [
        ("system/global", ""), ("firewall/policy", "1"), ("firewall/policy", "2")
    ]
    assert found["firewall/policy", "2"][-1] == 'end"'
    wrapped = f"config vdom\nedit root\n{BEFORE}end\n"
    assert objects(wrapped) == found


@pytest.mark.parametrize(
    ("replaced", "by", "told"),
    [
        ('"a"', '"b"', 'system/global was changed (before: set hostname "a"; now: set hostname '
         '"b")'),
        ("edit 2\n", "edit 3\n", "firewall/policy 2 was removed"),
        ("edit 2\n", "edit 3\n", "firewall/policy 3 was added"),
        ("gp0a1b2c-in-it", "x", "firewall/policy 1 was changed"),
    ],
)
def test_what_became_of_an_object(replaced: str, by: str, told: str) -> None:
    sentences = [one.sentence for one in object_changes(BEFORE, BEFORE.replace(replaced, by))]
    assert any(sentence.startswith(told) for sentence in sentences), sentences


def test_another_order_is_a_change() -> None:
    first, second = "config a b\nedit 1\nset c d\nnext\n", "edit 2\nset c d\nnext\nend\n"
    moved = "config a b\n" + second.replace("end\n", "") + "edit 1\nset c d\nnext\nend\n"
    (one,) = object_changes(first + second, moved)
    assert one.sentence == "a/b is in another order (before: 1, 2; now: 2, 1)"
    assert object_changes(first + second, first + second) == []


def test_an_order_is_not_decided_on_a_gateway_that_somebody_changed() -> None:
    """A check that failed may have failed by what they did."""
    checks = [Check("A", "One", PASS), Check("A", "Two", FAIL, "It is slow."),
              Check("B", "Three", NOT_PROVEN, "x")]
    problem = "somebody changed the gateway while the test ran: x"
    seen = Restoration(False, problem=problem, others=("x",))
    outcome = Outcome({}, checks, {}, seen, 1.0)
    assert outcome.verdict == NOT_PROVEN
    first = f"S{problem[1:]}. This may have affected the results of the checks."
    assert reasons(outcome)[0].text == first
    alone = Outcome({}, checks, {}, Restoration(False, problem=problem), 1.0)
    assert alone.verdict == REJECTED and "It is slow" in reasons(alone)[0].sentence
    assert str(say("not_back", problem=problem)) == reasons(alone)[-1].text


@pytest.mark.parametrize("forbidden", [True, False])
def test_what_the_api_user_may_not_remove_is_not_the_gateways_fault(forbidden: bool) -> None:
    left = Restoration(False, left=("firewall/address a",), problem="1 objects would not go")
    gateway = SimpleNamespace(forbidden="403" * forbidden, lost="", other="")
    journal = SimpleNamespace(entries=[])
    workspace = SimpleNamespace(
        restore=lambda: left, changes=SimpleNamespace(journal=journal)
    )
    run = Run(Played(gateway=gateway, workspace=workspace, folder=Path("/r/20260101-a")))
    wanted = (NotProven, r"Then call \./run\.sh restore") if forbidden else (AssertionError, "go")
    with pytest.raises(wanted[0], match=wanted[1]):
        run.the_configuration_should_be_back_as_it_was()


def test_somebody_elses_change_alone_is_not_the_gateways_fault() -> None:
    seen = Restoration(False, ("x",), problem="somebody changed the gateway", others=("x",))
    workspace = SimpleNamespace(
        restore=lambda: seen, changes=SimpleNamespace(journal=SimpleNamespace(entries=[]))
    )
    run = Run(Played(gateway=SimpleNamespace(forbidden=""), workspace=workspace))
    with pytest.raises(NotProven, match=r"Somebody changed 1 objects .* \(x\)\. Nothing"):
        run.the_configuration_should_be_back_as_it_was()


@pytest.mark.parametrize("how", ["cut off", "damaged"])
def test_what_a_lost_line_may_have_told_is_not_taken_for_somebody_elses(
    changes: Changes, gateway: FortiGate, how: str
) -> None:
    """A changed attribute bears no mark, so nothing but its line tells whose it is."""
    changes.change(POLICY, 1, {"comments": "ours"})
    changes.journal.release()
    path = changes.journal.path
    head, *lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(head + (lines[0][:30] if how == "cut off" else b"x" + b"".join(lines)[1:]))
    left = Journal.read(path)
    assert left.adopt()
    told = undo(gateway, left, path.with_name(SAVED))
    assert not told.identical and told.others == () and not left.closed
    assert "it may have made these changes itself: firewall/policy 1 was changed" in told.problem
    gateway.change(POLICY, 1, {"comments": ""})  # by hand, as it says
    assert undo(gateway, left, path.with_name(SAVED)).identical and left.closed


@pytest.mark.parametrize("left", [("firewall/address gp0a1b2c-a", "firewall/policy 7"), ()])
def test_a_gateway_that_is_left_changed_is_named_with_the_call(
    changes: Changes, left: tuple[str, ...]
) -> None:
    """Also where the order is rejected for another reason."""
    folder = changes.journal.path.parent
    checks = [Check("A", "One", FAIL, "It is slow.")]
    run = {"gateway": {"serial": "FGVM01"}, "order": {"order": "A-1"}}
    outcome = Outcome(run, checks, {}, Restoration(False, left=left, problem="x"), 1.0)
    box = " ".join(closing_box(outcome, folder, "").replace("│", " ").split())
    assert "The gateway FGVM01 is left changed" in box
    assert ("2 objects of the run are left, firewall/address gp0a1b2c-a" in box) == bool(left)
    assert f"Call ./run.sh restore {folder.name}" in box
    changes.journal.close()
    assert "left changed" not in closing_box(outcome, folder, "")
