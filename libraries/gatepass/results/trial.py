"""A trial: the traffic that was asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gatepass.results.conduct import Conduct

MEGA = 1e6
CONGESTION_CONTROL = "cubic"
"""Named, or each endpoint sends as it is used to: what a path carries depends on it."""

POLICING = 1.25
"""What is offered to see a limit: a quarter above it (ITU-T Y.1564, traffic policing test)."""

_BLOCK_S = 0.001
_BLOCK_BYTES = (4096, 131072)


@dataclass(frozen=True)
class Load:
    """The traffic of a trial.

    Attributes:
        seconds: measured time.
        omit_s: slow start before it, which is left out.
        streams: parallel TCP streams (or UDP flows).
        interval_s: of the intermediate figures.
        udp_mbps: rate offered as UDP payload in all, Mbit/s; None for TCP.
        pace_mbps: rate at which all TCP streams together are let go, Mbit/s; None for as fast as
            they can. The client's kernel paces them and counts the headers of up to 64 KB only
            once, so that this is TCP goodput to within 0.2 %; the server's iperf3 paces itself.
        datagram_bytes: UDP payload of a datagram.
        in_fragments: datagrams are larger than a packet, and the sender's kernel cuts them up.
        reverse: the server sends and the client receives.
        source: address of the client that it comes from; empty leaves that to its routes.
        window_bytes: that each stream asks for as its socket's buffers; None lets those of TCP
            grow, and gives UDP 2 MB, or the endpoint itself loses datagrams.
        message_bytes: that a TCP stream sends at a time; None leaves it to iperf3.
    """

    seconds: float
    omit_s: float = 0
    streams: int = 1
    interval_s: float = 1
    udp_mbps: float | None = None
    pace_mbps: float | None = None
    datagram_bytes: int = 1400
    in_fragments: bool = False
    reverse: bool = False
    source: str = ""
    window_bytes: int | None = None
    message_bytes: int | None = None

    @property
    def layer(self) -> str:
        """Where the figure stands."""
        return "TCP goodput" if self.udp_mbps is None else "UDP payload"

    def arguments(self) -> str:
        """The client's command line for it."""
        words = [f"-t {self.seconds:g}", f"-P {self.streams}", f"-i {self.interval_s:g}"]
        if self.source:
            words.append(f"-B {self.source}")
        if self.omit_s:
            words.append(f"-O {self.omit_s:g}")
        if self.udp_mbps is not None:
            each = self.udp_mbps * MEGA / self.streams
            buffers = self.window_bytes or "2M"
            words.append(f"-u -b {each:.0f} -l {self.datagram_bytes} -w {buffers}")
        else:
            words.append(f"-C {CONGESTION_CONTROL}")
            if self.window_bytes:
                words.append(f"-w {self.window_bytes}")
            if self.message_bytes:
                words.append(f"-l {self.message_bytes}")
        if self.pace_mbps is not None:
            words.append(self._paced(self.pace_mbps * MEGA / self.streams))
        return " ".join([*words, "-R"] if self.reverse else words)

    def _paced(self, bits_s: float) -> str:
        """Options that let a TCP stream go at a rate."""
        if not self.reverse:
            return f"--fq-rate {bits_s:.0f}"
        # Before 3.17 a server does not heed that (esnet/iperf, issue 1632). It looks every
        # millisecond whether a stream may send a block: small ones come without bursts.
        low, high = _BLOCK_BYTES
        return f"-b {bits_s:.0f} -l {min(max(bits_s / 8 * _BLOCK_S, low), high):.0f}"


@dataclass(frozen=True)
class Trial:
    """One measured run of traffic, at the receiver.

    Attributes:
        mbps: received, Mbit/s (10^6), at the layer of the load.
        received_bytes: in the measured time.
        all_bytes: received with the slow start, as the path has carried them.
        seconds: measured time.
        intervals: rate of each interval, Mbit/s.
        retransmits: TCP segments sent again; None for UDP.
        lost_percent: datagrams lost; None for TCP.
        datagrams: how many were sent; None for TCP.
        rtt_ms: mean round-trip time of the TCP streams under load; None for UDP.
        client_cpu, server_cpu: per cent of one core that iperf3 itself took.
        seen: the addresses from which the server saw the client's data come.
        least_rtt_ms: the shortest round-trip time of a TCP stream, as of a path at rest.
        sent_bytes: by the sender's program, the slow start included; None for UDP.
        mss: what a TCP segment carries, in bytes; None for UDP.
        path_mtu: largest IP packet of the path as the sender found it, in bytes; None for UDP.
        client_waited_s, server_waited_s: how long iperf3 there was ready to run and got no
            processor; None where the endpoint does not tell.
        began, ended: when it ran, in seconds since the epoch by this machine's clock.
        interval_s: length of each interval; 0 where there are none.
        conduct: what the hosts did meanwhile, by name: client, server (or peer), and "test
            machine" where an endpoint lies on it.
        wire_mbps: what the receiver's interface counted in the measured time, at the same layer as
            `mbps`; None where it did not tell.
        impossible: which figure that a program told cannot be, in a clause; empty where all can.
        remarks: what iperf3 wrote beside its report.
        number: in the run, as its files in ``trials/`` are called; 0 where none are kept.
    """

    mbps: float
    received_bytes: int
    all_bytes: int
    seconds: float
    intervals: tuple[float, ...] = field(repr=False)
    retransmits: int | None
    lost_percent: float | None
    rtt_ms: float | None
    client_cpu: float
    server_cpu: float
    seen: frozenset[str]
    least_rtt_ms: float | None = None
    sent_bytes: int | None = None
    mss: int | None = None
    path_mtu: int | None = None
    client_waited_s: float | None = None
    server_waited_s: float | None = None
    began: float = 0.0
    ended: float = 0.0
    interval_s: float = 0.0
    datagrams: int | None = None
    conduct: Mapping[str, Conduct] = field(default_factory=dict, repr=False)
    wire_mbps: float | None = None
    number: int = 0
    impossible: str = ""
    remarks: tuple[str, ...] = ()

    @classmethod
    def of_nothing(cls, impossible: str) -> Trial:
        """A trial of which nothing is known, as a figure of it cannot be.

        Args:
            impossible: which one, in a clause.
        """
        return cls(
            mbps=0.0,
            received_bytes=0,
            all_bytes=0,
            seconds=0.0,
            intervals=(),
            retransmits=None,
            lost_percent=None,
            rtt_ms=None,
            client_cpu=0.0,
            server_cpu=0.0,
            seen=frozenset(),
            impossible=impossible,
        )
