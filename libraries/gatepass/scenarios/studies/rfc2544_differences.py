"""What differs from RFC 2544 and from its rig: how the study was carried out, and on what."""

from __future__ import annotations

from gatepass.results.study import StudyTable
from gatepass.scenarios.studies.conditions import WHOLE
from gatepass.scenarios.studies.frames import LEAST_IPV6
from gatepass.scenarios.studies.rfc2544 import NAME, Rfc2544

_SHORTER = (
    "Carried out with shorter and fewer trials than RFC 2544 asks for: a first answer. The profile "
    "standard has the RFC's own conditions."
)


def differences_table(study: Rfc2544) -> StudyTable:
    """What differs from the source: how it was carried out, and on what."""
    asked, searches = study.conditions, study.conditions.search
    rows = [
        ("Frame sizes", "64, 128, 256, 512, 1024, 1280, 1518 bytes",
         ", ".join(f"{one.family} {one.label}" for one in study.searched)),
        ("Smallest frame over IPv6", "64 bytes (RFC 5180, 5.1.1)",
         f"{LEAST_IPV6} bytes: a frame has to hold what tells it from others"),
        ("Length of a trial", "60 s at least (24)",
         f"{searches.first_s:g} s while it is searched, {searches.final_s:g} s where it decides"),
        ("Search", "steps or halves until the rate is found (26.1)",
         f"MLRsearch, bounds at most {searches.width * 100:g} % apart, no loss and 0.5 % loss"),
        ("Latency", "20 repeats of 120 s, one tagged frame each (26.2)",
         f"{asked.latency_repeats} repeats of {asked.latency_s:g} s, every frame is timed"),
        ("Loss rate", "trials from the medium's rate downwards (26.3)",
         f"trials of {asked.curve_s:g} s from the rig's rate downwards"),
        ("Bursts", "2 s or longer, 50 repeats (26.4)",
         f"up to {asked.burst_s:g} s, {asked.bursts} repeats"),
        ("Overload", "60 s at 110 %, then half (26.5)",
         f"{asked.overload_s:g} s at 110 % of the throughput, then {asked.after_s:g} s at half"),
        ("Reset", "recovery from a reset (26.6)",
         "left out here: what passes while a gateway restarts is a check of its own"),
        ("Frames", "of the medium, from a tester's hardware",
         "UDP datagrams of a program on Linux, their frame sizes reckoned with check sequence"),
        ("Directions", "also both at once (RFC 5180, 5.2)", "from the client to the server"),
        ("Addresses", "one pair, then 256 networks at random (12)", "one pair"),
        ("Modifiers", "broadcasts, management, routing updates, filters (11)",
         "one policy that permits the traffic, among those that the gateway has"),
    ]  # fmt: skip
    source, shorter = "RFC 2544, by its sections; RFC 5180", "" if asked == WHOLE else _SHORTER
    return StudyTable.of_differences(NAME, source, rows, shorter, "RFC")
