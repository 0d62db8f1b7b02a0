"""The processes beside the gateway's: they end with it."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from lab.base import share
from lab.base.process import die_with_parent
from lab.gateway.dataplane.errors import DataPlaneError

_PROJECT = Path(__file__).resolve().parents[4]
# Whoever wants a processor has it before this: within its session, and as a session (sched(7)).
_HOG = """[ -w /proc/self/autogroup ] && echo 19 >/proc/self/autogroup
exec chrt --idle 0 sh -c 'while :; do :; done'"""
_START_S = 20.0
_ANSWER_S = 10.0

# The EICAR test file and nothing else, in two ways: by its sum, and by its text wherever it stands.
_HASH = "44d88612fea8a8f36de82e1278abb02f:68:Eicar-Test-Signature\n"
_TEXT = "Eicar-Test-Signature:0:*:{}\n"
_EICAR = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-" + b"STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
# clamd does not start without any signature.
_NOTHING = "Gatepass-No-Virus:0:*:" + os.urandom(32).hex() + "\n"

# What clamd looks into is kept to raw files and archives: it is to be as fast as one processor of a
# lab allows, and it has no signature for what else it could take apart.
_CONFIGURATION = """\
Foreground yes
DatabaseDirectory {database}
LocalSocket {socket}
LocalSocketMode 600
PidFile {folder}/clamd.pid
LogFile {folder}/clamd.log
LogFileMaxSize 2M
TemporaryDirectory {folder}
DisableCache yes
SelfCheck 0
MaxThreads 16
IdleTimeout 86400
StreamMaxLength 2000M
MaxFileSize 2000M
MaxScanSize 4000M
MaxScanTime 0
ScanPE no
ScanELF no
ScanOLE2 no
ScanPDF no
ScanSWF no
ScanXMLDOCS no
ScanHWP3 no
ScanOneNote no
ScanMail no
ScanHTML no
ScanImage no
HeuristicAlerts no
PhishingSignatures no
PhishingScanURLs no
"""


def start(command: Sequence[str], log: Path, **more: Any) -> subprocess.Popen[bytes]:
    """Start a program that ends with this process.

    Args:
        command: the program and its arguments.
        log: takes what it says.
        more: of `subprocess.Popen`.

    Raises:
        DataPlaneError: there is no such program.
    """
    with log.open("ab") as output:
        try:
            return subprocess.Popen(
                command,
                stderr=output,
                preexec_fn=die_with_parent(os.getpid()),
                **({"stdin": subprocess.DEVNULL, "stdout": output, "cwd": _PROJECT} | more),
            )
        except OSError as error:
            raise DataPlaneError(
                f"{command[0]} cannot be started ({error.strerror}); "
                "install the package that holds it."
            ) from None


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and wait for it."""
    process.kill()
    process.wait()


def last_words(log: Path) -> str:
    """The last lines of a log, as one."""
    with suppress(OSError):
        return " / ".join(log.read_text(errors="replace").split("\n")[-4:]).strip(" /")
    return ""


class Hogs:
    """Processes that take all processors, but for what anybody else wants."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._processes: list[subprocess.Popen[bytes]] = []

    def run(self) -> None:
        """Have one for each processor.

        Raises:
            DataPlaneError: there is no shell.
        """
        for _ in range(len(self._processes), os.cpu_count() or 1):
            hog = start(("sh", "-c", _HOG), self._log, start_new_session=True)
            self._processes.append(hog)
            share.leave(hog.pid)

    def stop(self) -> None:
        """End them."""
        for process in self._processes:
            end(process)
        self._processes.clear()


class ClamdProcess:
    """The virus scanner, with a folder of its own for socket, log and signatures."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.socket = folder / "clamd.sock"
        self._process: subprocess.Popen[bytes] | None = None
        self._knows: bool | None = None

    def run(self, signatures: bool) -> None:
        """Have it run, with or without its signatures.

        Raises:
            DataPlaneError: it does not start.
        """
        running = self._process is not None and self._process.poll() is None
        if running and signatures == self._knows:
            return
        self.stop()
        self._write(signatures)
        self._process = start(
            [self._copy(), "-c", str(self._folder / "clamd.conf")], self._folder / "clamd.out"
        )
        self._knows = signatures
        until = time.monotonic() + _START_S
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > until:
                words = last_words(self._folder / "clamd.out")
                self.stop()
                raise DataPlaneError(f"The virus scanner does not start: {words}")
            time.sleep(0.01)

    def _copy(self) -> str:
        """A copy of the installed program, as AppArmor's profile of it goes by its path (Debian and
        Ubuntu enforce it) and lets it read no configuration but /etc/clamav's.

        Raises:
            DataPlaneError: there is no such program.
        """
        program = shutil.which("clamd")
        if program is None:
            raise DataPlaneError("There is no clamd; install the package clamav-daemon.")
        return str(shutil.copy(program, self._folder / "clamd"))

    def _write(self, signatures: bool) -> None:
        database = self._folder / "database"
        database.mkdir(mode=0o700, parents=True, exist_ok=True)
        (database / "lab.hdb").unlink(missing_ok=True)
        text = _TEXT.format(_EICAR.hex()) if signatures else _NOTHING
        (database / "lab.ndb").write_text(text)
        if signatures:
            (database / "lab.hdb").write_text(_HASH)
        (self._folder / "clamd.conf").write_text(
            _CONFIGURATION.format(database=database, folder=self._folder, socket=self.socket)
        )

    def _listens(self) -> bool:
        # clamd makes the socket when its signatures are loaded.
        return self.socket.exists()

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            end(self._process)
            self._process = None
        self.socket.unlink(missing_ok=True)


class Worker:
    """A process of the lab that writes a line when it is ready, and answers each line it is told.

    Args:
        name: what messages call it.
        command: the program and its arguments.
        log: takes what it says on standard error.
    """

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        self._name, self._command, self._log = name, command, log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> str:
        """Start it; answers its first line.

        Raises:
            DataPlaneError: it does not start.
        """
        self.stop()
        self._process = start(
            self._command, self._log, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        return self._hear(_START_S)

    def ask(self, line: bytes) -> str:
        """Tell it a line; answers its answer.

        Raises:
            DataPlaneError: it does not answer, and was ended.
        """
        assert self._process is not None and self._process.stdin is not None
        with suppress(BrokenPipeError):
            view = memoryview(line)
            while view:
                view = view[self._process.stdin.write(view) :]
        return self._hear(_ANSWER_S)

    def _hear(self, seconds: float) -> str:
        assert self._process is not None and self._process.stdout is not None
        output: IO[bytes] = self._process.stdout
        answer = b""
        until = time.monotonic() + seconds
        while not answer.endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                break
            piece = os.read(output.fileno(), 65_536)
            if not piece:
                break
            answer += piece
        if not answer.endswith(b"\n"):
            words = last_words(self._log)
            self.stop()
            raise DataPlaneError(f"{self._name} does not answer: {words or 'it says nothing'}")
        return answer.decode()

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            end(self._process)
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None


class InspectorProcess:
    """The inspector (`python -m lab.inspector`), told by lines on its standard input."""

    def __init__(self, clamd: Path, log: Path) -> None:
        command = [sys.executable, "-m", "lab.inspector"]
        command += ["--clamd", str(clamd), "--log", str(log)]
        self._worker = Worker("The inspector", command, log.with_name("inspector.log"))
        self._ports = (1, 1)
        self._told = b""

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._worker.running

    def run(self) -> tuple[int, int]:
        """Have it run; answers its ports for IPv4 and IPv6.

        Raises:
            DataPlaneError: it does not start.
        """
        if not self.running:
            self._told = b""
            first, second = self._worker.start().split()
            self._ports = (int(first), int(second))
        return self._ports

    def tell(self, plan: dict[str, Any]) -> None:
        """Tell it the plan and wait until it works by that; nothing where it knows it already.

        Raises:
            DataPlaneError: it does not answer.
        """
        line = json.dumps(plan).encode() + b"\n"
        if line == self._told:
            return
        self._told = b""
        self._worker.ask(line)
        self._told = line

    def stop(self) -> None:
        """End it; the sessions that it holds break."""
        self._worker.stop()
        self._told = b""
