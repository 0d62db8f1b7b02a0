"""Trials of iperf3 from the client to another endpoint, as every chapter runs them."""

from __future__ import annotations

from dataclasses import dataclass

from Endpoints import decided_by
from gatepass import iperf
from gatepass.errors import NotProven
from gatepass.iperf import Load, Trial
from gatepass.shell import Shell
from gatepass.throughput import Trials, measure
from session import session


@dataclass(frozen=True)
class Far:
    """The far end of a path.

    Attributes:
        shell: the endpoint there.
        address: of it on that path.
        port: where its test server may listen.
        by_policy: whether the gateway's policies decide about the path.
    """

    shell: Shell
    address: str
    port: int
    by_policy: bool = True


def server() -> Far:
    """The server behind the gateway."""
    far = session.testbed.endpoints.server
    return Far(session.server, far.address, far.iperf3_port)


def server_directly() -> Far:
    """The server on the path without the gateway, which the testbed has to name."""
    far = session.testbed.endpoints.server
    return Far(session.server, far.direct_address, far.iperf3_port, by_policy=False)


def tcp(reverse: bool = False, udp_mbps: float | None = None, source: str = "") -> Load:
    """A trial's traffic as the profile wants it: TCP, or UDP where a rate is given."""
    profile = session.profile
    return Load(
        seconds=profile.trial_s,
        omit_s=profile.omit_s,
        streams=1 if udp_mbps else profile.streams,
        interval_s=profile.interval_s,
        udp_mbps=udp_mbps,
        reverse=reverse,
        source=source,
    )


def one(load: Load, far: Far) -> Trial:
    """One trial from the client; its JSON is kept beside the report."""
    session.trials += 1
    keep = session.folder / "trials" / f"{session.trials:03d}"
    keep.parent.mkdir(exist_ok=True)
    try:
        return iperf.run(session.client, far.shell, far.address, far.port, load, keep)
    except NotProven as error:
        if far.by_policy and "unable to connect" in str(error):
            raise NotProven(f"{error} {decided_by(far.port)}") from error
        raise


def until_decided(
    load: Load, far: Far, threshold: float = 0, at_most: float | None = None
) -> Trials:
    """Trials until they decide about the thresholds, Mbit/s; the fewest without one."""
    return measure(lambda: one(load, far), session.rule, load.layer, threshold, at_most=at_most)
