"""`python -m MODULE …` as a person calls it, without loading the libraries for each call anew.

Half of what a short call takes is the loading of other people's libraries. One process of each
worker loads them once, and each call is a fork of it: a process of its own, with its own
environment, folder and channels, in which the project's own modules are loaded from the start.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from left_over import give_way, gives_way

LOADED = [
    "cryptography.x509", "paramiko", "pydantic", "requests", "rich.console", "rich.table",
    "robot.run", "robotlibcore", "scapy.layers.inet6", "sqlite3", "yaml",
]
"""Nothing of the project itself, which reads its environment when it is loaded."""


def call(
    module: str, *words: str, folder: Path, environment: Mapping[str, str], patience_s: float
) -> subprocess.CompletedProcess[str]:
    """Run a module's command line to its end.

    Args:
        module: its name; found in the folders of the environment's PYTHONPATH.
        words: of its command line.
        folder: in which it works.
        environment: all of it.
        patience_s: for how long it may run.

    Raises:
        subprocess.TimeoutExpired: it ran longer, and was killed.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as complained:
        channels = tuple(f"/proc/{os.getpid()}/fd/{one.fileno()}" for one in (said, complained))
        process = context.Process(
            target=_become,
            args=(module, words, str(folder), dict(environment), channels, gives_way()),
        )
        process.start()
        process.join(patience_s)
        if process.is_alive():
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired([module, *words], patience_s)
        for channel in (said, complained):
            channel.seek(0)
        ended = (process.exitcode, said.read(), complained.read())
        return subprocess.CompletedProcess([module, *words], *ended)


def _become(
    module: str,
    words: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    channels: Sequence[str],
    gives: bool,
) -> None:
    """Be `python -m MODULE …`, in the process forked for it, and give way as its caller does."""
    if gives:
        give_way()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, channel in enumerate(channels, start=1):
        opened = os.open(channel, os.O_WRONLY | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
    sys.argv = [module, *words]
    sys.path[:0] = [folder, *environment.get("PYTHONPATH", "").split(os.pathsep)]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
