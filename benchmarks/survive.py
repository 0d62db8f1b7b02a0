"""What becomes of the gateway when a run is killed or has an accident, at random moments.

Each run makes and removes policies, a thousand of them, or a proxy, and is killed, or meets a disk
that fills up, an output that closes, a device that is lost, or a journal that is damaged after its
kill. Then the gateway's configuration is held against the one from before. It has to be equal, by
itself or after the call that the run's last words name; and no exit code may be another verdict's.
"""

from __future__ import annotations

import base64
import os
import random
import subprocess
import sys
import threading
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks import PROJECT
from benchmarks.bench_lab import BenchLab, labs
from benchmarks.table import show
from gatepass.gateway.configuration import comparable
from gatepass.gateway.journal import NAME as JOURNAL

WORK = (
    ("--test", "*.Policy enforcement.Policies.*"),
    ("--test", "*.No Fragment, Tiny Or Overlapping, Gets Through"),
    ("--test", "*.1000 Policies, With NAT"),
    ("--test", "*.Web proxy.*"),
    ("--test", "*.Provisioning of tenants.*"),
)
HANDOVER = ("--test", "*.Handover.*")
LATEST_S = 8.0
"""Until then something happens to a run; it takes some two seconds to come to its first change."""
NOT_PROVEN, NO_ROOM = 2, 64
"""How runs may end here: they leave checks out, so they are never approved or rejected."""
CLAIMS = ("restored", "equal by itself", "told, then restored by the call", "told: look at it")
TOLD = ("is damaged in its first line", "not back as it was")
WRONG = ("changed and nobody told", "another verdict's exit code", "a traceback")
_LONGEST_S = 180


class Runs:
    """Runs against one lab, one after the other.

    Args:
        lab: that is up.
        chance: where and when things happen.
    """

    def __init__(self, lab: BenchLab, chance: random.Random) -> None:
        self.lab = lab
        self.chance = chance
        self.results = lab.folder / "survive"
        self.results.mkdir()
        with lab.inside():
            self.gateway = lab.gateway()
            self.backup = self.gateway.backup()
            self.before = comparable(self.backup)

    def start(self, results: Path, output: int = subprocess.PIPE) -> subprocess.Popen[str]:
        """Start a run."""
        words = ["run", "--testbed", str(self.lab.testbed_file), "--profile", "smoke", "--"]
        work = self.chance.choice(WORK)
        return self._popen(results, *words, *work, *HANDOVER, output=output)

    def call(self, results: Path, *words: str) -> tuple[int, str]:
        """Exit code and words of another command."""
        process = self._popen(results, *words)
        said, _ = process.communicate(timeout=_LONGEST_S)
        return process.returncode, said

    def _popen(
        self, results: Path, *words: str, output: int = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        environment = {"GATEPASS_RESULTS": str(results), "GATEPASS_PDF": "no"}
        environment["GATEPASS_HISTORY"] = str(self.lab.folder / "history.sqlite3")
        return subprocess.Popen(
            [sys.executable, "-m", "gatepass", *words],
            cwd=PROJECT,
            env=self.lab.environment | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait(self) -> None:
        """Until something happens."""
        time.sleep(self.chance.uniform(0.5, LATEST_S))

    def equal(self) -> bool:
        """Whether the gateway is as it was before all runs."""
        with self.lab.inside():
            return comparable(self.gateway.backup()) == self.before

    def judged(self, results: Path, code: int, said: str, damaged: bool = False) -> str:
        """What became of the gateway, one of `CLAIMS` and `WRONG`; it is whole again after.

        Args:
            results: folder of the run.
            code, said: how the run, or its restore after a kill, ended.
            damaged: whether its journal may tell nothing any more.
        """
        if "Traceback" in said or "itself failed" in said:
            return WRONG[2]
        if self.equal():
            return CLAIMS[1]
        if "./run.sh restore" not in said and not damaged:
            return WRONG[0]
        _, again = self.call(results, "restore")
        if self.equal():
            return CLAIMS[2]
        names = [path.parent.name for path in results.glob(f"*/{JOURNAL}")]
        self.call(results, "restore", *names, "--by-mark")
        if self.equal():
            return CLAIMS[2]
        return CLAIMS[3] if any(words in again for words in TOLD) else WRONG[0]


def killed(runs: Runs, folder: Path) -> str:
    """``kill -9`` at any moment, and a restore."""
    run = runs.start(folder)
    runs.wait()
    run.kill()
    run.communicate()
    code, said = runs.call(folder, "restore")
    if runs.equal():
        return CLAIMS[0] if code == 0 else WRONG[1]
    return runs.judged(folder, code, said)


def disk_full(runs: Runs, folder: Path) -> str:
    """A disk of any size that somebody else fills up at any moment."""
    with _disk(folder, runs.chance.randint(40, 90)) as small:
        run = runs.start(small)
        runs.wait()
        with suppress(OSError), (small / "filling").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(2**14))
        said, _ = run.communicate(timeout=_LONGEST_S)
        if run.returncode not in (NOT_PROVEN, NO_ROOM):
            return WRONG[1]
        (small / "filling").unlink(missing_ok=True)
        return runs.judged(small, run.returncode, said)


def output_closed(runs: Runs, folder: Path) -> str:
    """Nobody reads what it says any more, from any moment on."""
    reader, writer = os.pipe()
    run = runs.start(folder, output=writer)
    os.close(writer)
    heard = threading.Thread(target=_read, args=[reader, runs.chance.uniform(0.0, LATEST_S)])
    heard.start()
    run.wait(timeout=_LONGEST_S)
    heard.join()
    if run.returncode != NOT_PROVEN:
        return WRONG[1]
    return runs.judged(folder, run.returncode, "")


def device_lost(runs: Runs, folder: Path) -> str:
    """The management of the device fails from any moment on, until after the run."""
    run = runs.start(folder)
    runs.wait()
    runs.lab.must("lab", "fault", runs.chance.choice(("api-drop", "api-500")), "--lab", "bench")
    said, _ = run.communicate(timeout=_LONGEST_S)
    runs.lab.must("lab", "fault", "--clear", "--lab", "bench")
    if run.returncode != NOT_PROVEN:
        return WRONG[1]
    return runs.judged(folder, run.returncode, said)


def journal_damaged(runs: Runs, folder: Path) -> str:
    """Killed, and a line of its journal turned round or cut off."""
    run = runs.start(folder)
    runs.wait()
    run.kill()
    run.communicate()
    for path in folder.glob(f"*/{JOURNAL}"):
        content = bytearray(path.read_bytes())
        at = runs.chance.randrange(max(1, len(content)))
        if runs.chance.random() < 0.5 or not content:
            content = content[:at]
        else:
            content[at] ^= 1 << runs.chance.randrange(8)
        path.write_bytes(content)
    code, said = runs.call(folder, "restore")
    if code not in (0, NOT_PROVEN):
        return WRONG[1]
    if code == 0 and not runs.equal():
        return WRONG[0]
    return runs.judged(folder, code, said, damaged=True)


ACCIDENTS = (disk_full, output_closed, device_lost, journal_damaged)


def main(args: Namespace) -> None:
    """`--times` kills (100 unless given) and as many accidents, in two labs side by side."""
    times = args.times or 100
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    plan: list[Callable[[Runs, Path], str]] = [killed] * times
    plan += [ACCIDENTS[number % len(ACCIDENTS)] for number in range(times)]
    random.Random(seed).shuffle(plan)
    found: Counter[tuple[str, str]] = Counter()
    stopped = threading.Event()
    with labs(2) as both, ThreadPoolExecutor(len(both)) as side_by_side:

        def work(number: int) -> None:
            runs = Runs(both[number], random.Random(seed + number))
            for turn, happens in enumerate(plan[number :: len(both)]):
                if stopped.is_set():
                    return
                folder = runs.results / str(turn)
                folder.mkdir()
                claim = happens(runs, folder)
                found[happens.__name__.replace("_", " "), claim] += 1
                if not _whole(runs):
                    raise SystemExit(f"{folder}: the gateway cannot be made whole again")
                if claim in WRONG:
                    print(f"{happens.__name__}, {folder}: {claim}", flush=True)

        try:
            list(side_by_side.map(work, range(len(both))))
        finally:
            stopped.set()  # where one ends early, or all is stopped from outside
    kinds = [one.__name__.replace("_", " ") for one in (killed, *ACCIDENTS)]
    rows = [
        (kind, sum(count for (of, _), count in found.items() if of == kind),
         *(found[kind, claim] for claim in (*CLAIMS, *WRONG)))
        for kind in kinds
    ]  # fmt: skip
    show(("what happened", "runs", *CLAIMS, *WRONG), rows)
    held = sum(count for (_, claim), count in found.items() if claim in CLAIMS)
    print(f"\n{held} of {2 * times} held")


def _whole(runs: Runs) -> bool:
    """Whether the gateway is as it was; where it is not, it is made so for the next run."""
    if runs.equal():
        return True
    content = base64.b64encode(runs.backup.encode()).decode()
    body = {"source": "upload", "scope": "global", "file_content": content}
    with runs.lab.inside():
        runs.gateway.monitor("system/config/restore", body=body)
    return runs.equal()


@contextmanager
def _disk(folder: Path, mib: int) -> Iterator[Path]:
    """A small disk at a folder."""
    words = ["mount", "-n", "-t", "tmpfs", "-o", f"size={mib}m", "none", str(folder)]
    subprocess.run(words, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-n", "--lazy", str(folder)], check=True)


def _read(reader: int, seconds: float) -> None:
    """Read for a while, and then no more."""
    ends = time.monotonic() + seconds
    os.set_blocking(reader, False)
    while time.monotonic() < ends:
        with suppress(BlockingIOError):
            if not os.read(reader, 2**16):
                break
        time.sleep(0.05)
    os.close(reader)

