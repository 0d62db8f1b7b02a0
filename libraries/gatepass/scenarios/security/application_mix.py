"""Load of many downloads, in the phases of RFC 9411 (section 4.3.4): objects or applications.

The mix of applications (section 7.1): four connections of HTTP, two of HTTPS, two of FTP, each with
objects of 16, 64 and 256 KB in turn. The RFC leaves the mix to the tester; this one is what the
file servers of a testbed offer. Objects of one size (section 7.3) are a mix of one kind.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.endpoint.answers import Count, of_json, words_of
from gatepass.endpoint.download import FileSource
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Shell
from gatepass.results.downloads import Transfer
from gatepass.verdict.rfc9411 import LONGEST_WINDOW_S

Mix = Sequence[tuple[str, int]]
"""Protocols, each with a number of connections."""
MIX: Mix = (("HTTP", 4), ("HTTPS", 2), ("FTP", 2))
OBJECTS: Mix = (("HTTP", 8),)
_GIVEN_UP_S = 60
_TURNS = 10**8  # more than there is time for; curl does not count much further


class _Window(TypedDict):
    bytes: Count
    files: Count
    failed: Count


class _Told(TypedDict):
    windows: list[_Window]


def mixed_load(
    client: Shell,
    source: Callable[[str], FileSource],
    files: Sequence[tuple[str, int]],
    mix: Mix,
    ramp_s: float,
    sustain_s: float,
) -> list[Transfer]:
    """Run a mix once through its phases.

    Args:
        client: where curl runs.
        source: of a protocol: HTTP, HTTPS, FTP.
        files: paths and sizes in bytes.
        mix: of connections.
        ramp_s: how long the connections take to begin, one after another.
        sustain_s: how long all of them work.

    Returns:
        The windows of the sustain phase, of equal length, at least two. Nothing is completed in
        them where nothing gets through, or where curl is older than 7.68.

    Raises:
        NotProven: it did not work on the client.
    """
    windows = max(2, math.ceil(sustain_s / LONGEST_WINDOW_S))
    window_s = sustain_s / windows
    kinds = [
        {
            "options": _options(source(protocol), connections, ramp_s + sustain_s),
            "url": source(protocol).url(_endless([path for path, _ in files])),
            "sizes": [size for _, size in files],
        }
        for protocol, connections in mix
    ]
    place = f"{client.folder()}/mix.json"
    client.put(json.dumps({"kinds": kinds}), place)
    command = script(
        "python3 {program} {ramp_s:g} {window_s} {windows} < {place}",
        program=install(client, "mix.py"),
        ramp_s=ramp_s,
        window_s=window_s,
        windows=windows,
        place=place,
    )
    done = client.run(command, timeout_s=ramp_s * 2 + sustain_s + _GIVEN_UP_S)
    try:
        answer = of_json(_Told, done.output)
    except ValueError:
        words = words_of(done)
        raise NotProven(f"the load of downloads failed on the {client.name}: {words}") from None
    return [Transfer(**one, seconds=window_s) for one in answer["windows"]]


def _endless(paths: Sequence[str]) -> str:
    """These paths in turn, again and again, as curl's globbing writes it.

    What counts the turns is a folder that curl leaves out before it asks (RFC 3986, 5.2.4). So curl
    need not be told of each request, nor be started anew in the middle of a sustain phase.
    """
    return f"turn[1-{_TURNS}]/../{{{','.join(paths)}}}"


def _options(source: FileSource, connections: int, limit_s: float) -> list[str]:
    """curl's options; what it is told about one transfer may take no longer than all of them."""
    kept = [word for word in source.options() if word != "--show-error"]
    # --silent alone does not silence the meter of parallel transfers
    many = ["--no-progress-meter", "--parallel", "--parallel-immediate"]
    many += ["--parallel-max", str(connections)]
    # one version of HTTP everywhere (RFC 9411, 7.3.3): with HTTP/2 one connection would do
    return [*kept, *many, "--http1.1", "--max-time", f"{limit_s + _GIVEN_UP_S:g}"]
