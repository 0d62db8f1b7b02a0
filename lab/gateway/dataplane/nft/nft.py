"""Runs nft: loads transactions, reads counters and names."""

from __future__ import annotations

import json
import subprocess

from lab.gateway.dataplane.errors import DataPlaneError

FAMILY_AND_TABLE = "inet gatepass"
TIMEOUT = 30
"""Seconds that one command may take."""


def run(argv: list[str], text: str | None = None) -> str:
    """Run a command to its end and return what it printed.

    Raises:
        DataPlaneError: it is not installed, fails, or takes more than `TIMEOUT` seconds.
    """
    shown = " ".join(argv[:4])
    try:
        done = subprocess.run(
            argv, input=text, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except FileNotFoundError:
        raise DataPlaneError(
            f"The command {argv[0]} is not installed; install the package that holds it."
        ) from None
    except subprocess.TimeoutExpired:
        raise DataPlaneError(f"`{shown}` did not end within {TIMEOUT} s.") from None
    if done.returncode:
        reason = (done.stderr.strip() or "no reason given").splitlines()[0][:300]
        raise DataPlaneError(f"`{shown}` failed: {reason}")
    return done.stdout


def load(text: str) -> None:
    """Put a transaction in force, whole or not at all."""
    run(["nft", "-f", "-"], text)


def table_exists() -> bool:
    """Whether a table is there, left by an earlier process of the same gateway."""
    return any(
        item.get("table", {}).get("name") == FAMILY_AND_TABLE.split()[1]
        for item in json.loads(run(["nft", "-j", "list", "tables", "inet"]))["nftables"]
    )


def names(kind: str) -> set[str]:
    """Names of the table's chains or sets (`kind` "chain" or "set")."""
    table = FAMILY_AND_TABLE.split()[1]
    listed = json.loads(run(["nft", "-j", "list", f"{kind}s", "inet"]))["nftables"]
    return {
        item[kind]["name"]
        for item in listed
        if kind in item and item[kind].get("table") == table and "name" in item[kind]
    }


def timeouts() -> set[str]:
    """Names of the table's times after which sessions end."""
    # nft 1.0.6 breaks down where it is to list them alone
    listed = json.loads(run(["nft", "-j", "-t", "list", "table", *FAMILY_AND_TABLE.split()]))
    return {item["ct timeout"]["name"] for item in listed["nftables"] if "ct timeout" in item}


def counters(set_name: str) -> dict[int, tuple[int, int]]:
    """Packets and bytes of each mark in a set with counters."""
    listed = json.loads(run(["nft", "-j", "list", "set", *FAMILY_AND_TABLE.split(), set_name]))
    found = {}
    for item in listed["nftables"]:
        for element in item.get("set", {}).get("elem", ()):
            counter = element["elem"]["counter"]
            found[int(element["elem"]["val"])] = (counter["packets"], counter["bytes"])
    return found
