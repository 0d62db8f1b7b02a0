"""`python -m hostile.hostile_run JOB.json`: a recorded run once more, in which strangers attack.

The gateway's and the endpoints' recorded answers come again with metacharacters in their strings,
and what the run has to say to an endpoint's shell is looked at and not run. Where a word of an
answer is refused, it comes again as it was: so the run goes on to whatever stands behind.
Nothing is sent; a clock that is put forward takes the place of each wait.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import certifi
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from pydantic import BaseModel

from gatepass.gateway import answers, transport
from gatepass.gateway.player import Player
from gatepass.gateway.recording import Recording
from hostile.endpoint_recorder import Shapes
from hostile.poison import TAG, Poison, clean, cleaned
from hostile.unquoted import files_unquoted, unquoted

CERTIFICATE = "cmdb/vpn.certificate/local"
_TROUBLES = ("memory", "licence", "inspection")


@contextmanager
def quick_clock() -> Iterator[None]:
    """Whoever waits has waited at once."""
    real_monotonic, real_time, real_sleep = time.monotonic, time.time, time.sleep
    ahead = [0.0]

    def sleep(seconds: float) -> None:
        ahead[0] += max(seconds, 0.0001)
        real_sleep(0)

    time.monotonic = lambda: real_monotonic() + ahead[0]
    time.time = lambda: real_time() + ahead[0]
    time.sleep = sleep
    try:
        yield
    finally:
        time.monotonic, time.time, time.sleep = real_monotonic, real_time, real_sleep


def refuse_once(validated: Any, typed: bool) -> Any:
    """`answers.validated` that takes an answer again as it was, once it has refused a word of it.

    Args:
        validated: itself.
        typed: whether the others see the answer as it was, too. Otherwise the refused word goes on
            to them, as if there were no types, and whatever stands behind has to hold.
    """

    def tolerant(shape: type[BaseModel], answer: object, call: str) -> BaseModel:
        try:
            return validated(shape, answer, call)
        except answers.Malformed:
            if typed:
                clean(answer)
            return validated(shape, cleaned(answer), call)

    return tolerant


class HostileGateway(Player):
    """A recorded gateway that puts something into what it says.

    Args:
        recording: of a run.
        poison: that it puts in.
    """

    def __init__(self, recording: Recording, poison: Poison) -> None:
        super().__init__(recording)
        self.replayed = ""
        self._poison = poison
        self._certificate = _any_certificate()

    def unknown(self, told: dict[str, Any]) -> transport.Answer:
        """It knows nothing of it."""
        body = b'{"status": "error", "error": -3, "http_status": 404}'
        return transport.Answer(told["method"], told["path"], 404, body)

    def call(self, session: Any, method: str, url: str, timeout_s: float, **more: Any) -> Any:
        """As recorded, with strings of its results altered."""
        answer = super().call(session, method, url, timeout_s, **more)
        try:
            data = answer.json()
        except ValueError:
            return answer
        if not isinstance(data, dict) or "results" not in data:
            return answer
        for row in data["results"] if answer.path.startswith(CERTIFICATE) else ():
            row["certificate"] = self._certificate  # a recording leaves it out
        data["results"] = self._poison.into(data["results"], f"{self._check}|{answer.path}")
        return replace(answer, content=json.dumps(data).encode())


def _keys(name: str, check: str, shape: str, job: str) -> Iterator[tuple[str, ...]]:
    """What an answer is found by, the closest first."""
    yield name, shape, job, check
    if job:
        yield name, shape, job
    yield name, shape, "", check
    yield name, shape


def _any_certificate() -> str:
    """One in PEM form, for one that a recording leaves out."""
    first, end, _ = Path(certifi.where()).read_text().partition("-----END CERTIFICATE-----")
    return first[first.index("-----BEGIN") :] + end


class HostileEndpoints:
    """Recorded endpoints that put something into what they say, and note what they were asked.

    Args:
        recorded: file of `endpoint_recorder`.
        mark: of the recorded run.
        poison: that they put in.
    """

    def __init__(self, recorded: Path, mark: str, poison: Poison) -> None:
        self._poison = poison
        self.known: set[str] = set()
        self._answers: dict[tuple[str, ...], list[list]] = defaultdict(list)
        with gzip.open(recorded, "rt", encoding="utf-8") as file:
            for line in file:
                name, check, shape, job, *answer = json.loads(line)
                for key in _keys(name, check, shape, job):
                    self._answers[key].append(answer)
                self.known.add(shape)
        self._given: Counter[tuple[str, ...]] = Counter()
        self._shapes = Shapes()
        self.asked: set[str] = set()
        self.unknown: set[str] = set()
        self.attacked: set[str] = set()
        self.faults: list[str] = []
        self.texts: list[str] = []

    def run(self, shell: Any, command: str, timeout_s: float = 15, again: bool = False) -> Any:
        """Look at a command, and answer as recorded."""
        from gatepass.endpoint.shell import Completed

        self.faults += unquoted(command)
        self.texts.append(command)
        shape, job = self._shapes.of(shell.name, str(cleaned(command)))
        if TAG in command:
            self.attacked.add(shape)
        self.asked.add(shape)
        if command.startswith("date"):
            return Completed(0, f"{time.time():.6f}\n")
        check = getattr(transport.current, "_check", "")
        keys = _keys(shell.name, check, shape, job)
        key = next((key for key in keys if key in self._answers), None)
        if key is None:
            self.unknown.add(shape)
            return Completed(0, "", "")
        found = self._answers[key]
        at = min(self._given[key], len(found) - 1)
        self._given[key] += 1
        took_s, status, output, errors = found[at]
        time.sleep(took_s)
        place = "|".join((check, shell.name, shape, job))
        return Completed(status, self._poison.into_text(output, place), errors)

    def put(self, shell: Any, text: str, path: str) -> None:
        """Look at a file that would be written there."""
        self._shapes.written(shell.name, path, str(cleaned(text)))
        self.faults += files_unquoted(text, path)
        self.texts.append(text)


def testbed_of(head: Any, folder: Path) -> Path:
    """The recorded testbed with files that lead nowhere."""
    (folder / "token").write_text("token")
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    (folder / "known").write_text(f"* {public}\n")
    form = Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()
    (folder / "key").write_bytes(key.private_bytes(*form))
    for name in ("key", "token"):
        (folder / name).chmod(0o600)
    (folder / "ca.pem").write_bytes(Path(certifi.where()).read_bytes())
    content: dict[str, Any] = json.loads(json.dumps(head.testbed))
    content["gateway"] |= {"ca_file": "ca.pem", "token": {"file": "token"}, "timeout_s": 5}
    content["gateway"]["url"] = "https://127.0.0.1:9"
    for name, host in content["endpoints"].items():
        ssh = {"host": f"{name}.invalid", "user": "root", "key_file": "key"}
        host["ssh"] = ssh | {"known_hosts_file": "known"}
    nothing = {"begin": "true", "end": "true"}
    content["gateway"]["troubles"] = {name: dict(nothing) for name in _TROUBLES}
    content["endpoints"]["server"]["files"] = {"folder": "/srv/gatepass"}
    path = folder / "testbed.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def _drawn(job: dict[str, Any]) -> list[str]:
    """Two places of each check, of those whose words reach an endpoint: a check that stumbles over
    one leaves the others."""
    drawn = random.Random(job["seed"])
    by_check = defaultdict(list)
    for place in job.get("reaching", ()):
        by_check[place.partition("|")[0]].append(place)
    return [one for places in by_check.values() for one in drawn.choices(places, k=2)]


def main(job: dict[str, Any]) -> None:
    """Carry out one run, and write down what was seen."""
    folder = Path(job["folder"])
    recording = Recording.read(Path(job["gateway"]))
    poison = Poison(job["seed"], job["share"], _drawn(job))
    answers.validated = refuse_once(answers.validated, job.get("typed", True))
    from gatepass.cli import main as call
    from gatepass.endpoint import script
    from gatepass.endpoint.ssh import SshShell
    from gatepass.gateway import lock

    lock.take, lock.look = (lambda *_: ""), (lambda *_: None)  # nobody else is there

    if not job.get("quoted", True):
        script.shlex = SimpleNamespace(quote=str)
    ends = HostileEndpoints(Path(job["endpoints"]), recording.head.mark, poison)
    SshShell.run = lambda shell, *words, **more: ends.run(shell, *words, **more)
    SshShell.put = lambda shell, *words: ends.put(shell, *words)
    SshShell.connect = SshShell.close = lambda shell: None
    testbed = testbed_of(recording.head, folder)
    order = job["order"]
    words = ("--testbed", str(testbed), "--order", order, "--profile", recording.head.profile)
    with transport.by(HostileGateway(recording, poison)), quick_clock():
        call(["run", *words, "--", *job.get("robot", ())])
    seen = {
        "faults": sorted(set(ends.faults)),
        "attacked": sorted(ends.attacked),
        "asked": len(ends.asked & ends.known),
        "known": len(ends.known),
        "unknown": sorted(ends.unknown),
        "missed": sorted(ends.known - ends.asked),
        "reaching": poison.reaching("\n".join(ends.texts)) if "reaching" not in job else [],
    }
    (folder / "seen.json").write_text(json.dumps(seen, indent=1))


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
