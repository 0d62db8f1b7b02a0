"""The files of a run's trials: what the programs told, read again, and held against itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from gatepass.base.errors import NotProven
from gatepass.endpoint import iperf, overload
from gatepass.inputs.profile import Profile
from gatepass.results.datagrams import Carried
from gatepass.results.outcome import Check
from gatepass.results.trial import Load, Trial

_OF_IPERF = ("client", "server")
_MEGA = 1e6
_CLOSE = 1e-6
"""Of figures that iperf3 makes of others, and writes with all their digits."""
_BEYOND_ASKED = 1.05
"""Times what was asked for; what queues held at the start comes in the measured time."""


@dataclass(frozen=True)
class TrialFiles:
    """What a trial has left.

    Attributes:
        sent, received: the JSON of iperf3's client and of its server; empty for other programs.
        trial: that they make.
    """

    sent: Mapping[str, Any]
    received: Mapping[str, Any]
    trial: Trial


def files_of(check: Check, folder: Path, profile: Profile | None) -> dict[int, TrialFiles]:
    """The trials of a check whose files are there, by number.

    Args:
        check: in which they ran.
        folder: of the run.
        profile: of the run; without one, datagrams that Gatepass sent itself are left out.
    """
    found = {}
    for noted in check.trials:
        number = noted.get("number")
        if isinstance(number, int) and (files := _files(folder, number, profile)):
            found[number] = files
    return found


def _files(folder: Path, number: int, profile: Profile | None) -> TrialFiles | None:
    try:
        return _of_iperf(folder, number) or _of_datagrams(folder, number, profile)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, NotProven):
        return None  # its digest in the record tells of a file that was changed


def _of_iperf(folder: Path, number: int) -> TrialFiles | None:
    paths = [folder / "trials" / f"{number:03d}-{side}.json" for side in _OF_IPERF]
    if not all(path.is_file() for path in paths):
        return None
    sent, received = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return TrialFiles(sent, received, iperf.parse(sent, received))


def _of_datagrams(folder: Path, number: int, profile: Profile | None) -> TrialFiles | None:
    path = folder / "trials" / f"{number:03d}-datagrams.json"
    if profile is None or not path.is_file():
        return None
    seen = Carried.of(json.loads(path.read_text(encoding="utf-8")), ())
    load = Load(profile.trial_s, profile.omit_s, interval_s=profile.interval_s, udp_mbps=0)
    return TrialFiles({}, {}, overload.trial_of(seen, load))


def disagreements(
    check: Check, files: Mapping[int, TrialFiles], most_beside: Mapping[str, float]
) -> Iterator[str]:
    """What the programs told that does not agree with itself, each in a sentence.

    Args:
        check: in which they ran.
        files: of its trials, by number.
        most_beside: Mbit/s that are asked for at most on paths without the gateway, by address.
    """
    for noted in check.trials:
        one = files.get(noted.get("number", 0))
        if one is None:
            continue
        about = f"{check.name}: trial {noted['number']}"
        if one.sent:
            yield from (f"{about}: {what}." for what in _of_itself(one.sent, one.received))
        asked = noted.get("asked_mbps") or most_beside.get(str(noted.get("to")))
        if isinstance(asked, float | int) and one.trial.mbps > _BEYOND_ASKED * asked:
            yield (
                f"{about} carried {one.trial.mbps:.1f} Mbit/s by its files, and was asked for "
                f"{asked:g} at most."
            )


def _of_itself(sent: Mapping[str, Any], received: Mapping[str, Any]) -> Iterator[str]:
    """Sums of iperf3 that are none, and what one side has otherwise than the other."""
    reverse = bool(sent["start"]["test_start"]["reverse"])
    receiver, other = (sent, received) if reverse else (received, sent)
    total = receiver["end"].get("sum_received")
    if total is None:  # UDP, as older versions report it
        return
    counted = [part["sum"] for part in receiver["intervals"] if not part["sum"].get("omitted")]
    intervals = sum(part["bytes"] for part in counted)
    if intervals != total["bytes"]:
        yield (
            f"the receiver's intervals come to {intervals:,} bytes, and iperf3's sum is "
            f"{total['bytes']:,}"
        )
    streams = sum(
        stream["receiver"]["bytes"]
        for stream in receiver["end"]["streams"]
        if "receiver" in stream
    )
    if streams and streams != total["bytes"]:
        yield (
            f"the receiver's streams come to {streams:,} bytes, and iperf3's sum is "
            f"{total['bytes']:,}"
        )
    for part in (*counted, total):
        seconds = float(part["seconds"])
        if seconds and not isclose(
            part["bits_per_second"], part["bytes"] * 8 / seconds, rel_tol=_CLOSE
        ):
            yield (
                f"{part['bytes']:,} bytes in {seconds:g} s are told as "
                f"{part['bits_per_second'] / _MEGA:.3f} Mbit/s"
            )
            break
    known = other["end"].get("sum_received", {}).get("bytes", 0)
    if known and known != total["bytes"]:
        yield (
            f"the receiver counted {total['bytes']:,} bytes, and the sender was told of {known:,}"
        )
