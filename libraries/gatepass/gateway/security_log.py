"""What security services stopped, by the gateway's own log (FortiOS: ``log/memory/virus``, …)."""

from __future__ import annotations

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


def stopped(gateway: FortiGate, kind: str, client: str, policyid: int) -> list[dict]:
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
    of_client = f"srcip=={client}"
    for device in _DEVICES:
        try:
            rows = gateway.log(f"{device}/{kind}", rows=_ROWS, filter=of_client)
        except Refused as refused:
            refusals.append(refused)
            continue
        recorder.note(LogExcerpt(f"{device}/{kind}", {"filter": of_client}, rows))
        entries += rows
    if len(refusals) == len(_DEVICES):
        raise refusals[0]
    return [
        entry
        for entry in entries
        if str(entry.get("action", "")).lower() in _ACTED
        and str(entry.get("policyid", policyid)) == str(policyid)
    ]


def described(entry: dict) -> str:
    """An entry as the end of a sentence: what it names, as far as it does."""
    keys = ("virus", "attack", "app", "hostname", "url", "filename", "filetype", "action")
    return ", ".join(f"{key} {entry[key]}" for key in keys if entry.get(key))
