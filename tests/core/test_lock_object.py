"""The object by which a gateway tells who has it."""

from __future__ import annotations

import pytest

from gatepass.gateway.config_objects import marks_in, objects_named
from gatepass.gateway.configuration import comparable
from gatepass.gateway.lock_object import NAME, Lock, others_in, without_locks

LOCK = Lock("gp9f8e7d", "20261128-091500-77", "ada", "build7", "2026-11-28T09:15")
WITHOUT = """config firewall address
    edit "a"
        set subnet 10.0.0.1 255.255.255.255
    next
end
"""
OBJECT = f"""    edit "{NAME}"
        set uuid 8e7b4fba-6f3e-51ee-9a5c-1f2d3c4b5a69
        set comment "{LOCK.comment}"
        set subnet 0.0.0.0 255.255.255.255
    next
"""
WITH = WITHOUT.replace("end\n", f"{OBJECT}end\n")


def test_what_is_written_is_read() -> None:
    assert Lock.of(LOCK.comment) == LOCK
    assert len(Lock.own("gp9f8e7d", "r" * 300).comment) <= 255


@pytest.mark.parametrize("name", ["a b", "å", "x\n", '"', "\\", "#", "<", "a" * 99, ""])
def test_any_name_of_a_run_an_account_or_a_host(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device refuses some letters in comments."""
    monkeypatch.setenv("SUDO_USER", name)
    monkeypatch.setattr("socket.gethostname", lambda: name)
    own = Lock.own("gp9f8e7d", name)
    assert Lock.of(own.comment) == own and own.comment.isascii()
    assert not set(own.comment) & set("<>()#'\"\n")


def test_it_is_no_part_of_the_configuration_that_is_compared() -> None:
    assert without_locks(WITH) == WITHOUT and comparable(WITH) == comparable(WITHOUT)
    alone = "config firewall address\n" + OBJECT + "end\n"
    assert without_locks(alone) == ""
    assert marks_in(comparable(WITH)) == set() == set(objects_named(comparable(WITH), LOCK.mark))


def test_one_of_another_virtual_domain_is_found_in_the_backup() -> None:
    backup = f"config vdom\nedit root\n{WITHOUT}end\nconfig vdom\nedit guest\n{WITH}end\n"
    assert others_in(backup, ()) == LOCK
    assert others_in(backup, (LOCK.mark,)) is None
    assert others_in(f"config vdom\nedit root\n{WITHOUT}end\n", ()) is None
    assert others_in(backup.replace(LOCK.comment, "x"), ()) == Lock()
