"""What security services stopped, by the gateway's own log (FortiOS: ``log/memory/virus``, …)."""

from __future__ import annotations

from gatepass.gateway.fortigate import FortiGate, Refused

_DEVICES = ("memory", "disk")
_ROWS = 200
_ACTED = (
    *("block", "blocked", "drop", "dropped"),
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
        Entries, newest first.

    Raises:
        Refused: the device gives no such log to this user.
    """
    refusal: Refused | None = None
    for device in _DEVICES:
        try:
            answer = gateway.log(f"{device}/{kind}", rows=_ROWS, filter=f"srcip=={client}")
        except Refused as refused:
            refusal = refusal or refused
            continue
        return [
            entry
            for entry in answer
            if str(entry.get("action", "")).lower() in _ACTED
            and str(entry.get("policyid", policyid)) == str(policyid)
        ]
    raise refusal


def described(entry: dict) -> str:
    """An entry as the end of a sentence: what it names, as far as it does."""
    keys = ("virus", "attack", "app", "hostname", "url", "filename", "filetype", "action")
    return ", ".join(f"{key} {entry[key]}" for key in keys if entry.get(key))
