"""The server's end of PPP (RFC 1661), with IPCP (RFC 1332) for one address and two name servers.

Packets begin with their protocol. Nothing gets lost under PPP here, so a request is repeated only
for a peer that was not listening yet.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence

LCP, CCP, IPCP, IPV4 = 0xC021, 0x80FD, 0x8021, 0x0021
_REQUEST, _ACK, _NAK, _REJECT, _TERMINATE, _TERMINATED = 1, 2, 3, 4, 5, 6
_CODE_REJECT, _PROTOCOL_REJECT, _ECHO, _ECHOED = 7, 8, 9, 10
_MRU, _MAGIC = 1, 5
_ADDRESS, _DNS1, _DNS2 = 3, 129, 131
_HEAD = struct.Struct("!HBBH")
_SMALLEST_MRU, _DEFAULT_MRU = 576, 1500

Option = tuple[int, bytes]


class Ppp:
    """One link.

    Args:
        address: what the peer gets, 4 bytes.
        dns: name servers, 4 bytes each.
        own: the server's own address, 4 bytes.

    Attributes:
        mru: the longest packet that the peer takes, in bytes.
        closed: whether the link has ended.
    """

    def __init__(self, address: bytes, dns: Sequence[bytes], own: bytes) -> None:
        self._offered = {_ADDRESS: address}
        self._offered |= dict(zip((_DNS1, _DNS2), dns, strict=False))
        self._magic = os.urandom(4)
        self._requests = {
            LCP: ((_MAGIC, self._magic),),
            IPCP: ((_ADDRESS, own),),
            CCP: (),
        }
        self._acked: set[int] = set()
        self._acking: set[int] = set()
        self._number = 0
        self.mru = _DEFAULT_MRU
        self.closed = False

    @property
    def opened(self) -> bool:
        """Whether IPv4 may flow: both sides agreed on LCP and IPCP."""
        wanted = {LCP, IPCP}
        return wanted <= self._acked and wanted <= self._acking and not self.closed

    def begin(self) -> list[bytes]:
        """What to send first."""
        return [self._request(LCP)]

    def repeat(self) -> list[bytes]:
        """The requests that the peer left without an answer."""
        if self.opened or self.closed:
            return []
        return [self._request(LCP if LCP not in self._acked else IPCP)]

    def echo(self) -> list[bytes]:
        """Ask the peer for a sign of life."""
        return [self._packet(LCP, _ECHO, self._next(), self._magic)]

    def terminate(self, reason: str) -> list[bytes]:
        """End the link."""
        self.closed = True
        return [self._packet(LCP, _TERMINATE, self._next(), reason.encode())]

    def receive(self, packet: bytes) -> list[bytes]:
        """Take a packet that is not IPv4; answers what to send.

        A packet that cannot be read is passed over (RFC 1661, 5).
        """
        if len(packet) < _HEAD.size:
            return []
        protocol, code, number, length = _HEAD.unpack_from(packet)
        if not 4 <= length <= len(packet) - 2:
            return []
        if protocol not in self._requests:
            return [self._packet(LCP, _PROTOCOL_REJECT, self._next(), packet[: self.mru - 6])]
        body = packet[_HEAD.size : length + 2]
        if code == _REQUEST:
            return self._answer_request(protocol, number, body)
        if code == _ACK:
            return self._accepted(protocol)
        if code in (_NAK, _REJECT):
            return self._refused(protocol, body)
        if code == _TERMINATE:
            self.closed = self.closed or protocol != CCP
            return [self._packet(protocol, _TERMINATED, number, b"")]
        if code == _TERMINATED:
            self.closed = self.closed or protocol == LCP
            return []
        if protocol != LCP or code not in (_CODE_REJECT, _PROTOCOL_REJECT, _ECHO, _ECHOED, 11):
            return [self._packet(protocol, _CODE_REJECT, self._next(), packet[2 : self.mru - 4])]
        if code == _ECHO:
            return [self._packet(LCP, _ECHOED, number, self._magic + body[4:])]
        return []

    def _answer_request(self, protocol: int, number: int, body: bytes) -> list[bytes]:
        options = _options(body)
        if options is None:
            return []
        rejected, wrong = self._judged(protocol, options)
        if rejected:
            return [self._packet(protocol, _REJECT, number, _packed(rejected))]
        if wrong:
            return [self._packet(protocol, _NAK, number, _packed(wrong))]
        self._acking.add(protocol)
        answer = [self._packet(protocol, _ACK, number, body)]
        if protocol == LCP:
            mru = dict(options).get(_MRU)
            self.mru = int.from_bytes(mru) if mru else _DEFAULT_MRU
        elif protocol not in self._acked:
            answer.append(self._request(protocol))
        return answer

    def _judged(self, protocol: int, options: list[Option]) -> tuple[list[Option], list[Option]]:
        """The options of a request that there are none of, and those with another value."""
        if protocol == CCP:
            return options, []
        if protocol == LCP:
            known = [o for o in options if o[0] in (_MRU, _MAGIC) and len(o[1]) == _SIZES[o[0]]]
            wrong = [
                (kind, _SMALLEST_MRU.to_bytes(2))
                for kind, value in known
                if kind == _MRU and int.from_bytes(value) < _SMALLEST_MRU
            ]
            return [option for option in options if option not in known], wrong
        rejected = [o for o in options if o[0] not in self._offered or len(o[1]) != 4]
        wrong = [
            (kind, self._offered[kind])
            for kind, value in options
            if kind in self._offered and value != self._offered[kind]
        ]
        if all(kind != _ADDRESS for kind, _ in options):
            wrong.append((_ADDRESS, self._offered[_ADDRESS]))
        return rejected, wrong

    def _accepted(self, protocol: int) -> list[bytes]:
        is_first = protocol not in self._acked
        self._acked.add(protocol)
        return [self._request(IPCP)] if protocol == LCP and is_first else []

    def _refused(self, protocol: int, body: bytes) -> list[bytes]:
        """Ask again without the options that the peer does not want; it need not know them."""
        unwanted = {kind for kind, _ in _options(body) or ()}
        left = tuple(option for option in self._requests[protocol] if option[0] not in unwanted)
        if left == self._requests[protocol]:
            return []
        self._requests[protocol] = left
        return [self._request(protocol)]

    def _request(self, protocol: int) -> bytes:
        options = _packed(self._requests[protocol])
        return self._packet(protocol, _REQUEST, self._next(), options)

    def _next(self) -> int:
        self._number = self._number % 255 + 1
        return self._number

    @staticmethod
    def _packet(protocol: int, code: int, number: int, body: bytes) -> bytes:
        return _HEAD.pack(protocol, code, number, len(body) + 4) + body


_SIZES = {_MRU: 2, _MAGIC: 4}


def _options(body: bytes) -> list[Option] | None:
    """The options of a request; None where they cannot be told apart."""
    found, at = [], 0
    while at < len(body):
        length = body[at + 1] if at + 1 < len(body) else 0
        if length < 2 or at + length > len(body):
            return None
        found.append((body[at], body[at + 2 : at + length]))
        at += length
    return found


def _packed(options: Sequence[Option]) -> bytes:
    return b"".join(bytes((kind, len(value) + 2)) + value for kind, value in options)
