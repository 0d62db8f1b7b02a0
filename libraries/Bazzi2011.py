"""Bazzi 2011 on the gateway: streams and transactions, with the gateway and without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gatepass.base.errors import NotProven
from gatepass.base.paths import VARIABLES
from gatepass.endpoint import transactions
from gatepass.endpoint.transactions import Exchange
from gatepass.inputs.published import Published, load_published
from gatepass.inputs.scope import NO_DIRECT_PATH
from gatepass.results.study import StudyTable
from gatepass.results.trial import Trial
from gatepass.scenarios.studies import bazzi2011
from gatepass.scenarios.studies import bazzi2011_tables as tables
from gatepass.scenarios.studies.bazzi2011 import (
    DIRECT,
    EXCHANGES,
    STREAMS,
    THROUGH,
    Cell,
    Compared,
    Conditions,
    Sample,
)
from gatepass.verdict.disturbance import trial_facts
from gatepass.verdict.throughput import Trials
from support import words
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps
from support.trial_runner import RemoteEnd

Measure = Callable[[Cell, RemoteEnd], tuple[Sample, Trial]]
"""Runs one trial of a cell to an end."""


class Found(Steps):
    """What a check found.

    Attributes:
        compared: size by size.
    """

    compared: list[Compared]


class Bazzi2011(KeywordLibrary):
    """Keywords of the study Bazzi 2011."""

    @keyword("Streams over ${protocol} are sent with the gateway and without it")
    def streams_are_sent(self, protocol: words.Transport) -> None:
        """By socket and message size (netperf's TCP_STREAM and UDP_STREAM; section 5).

        Example: ``Streams Over TCP Are Sent With The Gateway And Without It``

        Raises:
            NotProven: there is no path without the gateway.
        """

        def sent(cell: Cell, remote: RemoteEnd) -> tuple[Sample, Trial]:
            trial = self.runner.one(cell.load(protocol, self._conditions.stream_s), remote)
            return Sample(trial.mbps, trial.lost_percent, bazzi2011.disturbed(trial)), trial

        if protocol == "TCP":  # which is the study's first part
            self._tell(tables.differences_table(self._conditions))
        found = self._compared(STREAMS, sent, STREAMS[0].load(protocol, 1).layer)
        self._tell(*tables.stream_tables(protocol, found, self._published))

    @keyword("Transactions over ${protocol} are made with the gateway and without it")
    def transactions_are_made(self, protocol: words.Transport) -> None:
        """By request and response size (netperf's TCP_RR and UDP_RR; section 6).

        Example: ``Transactions Over UDP Are Made With The Gateway And Without It``

        Raises:
            NotProven: there is no path without the gateway.
        """

        def made(cell: Cell, remote: RemoteEnd) -> tuple[Sample, Trial]:
            return self._made(cell.exchange(protocol, self._conditions.exchange_s), remote)

        found = self._compared(EXCHANGES[protocol], made, "requests")
        self._tell(*tables.transaction_tables(protocol, found, self._published))

    @keyword()
    def each_figure_should_be_known(self) -> None:
        """Enough trials count on both paths, for each size; how closely it is known is told.

        Raises:
            NotProven: the rig disturbed too many.
        """
        for one in self.check.left(Found).compared:
            if one.by_rig:
                raise NotProven(f"{one.cell} cannot be determined, as {one.by_rig}. Run again.")

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _conditions(self) -> Conditions:
        return bazzi2011.CONDITIONS[self.run.profile.studies]

    @property
    def _published(self) -> Published:
        return load_published(VARIABLES / "published_results.yaml")

    def _compared(self, cells: Sequence[Cell], measure: Measure, layer: str) -> list[Compared]:
        """Each cell on both paths; what went through is kept for the steps that look for evidence.

        Raises:
            NotProven: there is no path without the gateway.
        """
        beside = self.runner.server_directly()
        if beside is None:
            raise NotProven(". ".join(NO_DIRECT_PATH))
        ends = {DIRECT: beside, THROUGH: self.runner.server()}
        passed: list[Trial] = []

        def tries(cell: Cell, path: str) -> Callable[[], Sample]:
            def once() -> Sample:
                sample, trial = measure(cell, ends[path])
                if path == THROUGH:
                    passed.append(trial)
                return sample

            return once

        found = [
            bazzi2011.compare(cell, {path: tries(cell, path) for path in ends}, self._conditions)
            for cell in cells
        ]
        self.check.trials = Trials(tuple(passed), self.run.rule, layer)
        self.check.left(Found).compared = found
        return found

    def _made(self, asked: Exchange, remote: RemoteEnd) -> tuple[Sample, Trial]:
        """One trial of transactions, with what the rig did meanwhile.

        Raises:
            AssertionError: it breaks off, and without the gateway it does not.
            NotProven: it breaks off there as well, or a program failed.
        """
        return self.runner.whole(remote, lambda end, broken: self._once(asked, end))

    def _once(self, asked: Exchange, remote: RemoteEnd) -> tuple[Sample, Trial]:
        self.run.trials += 1
        begun = self.run.rig.mark({"client": self.run.client, remote.shell.name: remote.shell})
        made = transactions.run(self.run.client, remote.shell, remote.address, remote.port, asked)
        trial = replace(made.trial, conduct=self.run.rig.since(begun))
        about = {
            "number": self.run.trials,
            "to": remote.address,
            "per_s": round(made.per_s, 1),
            "lost_percent": made.lost_percent,
            **trial_facts(trial),
        }
        self.check.note("trial", about, aside=True)
        return Sample(made.per_s, made.lost_percent, bazzi2011.disturbed(trial)), trial

    def _tell(self, *told: StudyTable) -> None:
        for table in told:
            self.check.note("study", table.as_json(), aside=True)
