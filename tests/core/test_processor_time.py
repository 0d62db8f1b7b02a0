"""Processor time of programs, on kernels with and without the scheduler's account."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.endpoint.completed import Completed
from gatepass.endpoint.processor_time import used_s
from gatepass.endpoint.script import Script, script

ACCOUNT = "cat /proc/$p/task/*/schedstat"


class Kernel(LocalShell):
    """A host on which the scheduler's account reads otherwise."""

    account = ACCOUNT

    def run(self, command: Script, timeout_s: float = 15, again: bool = False) -> Completed:
        assert ACCOUNT in command
        return super().run(Script(command.replace(ACCOUNT, self.account)), timeout_s, again)


@pytest.mark.parametrize("account", [ACCOUNT, "cat /no/such/file", "echo 0 0 0"])
def test_of_a_program(tmp_path: Path, account: str) -> None:
    shell = Kernel("client", tmp_path)
    shell.account = account
    least = time.process_time()
    while time.process_time() < least + 0.05:  # more than a tick
        pass
    used = used_s(shell, script("{pid}", pid=os.getpid()))
    assert least <= used <= time.process_time() + 0.02
    assert used_s(shell, script("{pid} {pid}", pid=os.getpid())) >= 2 * used


def test_what_is_over_took_none(tmp_path: Path) -> None:
    shell = Kernel("client", tmp_path)
    for pids in ("", "$(cat /no/such/file)", str(2**22 + 1)):
        assert used_s(shell, Script(pids)) == 0
