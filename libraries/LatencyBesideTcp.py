"""How long packets take while TCP fills the path both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.endpoint import beside_tcp
from gatepass.endpoint.beside_tcp import KIND, TO_CLIENT, TO_SERVER, BesideTcp
from gatepass.endpoint.delay_probes import Target
from gatepass.results.broken import Broken
from gatepass.results.record import Measurement, figure
from gatepass.verdict.delay_trials import AskedRig, disturbed
from gatepass.verdict.disturbance import Watched, aside_in_words, disturbed_by
from gatepass.verdict.judgement import WITHOUT, Rig
from gatepass.verdict.queue_delay import measured, series_ms
from support import words
from support.delays import DelayRunner, back_to_the_client, came_from, through_the_gateway
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.reasons import conclude
from support.steps import Steps
from support.transfers import alone, whole

_STATEFUL = "stateful_throughput"
_FILLS = 0.9
"""Of the tier's rate: TCP that carries so much one way has filled the path."""
_RESTS, _TRIES = 3, 3
"""For how many times the rest TCP lasts, and how often it is tried on a rig that is disturbed."""
_WAYS: Mapping[words.Direction, str] = {"to the server": TO_SERVER, "to the client": TO_CLIENT}


class Seen(Steps):
    """What was sent.

    Attributes:
        beside_tcp: probes and TCP.
    """

    beside_tcp: BesideTcp


class LatencyBesideTcp(KeywordLibrary):
    """Keywords about the delay of a path that TCP fills."""

    @keyword("TCP is sent both ways between two times of rest")
    def tcp_is_sent_both_ways(self) -> None:
        """Probes all the time; in the middle of it TCP both ways (what flent calls RRUL).

        As many streams each way as the profile has, offered as TCP is everywhere (`offered_ratio`).

        Raises:
            AssertionError: the probes did not come from the client.
            NotProven: the rig was disturbed each time.
        """
        there, back = through_the_gateway(self.run), back_to_the_client(self.run)
        aside = []
        for _ in range(_TRIES):
            seen = self._sent(there, back)
            trial = seen.trials[TO_SERVER]
            if not (why := next(filter(None, map(disturbed, seen.trials.values())), "")):
                break
            aside.append((Watched(0.0, trial.conduct), why))
        else:
            raise NotProven(aside_in_words(aside))
        self.check.left(Seen).beside_tcp = seen
        came_from(
            self.check, [seen.through(TO_SERVER)], self.run.testbed.endpoints.client.address
        )

    @keyword("The delay ${direction} should have kept its limit meanwhile")
    def the_delay_should_have_kept_its_limit(self, direction: words.Direction) -> None:
        """In no tenth of a second the mean delay was longer than `queue_delay_ms` allows.

        Example: ``The Delay To The Client Should Have Kept Its Limit Meanwhile``

        Args:
            direction: that the probes went.

        Raises:
            AssertionError: it was, and without the gateway it was not.
            NotProven: the rig delays by as much itself.
        """
        way = _WAYS[direction]
        held = self._measured(way)
        self.check.measured(held)
        delayed: list[float] = []

        def without() -> str:
            there, back = through_the_gateway(self.run), back_to_the_client(self.run)
            if not there.beside:
                return Rig(None).limits(held)
            seen = self._sent(*_without_gateway(there, back), judged=False)
            delayed.append(max(series_ms(seen.trials[way].pairs[KIND])))
            if delayed[0] > held.threshold / 2:
                return (
                    f"{WITHOUT} itself delays packets by {delayed[0]:.1f} ms beside TCP both ways."
                )
            return ""

        conclude(
            self.check,
            held,
            AskedRig(without),
            lambda: f"{WITHOUT} delayed by {delayed[0]:.1f} ms at most beside TCP both ways.",
        )

    @keyword("TCP should have filled the path")
    def tcp_should_have_filled_the_path(self) -> None:
        """TCP carried something both ways, and the tier's rate one way at least.

        Not both: acknowledgements wait in the queue of what goes the other way, and hold their own
        way's traffic back.

        Raises:
            NotProven: it did not, so that a queue may get longer than it was seen to.
        """
        mbps, promised = self.check.left(Seen).beside_tcp.mbps, self.run.promised(_STATEFUL)
        rates = " and ".join(figure(mbps[way]) for way in _WAYS.values())
        each = f"in {self.run.profile.streams} streams each"
        told = f"To the server and to the client it carried {rates} Mbit/s, {each}."
        if not min(mbps.values()) or max(mbps.values()) < _FILLS * promised:
            raise NotProven(
                f"TCP did not fill the path, so its queue may get longer than was seen. {told}"
            )
        self.check.evidence(say("delay_filled"), told, True)

    # -- helpers ------------------------------------------------------------------------------

    def _measured(self, way: str) -> Measurement:
        seen, profile = self.check.left(Seen).beside_tcp, self.run.profile
        numbers, limit_ms = (seen.numbers[way], seen.number), profile.queue_delay_ms
        pair = seen.trials[way].pairs[KIND]
        return measured(way, pair, seen.mbps, profile.streams, limit_ms, numbers)

    def _sent(self, there: Target, back: Target, judged: bool = True) -> BesideTcp:
        """Probes and TCP; on a path on which the gateway is `judged`, its doing where they break.

        Raises:
            AssertionError, NotProven: see `whole`.
        """
        run, rest_s = self.run, self.run.profile.delay_trial_s
        load = self.runner.load(promised_mbps=run.promised(_STATEFUL))
        load = replace(load, seconds=_RESTS * rest_s, omit_s=0)
        port = run.testbed.endpoints.server.iperf3_port
        shells = {"client": run.client, "server": run.server}

        def send(there: Target, back: Target) -> BesideTcp:
            begun = run.rig.mark(shells)
            run.trials += 1
            keep = run.folder / "trials" / f"{run.trials:03d}"
            try:
                seen = beside_tcp.run(*shells.values(), there, back, port, load, rest_s, keep)
            except Broken as broken:
                broken.disturbed = disturbed_by(run.rig.since(begun))
                raise
            carried = {f"{way}_mbps": round(mbps, 4) for way, mbps in seen.mbps.items()}
            about = {"number": run.trials, "to": there.through[4], **carried}
            self.check.note("trial", about, aside=True)
            return replace(seen.watched(run.rig.since(begun)), number=run.trials)

        def control(broken: Broken) -> BesideTcp:
            return send(*_without_gateway(there, back))

        if judged:
            seen = whole(self.check, lambda: send(there, back), control if there.beside else None)
        else:
            seen = alone(lambda: send(there, back))
        numbers = {}
        for way, trial in seen.trials.items():
            run.trials += 1
            numbers[way] = run.trials
            to = there if way == TO_SERVER else back
            DelayRunner(self.check).keep(trial, to.through[4])
        return replace(seen, numbers=numbers)


def _without_gateway(*targets: Target) -> Iterator[Target]:
    """The same on the path without the gateway."""
    return (replace(one, through=one.beside, beside={}) for one in targets)
