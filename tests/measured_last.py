"""Which worker gets which tests: files go round, what measures comes last and together."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

from turns import MEASURES, Manner, manner


class MeasuredLast(LoadFileScheduling):
    """A file a worker, as a file's tests share a gateway.

    What measures is two units of its own, which take turns: between other tests each of them would
    have every worker wait until the last one has ended. The tests are sorted so that these are the
    last, but for those that give way.
    """

    def _split_scope(self, nodeid: str) -> str:
        how = manner(nodeid)
        if how not in MEASURES:
            return super()._split_scope(nodeid)
        return "runs" if how is Manner.WITH_RUNS else "faults, and what is alone"
