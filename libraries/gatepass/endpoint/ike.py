"""IKEv2 connections as strongSwan takes them over VICI, and what it tells of their SAs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import StringConstraints
from typing_extensions import TypedDict

from gatepass.endpoint.answers import Address, Words

ANY = ("0.0.0.0/0",)
NEVER = "0"
"""As a rekey time: this side leaves it to the other."""


@dataclass(frozen=True)
class Connection:
    """One IKE connection with its only child, and the secrets that it needs.

    Attributes:
        name: of connection and child.
        local, remote: addresses of the two IKE peers.
        ike: proposal of the IKE SA in strongSwan's words, such as "aes256-sha256-modp2048".
        esp: proposal of the child SA.
        psk: the key that both sides share.
        local_ts, remote_ts: the networks at either end, as CIDR.
        user: of a dial-up client, which logs in by EAP-MSCHAPv2 and asks for an address; empty
            for site to site.
        password: of that user.
        local_id: by which this side shows itself; empty for its address (or the user's name).
        encap: whether ESP goes inside UDP, as ESP in user space needs it.
        also_ike, also_esp: what this side takes as well, if the other one wants it.
    """

    name: str
    local: str
    remote: str
    ike: str
    esp: str
    psk: str = field(repr=False)
    local_ts: tuple[str, ...] = ()
    remote_ts: tuple[str, ...] = ANY
    user: str = ""
    password: str = field(default="", repr=False)
    local_id: str = ""
    encap: bool = False
    also_ike: tuple[str, ...] = ()
    also_esp: tuple[str, ...] = ()

    def message(self) -> dict:
        """For the command load-conn."""
        child: dict = {
            "remote_ts": list(self.remote_ts),
            "esp_proposals": [self.esp, *self.also_esp],
            "rekey_time": NEVER,
            "life_time": NEVER,
            "dpd_action": "clear",
            "close_action": "none",
            "start_action": "none",
        }
        local: dict = {"auth": "psk", "id": self.local_id or self.local}
        own: dict = {}
        if self.user:
            local = {
                "auth": "eap-mschapv2",
                "id": self.local_id or self.user,
                "eap_id": self.user,
            }
            own["vips"] = ["0.0.0.0"]
            child["local_ts"] = ["dynamic"]
        else:
            child["local_ts"] = list(self.local_ts)
        return {
            self.name: {
                "version": "2",
                "local_addrs": [self.local],
                "remote_addrs": [self.remote],
                "proposals": [self.ike, *self.also_ike],
                "encap": "yes" if self.encap else "no",
                "rekey_time": NEVER,
                "reauth_time": NEVER,
                "dpd_delay": "0",
                "keyingtries": "1",
                "unique": "never" if self.user else "replace",
                **own,
                "local-1": local,
                "remote-1": {"auth": "psk", "id": "%any" if self.user else self.remote},
                "children": {self.name: child},
            }
        }

    def secrets(self) -> list[dict]:
        """For the command load-shared, one message each."""
        shared = {"id": f"{self.name}-psk", "type": "IKE", "data": self.psk}
        if not self.user:
            return [shared | {"owners": [self.local_id or self.local, self.remote]}]
        eap = {"id": f"{self.name}-eap", "type": "EAP", "data": self.password}
        return [shared | {"owners": [self.remote]}, eap | {"owners": [self.user]}]


_Address = Address | Literal["%any", "%any6"]
_Digits = Annotated[str, StringConstraints(pattern="^[0-9]{1,20}$")]
_ALGORITHMS = dict.fromkeys(
    ("encr-alg", "encr-keysize", "integ-alg", "prf-alg", "dh-group", "state"), Words
)
ChildReply = TypedDict(
    "ChildReply",
    {
        **_ALGORITHMS,
        **dict.fromkeys(("name", "spi-in", "spi-out", "encap"), Words),
        **dict.fromkeys(("bytes-in", "bytes-out", "packets-in", "install-time"), _Digits),
        **dict.fromkeys(("local-ts", "remote-ts"), list[Words]),
    },
    total=False,
)
SaReply = TypedDict(
    "SaReply",
    {
        **_ALGORITHMS,
        **dict.fromkeys(("uniqueid", "initiator"), Words),
        **dict.fromkeys(("local-host", "remote-host"), _Address),
        "local-vips": list[_Address],
        "child-sas": dict[str, ChildReply],
    },
    total=False,
)
"""An IKE SA as list-sa tells of it, and a child of it; charon leaves out what it has not."""


@dataclass(frozen=True)
class Child:
    """A pair of ESP SAs.

    Attributes:
        name: of the connection's child.
        state: "INSTALLED" once it carries traffic.
        encryption: such as "AES_CBC-256" or "AES_GCM_16-256".
        integrity: such as "HMAC_SHA2_256_128"; empty where the cipher has its own.
        group: of the Diffie-Hellman exchange of its own, such as "MODP_2048"; empty before the
            first rekeying, as the first child's keys come from the IKE SA.
        spi_in, spi_out: which tell one pair from the next.
        bytes_in, bytes_out: carried so far, of the packets inside.
        packets_in: as many came.
        age_s: seconds since it was installed.
        encap: whether ESP goes inside UDP.
        local_ts, remote_ts: the networks that it is for.
    """

    name: str
    state: str
    encryption: str
    integrity: str
    group: str
    spi_in: str
    spi_out: str
    bytes_in: int
    bytes_out: int
    packets_in: int
    age_s: int
    encap: bool
    local_ts: tuple[str, ...]
    remote_ts: tuple[str, ...]

    @classmethod
    def of(cls, reply: ChildReply) -> Child:
        """From an entry of list-sa."""
        return cls(
            name=reply.get("name", ""),
            state=reply.get("state", ""),
            encryption=_algorithm(reply, "encr"),
            integrity=reply.get("integ-alg", ""),
            group=reply.get("dh-group", ""),
            spi_in=reply.get("spi-in", ""),
            spi_out=reply.get("spi-out", ""),
            bytes_in=int(reply.get("bytes-in", 0)),
            bytes_out=int(reply.get("bytes-out", 0)),
            packets_in=int(reply.get("packets-in", 0)),
            age_s=int(reply.get("install-time", 0)),
            encap=reply.get("encap") == "yes",
            local_ts=tuple(reply.get("local-ts", ())),
            remote_ts=tuple(reply.get("remote-ts", ())),
        )


@dataclass(frozen=True)
class IkeSa:
    """An IKE SA with its children.

    Attributes:
        name: of the connection.
        number: charon's own, which tells it from others of that name.
        state: "ESTABLISHED" once both sides know each other.
        initiated: whether this side began it.
        encryption, integrity, prf, group: of the IKE SA itself.
        local, remote: addresses.
        addresses: that a dial-up client was given.
        children: in no order.
    """

    name: str
    number: str
    state: str
    initiated: bool
    encryption: str
    integrity: str
    prf: str
    group: str
    local: str
    remote: str
    addresses: tuple[str, ...]
    children: tuple[Child, ...]

    @classmethod
    def of(cls, name: str, reply: SaReply) -> IkeSa:
        """From an event of list-sas."""
        return cls(
            name=name,
            number=reply.get("uniqueid", ""),
            state=reply.get("state", ""),
            initiated=reply.get("initiator") == "yes",
            encryption=_algorithm(reply, "encr"),
            integrity=reply.get("integ-alg", ""),
            prf=reply.get("prf-alg", ""),
            group=reply.get("dh-group", ""),
            local=reply.get("local-host", ""),
            remote=reply.get("remote-host", ""),
            addresses=tuple(reply.get("local-vips", ())),
            children=tuple(map(Child.of, reply.get("child-sas", {}).values())),
        )

    @property
    def child(self) -> Child | None:
        """The newest of its children that carries traffic."""
        there = [child for child in self.children if child.state == "INSTALLED"]
        return min(there, key=lambda child: child.age_s, default=None)


def _algorithm(reply: ChildReply | SaReply, what: str) -> str:
    words = (reply.get(f"{what}-alg"), reply.get(f"{what}-keysize"))
    return "-".join(word for word in words if word)
