"""Which processes of an endpoint are a run's own.

A process id alone does not tell: once its process has ended the kernel gives it to another, on a
busy host within minutes. So each program of a run carries a word in its environment that says whose
it is, from its first moment on and with all that it starts, and nothing is ended without it.
"""

from __future__ import annotations

import shlex

from gatepass.endpoint.looks import LOOK_OVER, begin_look

_MARK = "GATEPASS_PROGRAM="
_ENDS_S = 10


def marked(stem: str, script: str) -> str:
    """A command that runs a script of a POSIX shell with all it starts marked as that program.

    Args:
        stem: path without ending of the program's files, which no other program has.
        script: to run.
    """
    return f"{_MARK}{shlex.quote(stem)} sh -c {shlex.quote(script)}"


def end_all(path: str) -> str:
    """A command that ends all programs of a run's folder, which it is called in, with their
    sessions; after 10 s at most it prints the command lines of those that would not end.

    Args:
        path: of the folder.
    """
    of_folder = shlex.quote(f"{_MARK}{path}/")
    return (
        f"own={_ids(of_folder)}; "
        'for f in *.pid; do [ -e $f ] && p=$(cat $f) && [ "$p" ] && '
        f"{_if_in('$own', 'kill -- -$p || kill $p')}; done 2>/dev/null; "
        f"alive() {{ for q in {_processes(of_folder)}; do ps -ww -o args= -p $q; done; }}; "
        f'{begin_look(_ENDS_S)}; until [ -z "$(alive)" ]; do '
        f"{LOOK_OVER} && break; sleep 0.05; done; alive"
    )


def end(stem: str, file: str, signal: str = "TERM", session: bool = False) -> str:
    """A command that ends a process of a program; nothing happens where it is not there any more.

    Args:
        stem: of the program.
        file: that holds the id of the process.
        signal: that it gets.
        session: whether all of the session that it leads get it.
    """
    # right after its start it has no session yet, and the process alone is all of it
    kill = f"kill -s {signal}"
    kills = f"{kill} -- -$p || {kill} $p" if session else f"{kill} $p"
    own = _ids(f"-zx {shlex.quote(_MARK + stem)}")
    look = f'p=$(cat {file}) && [ "$p" ] && {_SETTLED}'
    return f"{{ {look} && {_if_in(own, kills)}; }} 2>/dev/null; true"


# Linux shows no environment of a process that is just about to become another program (execve), nor
# of one that has ended and was not waited for.
_SETTLED = (
    "n=0 && { until grep -qs . /proc/$p/environ || [ ! -e /proc/$p ] || [ $n -gt 20 ]; do "
    "n=$((n+1)); sleep 0.05; done; }"
)


def _if_in(ids: str, then: str) -> str:
    """Do something where the process or the session `p` is one of these."""
    return f'case " $(echo {ids}) " in *" $p "*) {then};; esac'


def _processes(pattern: str) -> str:
    """Shell words: the ids of the processes in whose environment something is found."""
    return f"$(grep -lsF {pattern} /proc/[0-9]*/environ | cut -d/ -f3)"


def _ids(pattern: str) -> str:
    """The same with those of their sessions."""
    return f"$(for q in {_processes(pattern)}; do echo $q; ps -o sid= -p $q; done)"
