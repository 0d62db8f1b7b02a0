"""What `doctor --print-setup` prints, typed into a gateway's command line by its administrator."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.gateway.fortigate import FortiGate

_EXECUTE = "execute api-user generate-key "


def type_in(gateway: FortiGate, lines: Sequence[str]) -> str:
    """Carry out the commands; the token that the last of them shows.

    Args:
        gateway: a client of it, with its administrator's rights.
        lines: as they were printed.
    """
    *typed, last = lines
    assert last.startswith(_EXECUTE)
    gateway.run_script("typed", "\n".join([*typed, ""]))
    body = {"api-user": last.removeprefix(_EXECUTE).strip('"')}
    return gateway.monitor("system/api-user/generate-key", body=body)["results"]["access_token"]
