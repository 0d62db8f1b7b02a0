"""Keeps the browser's processes, and ends all of it when the run is gone, however it ended.

Usage: python -m gatepass.gui.warden. It writes the path of a Unix socket in a folder that is its
owner's alone, and reads lines of JSON: {"browser": true} starts the Browser library's server of
Playwright there, so that no other user of the machine can drive the browser; {"session": {"url":
..., "ca_file": ..., "cookies": {...}}} names a session that is to be logged out. At the end of the
input, which comes with the end of the process that writes it, the sessions are ended, all processes
killed, and the folder in which the browser had its profiles removed. It stands in a session of its
own, so that what kills the run's group leaves it alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gatepass.base.confined import confined
from gatepass.base.environment import HOMES, without_secrets

PREFIX = "gatepass-browser-"
_SUBREAPER = 36  # prctl(2): orphans of the browser become this process's children
_END_S = 5
_SOCKET = "playwright"
_LOG_OUT_S = 1.0, 2.0


def main() -> None:
    """Work until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))  # 0700
    sessions = []
    try:
        print(folder / _SOCKET, flush=True)
        for line in sys.stdin:
            told = json.loads(line)
            if "browser" in told:
                start(folder)
            else:
                sessions.append(told["session"])
    finally:
        end_children()
        shutil.rmtree(folder, ignore_errors=True)
        for session in sessions:
            with contextlib.suppress(Exception):  # whoever is not there any more has none either
                log_out(session)


def start(folder: Path) -> None:
    """Start the server; everything that it leaves lies in the folder."""
    node, script = program()
    browser = confined(node)
    browser.give(folder)
    subprocess.Popen(
        [node, str(script), "unix", str(folder / _SOCKET)],  # gRPC joins the two with a colon
        cwd=script.parent,
        env={"PLAYWRIGHT_BROWSERS_PATH": "0"}
        | without_secrets()
        | dict.fromkeys(HOMES, str(folder)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **browser.rights,
    )


def program() -> tuple[str, Path]:
    """Node.js and the library's server, which its package of batteries holds (requirements.txt)."""
    batteries = importlib.util.find_spec("BrowserBatteries")
    folder = Path(str(batteries and batteries.origin)).parent / "bin"
    return str(folder / "node"), folder / "wrapper" / "index.js"


def log_out(session: dict) -> None:
    """End a session of the gateway's web page."""
    from gatepass.gui.session import Gui

    Gui(session["url"], session["ca_file"], _LOG_OUT_S).end(session["cookies"])


def end_children() -> None:
    """Kill all descendants; those that are orphaned meanwhile come to this process."""
    give_up = time.monotonic() + _END_S
    while (children := descendants(os.getpid())) and time.monotonic() < give_up:
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def descendants(pid: int) -> list[int]:
    """All that came of a process, in no order."""
    try:
        words = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    children = [int(word) for word in words]
    return [*children, *(one for child in children for one in descendants(child))]


if __name__ == "__main__":
    main()
