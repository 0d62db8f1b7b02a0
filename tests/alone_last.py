"""Which worker gets which tests: files go round, what must be alone comes last and together."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

from turns import must_be_alone


class AloneLast(LoadFileScheduling):
    """A file a worker, as a file's tests share a gateway.

    What must be alone is one unit of its own: between other tests each of them would have
    every worker wait until the last one has ended. The tests are sorted so that it is the last, but
    for those that give way.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "alone" if must_be_alone(nodeid) else super()._split_scope(nodeid)
