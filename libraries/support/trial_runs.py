"""Trials of iperf3 from the client to another endpoint, as every chapter runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from Endpoints import decided_by
from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.endpoint import iperf
from gatepass.endpoint.download import Transfer
from gatepass.endpoint.shell import Shell
from gatepass.results.measurements import observed
from gatepass.results.record import Measurement
from gatepass.results.trial import Load, Trial
from gatepass.verdict import ceiling
from gatepass.verdict.disturbance import Watched, told, wire_mbps
from gatepass.verdict.judgement import HEADROOM, Rule
from gatepass.verdict.throughput import Trials, measure
from support.session import session


@dataclass(frozen=True)
class Far:
    """The far end of a path.

    Attributes:
        shell: the endpoint there.
        address: of it on that path.
        port: where its test server may listen.
        by_policy: whether the gateway's policies decide about the path.
        clear: whether packets arrive there as they were sent, and not out of a tunnel.
    """

    shell: Shell
    address: str
    port: int
    by_policy: bool = True
    clear: bool = True


def server() -> Far:
    """The server behind the gateway."""
    far = session.testbed.endpoints.server
    return Far(session.server, far.address, far.iperf3_port)


def server_directly() -> Far:
    """The server on the path without the gateway, which the testbed has to name."""
    far = session.testbed.endpoints.server
    return Far(session.server, far.direct_address, far.iperf3_port, by_policy=False)


def tcp(
    reverse: bool = False,
    udp_mbps: float | None = None,
    source: str = "",
    promised_mbps: float | None = None,
) -> Load:
    """A trial's traffic as the profile wants it: TCP, or UDP where a rate is given.

    Args:
        reverse, udp_mbps, source: see `Load`.
        promised_mbps: about which the trial is to decide; TCP is offered at a multiple of it.
    """
    profile = session.profile
    ratio = profile.offered_ratio
    paced = promised_mbps and ratio and not udp_mbps
    return Load(
        seconds=profile.trial_s,
        omit_s=profile.omit_s,
        streams=1 if udp_mbps else profile.streams,
        interval_s=profile.interval_s,
        udp_mbps=udp_mbps,
        pace_mbps=promised_mbps * ratio if paced else None,
        reverse=reverse,
        source=source,
    )


def control(load: Load, promised_mbps: float, far: Far | None = None) -> Callable[[], Trial] | None:
    """The same kind of traffic at the promised rate on a path that does not pass what is judged.

    Args:
        load: that is judged.
        promised_mbps: at the load's layer; the control is paced a little above it (`HEADROOM`).
        far: the end of that path; the server on the path without the gateway unless given.

    Returns:
        What runs one such trial; None where there is no such path.
    """
    if far is None:
        if session.testbed.endpoints.server.direct_address is None:
            return None
        far = server_directly()
    rate = promised_mbps * HEADROOM
    if load.udp_mbps:
        asked = replace(load, source="", udp_mbps=min(rate, load.udp_mbps))
    else:
        asked = replace(load, source="", pace_mbps=rate)
    return lambda: one(asked, far)


def one(load: Load, far: Far) -> Trial:
    """One trial from the client, with what the rig did meanwhile; its JSON is kept."""
    session.trials += 1
    keep = session.folder / "trials" / f"{session.trials:03d}"
    keep.parent.mkdir(exist_ok=True)
    shells = {"client": session.client, far.shell.name: far.shell}
    begun = session.rig.mark(shells)
    try:
        trial = iperf.run(session.client, far.shell, far.address, far.port, load, keep)
    except NotProven as error:
        if far.by_policy and "unable to connect" in str(error):
            raise NotProven(f"{error} {decided_by(far.port)}") from error
        raise
    conduct = session.rig.since(begun)
    receiver = conduct.get("client" if load.reverse else far.shell.name)
    in_clear = far.clear and not load.source
    wire = wire_mbps(trial, receiver, load.omit_s) if receiver and in_clear else None
    trial = replace(trial, conduct=conduct, wire_mbps=wire)
    session.note("trial", {"number": session.trials, "to": far.address, **told(trial)}, aside=True)
    return trial


def watched(run: Callable[[], Transfer]) -> Watched:
    """Downloads of the client, with what the rig did meanwhile."""
    begun = session.rig.mark({"client": session.client, "server": session.server})
    transfer = run()
    return Watched(transfer.mbps, session.rig.since(begun))


def until_decided(
    load: Load,
    far: Far,
    threshold: float = 0,
    at_most: float | None = None,
    control: Callable[[], Trial] | None = None,
) -> Trials:
    """Trials until they decide about the thresholds, Mbit/s; the fewest without one."""
    return measure(
        lambda: one(load, far), session.rule, load.layer, threshold, "at least", at_most, control
    )


def repeated(trial: Callable[[], Trial], threshold: float) -> Trials:
    """Trials of this kind until they decide about the threshold, Mbit/s."""
    return measure(trial, session.rule, "TCP goodput", threshold)


def once(load: Load, far: Far) -> Trials:
    """One trial, for comparison: no verdict hangs on it."""
    return Trials((one(load, far),), Rule(1, 1, session.profile.confidence), load.layer)


def fastest(
    load: Load, far: Far, promise: str, conditions: Phrase, facts: Mapping[str, str] | None = None
) -> Measurement:
    """One trial as fast as it goes, held against the tier's ceiling and told for comparison."""
    carried = one(load, far).mbps
    seen = observed(
        promise, say("fastest", what=conditions), round(carried, 3), layer=load.layer, facts=facts
    )
    held = ceiling.held_against(seen, session.order.ceiling_mbps)
    session.note("measurement", held)
    return held
