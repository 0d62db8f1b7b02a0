"""Tunnels as charon is told of them: messages of its control interface (vici)."""

from __future__ import annotations

from typing import Any

from lab.gateway.dataplane.intent.ipsec import Child, Tunnel

Message = dict[str, Any]


def connection(tunnel: Tunnel, local: str, number: int | None) -> Message:
    """What `load-conn` takes.

    Args:
        tunnel: the tunnel.
        local: address that it goes from.
        number: ties keys to an interface of the kernel; None where charon encrypts.
    """
    message: Message = {
        "version": str(tunnel.version),
        "local_addrs": [local],
        "remote_addrs": [tunnel.remote or "%any"],
        "proposals": list(tunnel.proposals),
        "local": {"auth": "psk", "id": tunnel.local_id or local},
        "remote": _remote(tunnel),
        # Where charon encrypts only this way of sending reaches it; a peer has to take it anyway.
        "encap": "yes" if number is None else "no",
        "mobike": "no",
        "unique": "replace" if tunnel.dial_up is None else "no",
        "rekey_time": f"{_renewal(tunnel.keylife_s)}s",
        "over_time": f"{tunnel.keylife_s - _renewal(tunnel.keylife_s)}s",
        "dpd_delay": "0s" if tunnel.dpd == "disable" else f"{tunnel.dpd_s}s",
        "keyingtries": "1",
        "children": {child.name: _child(child, number) for child in tunnel.children},
    }
    if tunnel.dial_up is not None and tunnel.dial_up.pool:
        message["pools"] = [_pool_name(tunnel)]
    return message


def _renewal(keylife_s: int) -> int:
    """Seconds after which keys are renewed: well before they expire, so that nobody waits long."""
    return int(keylife_s * 0.4)


def _remote(tunnel: Tunnel) -> Message:
    if tunnel.dial_up is not None and tunnel.dial_up.eap:
        asked = {"eap_id": "%any"} if tunnel.dial_up.asks_identity else {}
        return {"auth": "eap-mschapv2", "id": tunnel.remote_id or "%any", **asked}
    return {"auth": "psk", "id": tunnel.remote_id or tunnel.remote or "%any"}


def _child(child: Child, number: int | None) -> Message:
    message: Message = {
        "esp_proposals": list(child.proposals),
        "local_ts": list(child.local),
        "remote_ts": list(child.remote) or ["dynamic"],
        "rekey_time": f"{_renewal(child.keylife_s)}s",
        "rand_time": f"{child.keylife_s // 20}s",
        "life_time": f"{child.keylife_s}s",
        "replay_window": str(child.replay_window),
        "start_action": "none",
        "close_action": "none",
        "dpd_action": "clear",
    }
    if number is not None:
        message |= {"if_id_in": str(number), "if_id_out": str(number)}
    return message


def pool(tunnel: Tunnel) -> Message | None:
    """What `load-pool` takes: the addresses for dial-up peers; None where none are given out."""
    given = tunnel.dial_up
    if given is None or not given.pool:
        return None
    servers = {"dns": list(given.dns)} if given.dns else {}
    return {_pool_name(tunnel): {"addrs": given.pool, **servers}}


def _pool_name(tunnel: Tunnel) -> str:
    """Other addresses are another pool: one with an address in use cannot be changed."""
    assert tunnel.dial_up is not None
    return f"{tunnel.name} {tunnel.dial_up.pool}"


def secrets(tunnel: Tunnel) -> list[Message]:
    """What `load-shared` takes: the tunnel's key, and the passwords of its users."""
    # Whoever calls from the tunnel's other end has its key; dial-up peers call from anywhere.
    owner = [tunnel.remote_id or tunnel.remote] if tunnel.remote_id or tunnel.remote else []
    found: list[Message] = [
        {"id": f"psk {tunnel.name}", "type": "IKE", "data": tunnel.psk, "owners": owner}
    ]
    users = tunnel.dial_up.users if tunnel.dial_up is not None else ()
    found += [
        {
            "id": f"user {tunnel.name} {user.name}",
            "type": "EAP",
            "data": user.password,
            "owners": [user.name],
        }
        for user in users
    ]
    return found
