"""Changes and their undoing, on the lab's own gateway process."""

from __future__ import annotations

from contextlib import suppress

import pytest
from gateway_client import GatewayUnderTest, policy

from gatepass.gateway.changes import Changes, marked, remove_marked
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.journal import Journal
from gatepass.gateway.saved import SAVED
from gatepass.gateway.undo import undo

POLICY, ADDRESS = "firewall/policy", "firewall/address"
MARK = "gp0a1b2c"


def restored(changes: Changes):
    """What the undoing says."""
    return undo(changes.gateway, changes.journal, changes.journal.path.with_name(SAVED))


def policies(count: int, first: int = 100) -> list[dict]:
    """Policies of the run."""
    return [
        policy(f"{MARK}-p{number}") | {"policyid": number}
        for number in range(first, first + count)
    ]


def addresses(*names: str) -> list[dict]:
    """Addresses of the run."""
    return [
        {"name": f"{MARK}-{name}", "type": "ipmask", "subnet": "198.19.1.0 255.255.255.0"}
        for name in names
    ]


def ids(gateway: FortiGate) -> list[int]:
    """The policies in their order."""
    return [row["policyid"] for row in gateway.rows(POLICY)]


def refuse(*_: object) -> None:
    raise Refused("There is no such monitor.", status=404)


class TestCreating:
    """The fastest way that the device offers, and the next one where it does not."""

    def test_many_rows(self, changes: Changes) -> None:
        rows = policies(300)
        assert changes.create_many(POLICY, rows, before=1) == "script"
        assert ids(changes.gateway) == [*range(100, 400), 1]
        told = restored(changes)
        assert (told.identical, told.left) == (True, ())
        assert changes.journal.closed

    def test_a_table_that_is_full_is_told_and_left_as_it_was(
        self, changes: Changes, device: GatewayUnderTest
    ) -> None:
        """As under an evaluation licence: no other way would find room."""
        before = ids(changes.gateway)
        device.control("PUT", "/faults/evaluation-licence", {})
        with pytest.raises(Refused, match=r"table is full .*an evaluation licence it holds 3 pol"):
            changes.create_many(POLICY, policies(5))
        assert ids(changes.gateway) == before
        assert changes.create_many(POLICY, policies(2)) == "script"
        assert restored(changes).identical

    def test_what_another_transaction_holds_is_told(
        self, changes: Changes, gateway: FortiGate, device: GatewayUnderTest
    ) -> None:
        begun = device.post("cmdb?action=transaction-start", {})["results"]["transaction-id"]
        header = {"X-TRANSACTION-ID": str(begun)}
        device.put("cmdb/firewall/policy/1", {"comments": "theirs"}, headers=header)
        with pytest.raises(Refused, match=r"\(workspace mode\) is locked.*committed or aborted"):
            gateway.change(POLICY, 1, {"comments": "ours"})
        device.post("cmdb?action=transaction-abort", {"transaction-id": begun})
        gateway.change(POLICY, 1, {"comments": "ours"})

    @pytest.mark.parametrize(
        ("missing", "way"),
        [
            (["run_script"], "transaction"),
            (["run_script", "transaction"], "one by one"),
        ],
    )
    def test_slower_ways(
        self, changes: Changes, monkeypatch: pytest.MonkeyPatch, missing: list[str], way: str
    ) -> None:
        for name in missing:
            monkeypatch.setattr(changes.gateway, name, refuse)
        assert changes.create_many(POLICY, policies(25), before=1) == way
        assert ids(changes.gateway) == [*range(100, 125), 1]
        assert restored(changes).identical

    def test_what_a_script_cannot_say_goes_another_way(
        self, changes: Changes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made: list[dict] = []
        monkeypatch.setattr(changes.gateway, "create", lambda path, row: made.append(row))
        row = addresses("a")[0] | {"list": [{"ip": "198.19.2.1", "obj-id": "1"}]}
        with pytest.raises(AssertionError, match="shows 0"):  # the read-back after it
            changes.create_many(ADDRESS, [row])
        assert made == [row]

    def test_what_the_device_refuses_each_way_leaves_nothing(self, changes: Changes) -> None:
        rows = policies(3)
        rows[2] = rows[2] | {"service": [{"name": "no-such-service"}]}
        with pytest.raises(Refused, match="no-such-service"):
            changes.create_many(POLICY, rows)
        assert restored(changes).identical

    def test_half_a_script_is_removed_before_the_next_way(
        self, changes: Changes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = changes.gateway.run_script
        monkeypatch.setattr(
            changes.gateway,
            "run_script",
            lambda name, text: run(name, text.replace("edit 101", "edit nonsense")),
        )
        assert changes.create_many(POLICY, policies(3)) == "transaction"
        assert ids(changes.gateway) == [1, 100, 101, 102]

    def test_values_read_back_as_they_were_told(self, changes: Changes) -> None:
        odd = ['say "hello" \\ to all', "two  spaces", "#no comment", "it's", "end", "set x y"]
        rows = [
            row | {"comment": comment}
            for row, comment in zip(addresses("a", "b b", "c", "d", "e", "f"), odd, strict=True)
        ]
        assert changes.create_many(ADDRESS, rows) == "script"
        service = {"name": f"{MARK}-s", "protocol": "TCP/UDP/SCTP", "tcp-portrange": "80 443-445"}
        assert changes.create_many("firewall.service/custom", [service]) == "script"
        empty = policies(1)[0] | {"groups": [], "comments": "x"}
        assert changes.create_many(POLICY, [empty]) == "script"
        vip = {"name": f"{MARK}-vip", "extip": "198.18.2.100", "extintf": "port1"}
        vip["mappedip"] = [{"range": "198.18.1.10"}]
        assert changes.create_many("firewall/vip", [vip]) == "script"
        assert restored(changes).identical

    def test_nothing_without_the_mark(self, changes: Changes) -> None:
        row = {"name": "customer", "subnet": "198.19.1.0 255.255.255.0"}
        for create in (changes.create, lambda path, one: changes.create_many(path, [one])):
            with pytest.raises(ValueError, match="without the run's mark"):
                create(ADDRESS, row)
        assert changes.journal.entries == []

    def test_it_is_announced_before_it_is_done(
        self, changes: Changes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[dict] = []

        def spy(*_: object) -> None:
            seen.extend(Journal.read(changes.journal.path).entries)
            raise GatewayLost("gone")

        for name in ("create", "run_script", "change"):
            monkeypatch.setattr(changes.gateway, name, spy)
        shaper = "firewall.shaper/traffic-shaper"
        for act in (
            lambda: changes.create(ADDRESS, addresses("a")[0]),
            lambda: changes.create_many(POLICY, policies(2)),
            lambda: changes.change(shaper, "sgw-200", {"priority": "low"}),
        ):
            with pytest.raises(GatewayLost):
                act()
        assert seen[0]["mkeys"] == [f"{MARK}-a"]
        assert seen[2]["mkeys"] == [100, 101]
        assert seen[-1]["before"] == {"priority": "medium"}


class TestVerifying:
    """A device that says yes and does something else is caught."""

    @pytest.fixture
    def one_by_one(self, changes: Changes, monkeypatch: pytest.MonkeyPatch) -> None:
        """No faster way."""
        for name in ("run_script", "transaction"):
            monkeypatch.setattr(changes.gateway, name, refuse)

    @pytest.mark.usefixtures("one_by_one")
    def test_nothing_done(self, changes: Changes, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("create", "move"):
            monkeypatch.setattr(changes.gateway, name, lambda *_: None)
        with pytest.raises(AssertionError, match=r"accepted 2 rows .* shows 0 .*100 is the first"):
            changes.create_many(POLICY, policies(2), before=1)

    @pytest.mark.usefixtures("one_by_one")
    def test_something_else_done(
        self, changes: Changes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        create = changes.gateway.create
        monkeypatch.setattr(
            changes.gateway, "create", lambda path, row: create(path, row | {"action": "deny"})
        )
        with pytest.raises(AssertionError, match="with action = accept and shows deny"):
            changes.create_many(POLICY, policies(2), before=1)
        monkeypatch.undo()
        assert restored(changes).identical

    @pytest.mark.usefixtures("one_by_one")
    def test_no_moves_at_all(self, changes: Changes, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(changes.gateway, "move", lambda *_: None)
        with pytest.raises(AssertionError, match="in another order"):
            changes.create_many(POLICY, policies(2), before=1)

    @pytest.mark.parametrize(
        ("told", "done"),
        [
            ("config firewall policy", "config firewall polcy"),
            ("edit 101\n", "edit nonsense\n"),
            ("set action accept", "set action deny"),
            ("move 100 before 1\n", ""),
            ("move 101 before 1\nend", "move 101 before 100\nend"),
        ],
    )
    def test_what_a_script_did_in_half_and_said_yes_to_is_done_another_way(
        self, changes: Changes, monkeypatch: pytest.MonkeyPatch, told: str, done: str
    ) -> None:
        """A device carries out the valid lines of a script; how it went stands in its history."""
        run = changes.gateway.run_script

        def half(name: str, text: str) -> None:
            assert told in text
            with suppress(Refused):
                run(name, text.replace(told, done))

        monkeypatch.setattr(changes.gateway, "run_script", half)
        assert changes.create_many(POLICY, policies(2), before=1) == "transaction"
        assert ids(changes.gateway) == [100, 101, 1]
        monkeypatch.undo()
        assert restored(changes).identical

    def test_a_script_that_the_gateway_did_in_half_is_done_another_way(
        self, changes: Changes, device: GatewayUnderTest
    ) -> None:
        """With what it made of the script removed first."""
        device.control("PUT", "/faults/objects-lost", {"every": 3, "times": 1})
        try:
            assert changes.create_many(POLICY, policies(4), before=1) == "transaction"
        finally:
            device.control("DELETE", "/faults/objects-lost")
        assert ids(changes.gateway) == [100, 101, 102, 103, 1]
        assert restored(changes).identical

    def test_a_delete_that_is_not_done(self, changes: Changes, device: GatewayUnderTest) -> None:
        changes.create_many(POLICY, policies(2))
        device.control("PUT", "/faults/delete-ignored", {})
        with pytest.raises(AssertionError, match=r"deleted firewall/policy 100 and still .*2 of 2"):
            changes.remove(POLICY, [100, 101])


class TestTheCustomers:
    """Objects that are not of the run stay as they are, whatever happens."""

    @pytest.fixture
    def theirs(self, device: GatewayUnderTest) -> dict:
        """Somebody has made a policy under a key that the run was going to use."""
        device.post("cmdb/firewall/policy", policy("customer-new") | {"policyid": 101})
        return device.get("cmdb/firewall/policy/101")[0]

    def test_a_key_that_is_taken(
        self, changes: Changes, device: GatewayUnderTest, theirs: dict
    ) -> None:
        with pytest.raises(Refused, match="101 that is not of this run"):
            changes.create_many(POLICY, policies(3), before=1)
        with pytest.raises(Refused, match="101 that is not of this run"):
            changes.create(POLICY, policies(2)[1])
        assert changes.journal.entries == []
        assert device.get("cmdb/firewall/policy/101")[0] == theirs
        restored(changes)
        assert device.get("cmdb/firewall/policy/101")[0] == theirs

    def test_a_key_that_was_ours_and_is_theirs_now(
        self, changes: Changes, device: GatewayUnderTest
    ) -> None:
        changes.create_many(POLICY, policies(30))
        device.delete("cmdb/firewall/policy/101")
        device.post("cmdb/firewall/policy", policy("customer-new") | {"policyid": 101})
        told = restored(changes)
        assert ids(changes.gateway) == [1, 101]
        assert not told.identical and told.left == ()
        assert any("customer-new" in line for line in told.differences)

    @pytest.mark.parametrize("mkeys", [[1], [1, 2, 3], ["all"], list(range(50))])
    def test_their_keys_in_our_journal(self, changes: Changes, mkeys: list) -> None:
        for path in (POLICY, ADDRESS, "firewall/shaping-policy", "firewall.shaper/traffic-shaper"):
            changes.journal.creates(path, mkeys)
        changes.journal.creates("firewall.shaper/traffic-shaper", ["sgw-200"])
        changes.journal.creates(ADDRESS, ["customer-lan"])
        assert restored(changes).identical

    @pytest.mark.parametrize("mark", ["", "other"])
    def test_no_mark_marks_nothing(self, gateway: FortiGate, mark: str) -> None:
        assert not marked({"name": "customer", "comment": ""}, mark)
        remove_marked(gateway, POLICY, [1], mark)
        remove_marked(gateway, ADDRESS, ["customer-lan"], mark)
        assert ids(gateway) == [1]
        assert gateway.row(ADDRESS, "customer-lan")

    def test_a_change_of_theirs_is_taken_back(self, changes: Changes) -> None:
        shaper = "firewall.shaper/traffic-shaper"
        changes.change(shaper, "sgw-200", {"maximum-bandwidth": 1000, "priority": "low"})
        changes.change(shaper, "sgw-200", {"maximum-bandwidth": 2000})
        changes.change(POLICY, 1, {"service": [{"name": "SSH"}]})
        assert changes.gateway.row(shaper, "sgw-200")["maximum-bandwidth"] == 2000
        assert restored(changes).identical

    def test_no_object_to_change(self, changes: Changes) -> None:
        with pytest.raises(Refused, match="no firewall/policy 999"):
            changes.change(POLICY, 999, {"status": "disable"})
        assert changes.journal.entries == []


class TestUndoing:
    """Whatever was done, or only announced, is gone after; what cannot be undone is told."""

    def test_nothing_done(self, changes: Changes) -> None:
        assert restored(changes).identical

    def test_references_and_what_was_only_announced(self, changes: Changes) -> None:
        changes.create_many(ADDRESS, addresses("a", "b"))
        changes.create(POLICY, policies(1)[0] | {"srcaddr": [{"name": f"{MARK}-a"}]})
        changes.journal.creates(POLICY, [500, 501])
        changes.journal.creates(ADDRESS, [f"{MARK}-never"])
        assert restored(changes).identical

    def test_our_own_leavings_are_no_obstacle(self, changes: Changes) -> None:
        changes.create_many(POLICY, policies(2))
        changes.create_many(POLICY, policies(4))
        assert ids(changes.gateway) == [1, 100, 101, 102, 103]

    def test_what_would_not_go_is_told_and_goes_later(
        self, changes: Changes, device: GatewayUnderTest
    ) -> None:
        changes.create_many(ADDRESS, addresses(*"abc"))
        device.control("PUT", "/faults/delete-ignored", {})
        told = restored(changes)
        assert told.left == tuple(f"{ADDRESS} {MARK}-{name}" for name in "abc")
        assert "3 objects of the run could not be removed" in told.problem
        assert not changes.journal.closed
        device.control("DELETE", "/faults")
        assert restored(changes).identical

    @pytest.mark.parametrize("count", [3, 40])
    def test_one_that_is_in_use_does_not_keep_the_others(
        self, changes: Changes, device: GatewayUnderTest, count: int
    ) -> None:
        rows = addresses(*(f"n{index}" for index in range(count)))
        changes.create_many(ADDRESS, rows)
        used = policy("customer-new") | {"srcaddr": [{"name": rows[0]["name"]}]}
        number = device.post("cmdb/firewall/policy", used)["mkey"]
        with pytest.raises(Refused, match=rf"{MARK}-n0.*1 of {count} are left"):
            changes.remove(ADDRESS, [row["name"] for row in rows])
        told = restored(changes)
        assert told.left == (f"{ADDRESS} {MARK}-n0",)
        assert "refuses DELETE" in told.problem
        device.delete(f"cmdb/firewall/policy/{number}")
        assert restored(changes).identical

    def test_a_gateway_that_is_lost_midway(
        self, changes: Changes, device: GatewayUnderTest
    ) -> None:
        changes.create_many(ADDRESS, addresses("a", "b"))
        changes.create_many(POLICY, policies(3))
        device.control("PUT", "/faults/api-drop", {"method": "DELETE", "after": 1})
        told = restored(changes)
        assert not told.identical
        assert "REST API" in told.problem
        assert not changes.journal.closed
        device.control("DELETE", "/faults")
        assert restored(changes).identical

    def test_a_gateway_that_is_down(self, changes: Changes, device: GatewayUnderTest) -> None:
        changes.create_many(POLICY, policies(2))
        device.kill()
        told = restored(changes)
        assert not told.identical and "REST API" in told.problem
        device.start()
        assert restored(changes).identical

    def test_the_saved_configuration_is_gone(self, changes: Changes) -> None:
        changes.create_many(POLICY, policies(2))
        changes.journal.path.with_name(SAVED).unlink()
        told = restored(changes)
        assert not told.identical and "cannot be read" in told.problem
        assert ids(changes.gateway) == [1]

    def test_what_others_changed_meanwhile_is_told(
        self, changes: Changes, device: GatewayUnderTest
    ) -> None:
        device.put("cmdb/firewall/policy/1", {"status": "disable"})
        told = restored(changes)
        assert not told.identical
        assert told.differences == ("config firewall policy: + set status disable",)
        assert changes.journal.closed  # it is theirs to undo

    def test_what_carries_our_mark_is_ours_to_undo_wherever_it_is(
        self, changes: Changes, device: GatewayUnderTest
    ) -> None:
        """As what a script made that was still at work when its run was killed."""
        device.post("cmdb/firewall/address", addresses("late")[0])
        told = restored(changes)
        assert "stand in no line of its journal" in told.problem
        assert not changes.journal.closed
        device.delete(f"cmdb/firewall/address/{MARK}-late")
        assert restored(changes).identical
