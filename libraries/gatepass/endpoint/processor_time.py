"""Processor time that programs on an endpoint have taken."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.endpoint.answers import number, words_of
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Shell

# The scheduler's own account is in nanoseconds; the ticks of proc_pid_stat(5) miss a program that
# never runs for a whole one. A kernel without scheduler statistics has the ticks alone, or an
# account of zeros.
_EACH = (
    "getconf CLK_TCK; for p in {pids}; do "
    "ns=$(cat /proc/$p/task/*/schedstat 2>/dev/null "
    "| awk '{{ t += $1 }} END {{ print t + 0 }}'); "
    "ticks=$(sed 's/.*) //' /proc/$p/stat 2>/dev/null "
    "| awk '{{ t = $12 + $13 }} END {{ print t + 0 }}'); "
    'echo "$ns $ticks"; done'
)


def used_s(shell: Shell, pids: Script) -> float:
    """Processor time that programs have taken so far, in seconds of one core.

    Args:
        shell: the endpoint.
        pids: shell words that give their process ids; what has ended meanwhile counts for nothing.

    Raises:
        NotProven: it does not tell.
    """
    done = shell.run(script(_EACH, pids=pids))
    hz, *each = done.output.splitlines() or [""]
    try:
        a_second = number(hz)
        taken = [map(number, one.split()) for one in each]
        return sum(max(ns / 1e9, ticks / a_second) for ns, ticks in taken)
    except (ValueError, ZeroDivisionError):
        raise NotProven(
            f"the {shell.name} does not report its processor time: {words_of(done)}."
        ) from None
