"""A run of a fleet that does nothing but take turns, and writes down what happens."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from gatepass.run import seats, turns

# As in a run, only faster.
seats.BEAT_S, seats.LOOK_S, turns.POLL_S = 0.1, 0.3, 0.01


def main(happened: Path, wanted: list[str]) -> None:
    order = json.loads(os.environ[turns.PLACE])["order"]

    def note(event: str, kind: str) -> None:
        with happened.open("a") as stream:
            stream.write(f"{order} {event} {kind}\n")

    with turns.joined():
        for one in wanted:
            kind, length = one.split()
            turns.current.take(kind == "measure")
            note("takes", kind)
            if length == "held":
                sys.stdin.readline()
            else:
                time.sleep(float(length))
            note("ends", kind)  # before it is given back, so that the list tells the truth
            if not turns.current.give_back():
                note("lost", kind)


main(Path(sys.argv[1]), sys.argv[2:])
