"""What security services stopped, by the gateway's own log (FortiOS: ``log/memory/virus``, …)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gatepass.base.flight_recorder import recorder
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.results.exchanges import LogExcerpt

_DEVICES = ("disk", "memory")
"""A gateway that logs to one of them answers for the other as well, with nothing."""
_ROWS = 200
_ACTED = (
    *("block", "blocked", "drop", "dropped", "drop_session"),
    *("reset", "reset_client", "reset_server", "clear_session"),
)

_WHO = ("date", "time", "srcip", "dstip", "policyid")
_NAMES = ("virus", "attack", "app", "hostname", "url", "filename", "filetype", "action")
_LONGEST = 300


def stopped(gateway: FortiGate, kind: str, client: str, policyid: int) -> list[Mapping[str, Any]]:
    """The latest entries that tell that something of the client's was stopped.

    Args:
        gateway: the device.
        kind: virus, webfilter, ips, app-ctrl or file-filter.
        client: source address of the sessions.
        policyid: of the policy that the sessions met.

    Returns:
        Entries, of each log the newest first.

    Raises:
        Refused: the device gives no such log to this user.
    """
    refusals: list[Refused] = []
    entries: list[dict] = []
    wanted = {"filter": f"srcip=={client}"}
    for device in _DEVICES:
        try:
            rows = gateway.log(f"{device}/{kind}", rows=_ROWS, **wanted)
        except Refused as refused:
            refusals.append(refused)
            continue
        recorder.note(LogExcerpt(f"{device}/{kind}", wanted, rows))
        entries += rows
    if len(refusals) == len(_DEVICES):
        raise refusals[0]
    return of_client(entries, client, policyid)


def unread(gateway: FortiGate, kind: str) -> Refused | None:
    """Why one of the logs is not given, in which what was stopped may stand; None where all are.

    Args:
        gateway, kind: see `stopped`.
    """
    for device in _DEVICES:
        try:
            gateway.log(f"{device}/{kind}", rows=1)
        except Refused as refused:
            return refused
    return None


def of_client(
    entries: Iterable[Mapping[str, Any]], client: str, policyid: int
) -> list[Mapping[str, Any]]:
    """Those of these entries that tell that something of the client's was stopped.

    Args:
        entries: of a log.
        client, policyid: see `stopped`.
    """
    return [
        entry
        for entry in entries
        if str(entry.get("action", "")).lower() in _ACTED
        and str(entry.get("policyid", policyid)) == str(policyid)
        and str(entry.get("srcip", client)) == client
    ]


def described(entry: Mapping[str, Any]) -> str:
    """An entry as the end of a sentence: what it names, as far as it does."""
    return ", ".join(f"{key} {entry[key]}" for key in _NAMES if entry.get(key))


def excerpt(entry: Mapping[str, Any]) -> dict[str, str]:
    """What of an entry tells what was stopped, of whom, and when, bounded."""
    return {key: str(entry[key])[:_LONGEST] for key in (*_WHO, *_NAMES) if entry.get(key)}
