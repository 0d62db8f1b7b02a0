"""Throughput with a mix of applications, in the phases of RFC 9411 (section 4.3.4 and 7.1).

The mix: four connections of HTTP, two of HTTPS, two of FTP, each with objects of 16, 64 and 256 KB
in turn. The RFC leaves the mix to the tester; this one is what the file servers of a testbed offer.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence

from gatepass.download import Source, Transfer
from gatepass.errors import NotProven
from gatepass.probe import install
from gatepass.shell import Shell

MIX = (("HTTP", 4), ("HTTPS", 2), ("FTP", 2))
"""Protocol and number of connections."""
_GIVEN_UP_S = 60


def mixed_load(
    client: Shell,
    source: Callable[[str], Source],
    files: Sequence[tuple[str, int]],
    ramp_s: float,
    window_s: float,
    windows: int,
) -> list[Transfer]:
    """Run the mix once through its phases.

    Args:
        client: where curl runs.
        source: of a protocol: HTTP, HTTPS, FTP.
        files: paths and sizes in bytes.
        ramp_s: how long the connections take to begin, one after another.
        window_s: length of a window of the sustain phase.
        windows: how many there are.

    Returns:
        The windows: what was completed in each.

    Raises:
        NotProven: it did not work on the client.
    """
    connections = [
        {
            "options": _options(source(protocol), ramp_s + window_s * windows),
            "urls": [[source(protocol).url(path), size] for path, size in files],
        }
        for protocol, count in MIX
        for _ in range(count)
    ]
    script, place = install(client, "mix.py"), f"{client.folder()}/mix.json"
    client.put(json.dumps({"connections": connections}), place)
    done = client.run(
        f"python3 {script} {ramp_s:g} {window_s:g} {windows} < {place}",
        timeout_s=ramp_s * 2 + window_s * windows + _GIVEN_UP_S,
    )
    try:
        told = json.loads(done.output)
        found = [Transfer(**one, seconds=window_s) for one in told["windows"]]
    except (ValueError, TypeError, KeyError):
        said = (done.errors.strip() or "it wrote nothing").splitlines()[-1]
        raise NotProven(f"the application mix failed on the {client.name}: {said}") from None
    if not any(window.files for window in found):
        raise NotProven(
            f"curl on the {client.name} completed nothing; version 7.63 or later is needed."
        )
    return found


def _options(source: Source, limit_s: float) -> list[str]:
    """curl's options; what it is told about one transfer may take no longer than all of them."""
    options = [word for text in source.options() for word in shlex.split(text)]
    kept = [word for word in options if word != "--show-error"]
    return [*kept, "--max-time", f"{limit_s + _GIVEN_UP_S:g}"]
