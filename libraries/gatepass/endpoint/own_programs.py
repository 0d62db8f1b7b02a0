"""Which processes of an endpoint are a run's own.

A process id alone does not tell: once its process has ended the kernel gives it to another, on a
busy host within minutes. So each program of a run carries a word in its environment that says whose
it is, from its first moment on and with all that it starts, and nothing is ended without it.
"""

from __future__ import annotations

from gatepass.endpoint.looks import LOOK_OVER, begin_look
from gatepass.endpoint.script import Script, script

_MARK = "GATEPASS_PROGRAM="
_ENDS_S = 10


def marked(stem: str, command: Script) -> Script:
    """A command that runs a script with all it starts marked as that program.

    Args:
        stem: path without ending of the program's files, which no other program has.
        command: to run.
    """
    return script("GATEPASS_PROGRAM={stem} sh -c {text}", stem=stem, text=str(command))


def end_all(path: str) -> Script:
    """A command that ends all programs of a run's folder, which it is called in, with their
    sessions; after 10 s at most it prints the command lines of those that would not end.

    Args:
        path: of the folder.
    """
    of_folder = script("{word}", word=f"{_MARK}{path}/")
    return script(
        "own={ids}; "
        'for f in *.pid; do [ -e $f ] && p=$(cat $f) && [ "$p" ] && {end}; done 2>/dev/null; '
        "alive() {{ for q in {processes}; do ps -ww -o args= -p $q; done; }}; "
        '{begin}; until [ -z "$(alive)" ]; do {over} && break; sleep 0.05; done; alive',
        ids=_ids(of_folder),
        end=_if_in(script("$own"), script("kill -- -$p || kill $p")),
        processes=_processes(of_folder),
        begin=begin_look(_ENDS_S),
        over=LOOK_OVER,
    )


def end(stem: str, file: str, signal: str = "TERM", session: bool = False) -> Script:
    """A command that ends a process of a program; nothing happens where it is not there any more.

    Args:
        stem: of the program.
        file: that holds the id of the process.
        signal: that it gets.
        session: whether all of the session that it leads get it.
    """
    # right after its start it has no session yet, and the process alone is all of it
    kill = script("kill -s {signal}", signal=signal)
    alone = script("{kill} $p", kill=kill)
    kills = script("{kill} -- -$p || {alone}", kill=kill, alone=alone) if session else alone
    return script(
        '{{ p=$(cat {file}) && [ "$p" ] && {settled} && {kills}; }} 2>/dev/null; true',
        file=file,
        settled=_SETTLED,
        kills=_if_in(_ids(script("-zx {word}", word=_MARK + stem)), kills),
    )


# Linux shows no environment of a process that is just about to become another program (execve), nor
# of one that has ended and was not waited for.
_SETTLED = script(
    "n=0 && {{ until grep -qs . /proc/$p/environ || [ ! -e /proc/$p ] || [ $n -gt 20 ]; do "
    "n=$((n+1)); sleep 0.05; done; }}"
)


def _if_in(ids: Script, then: Script) -> Script:
    """Do something where the process or the session `p` is one of these."""
    return script(
        'of=$(echo {ids}) && case " $of " in *" $p "*) {then};; esac', ids=ids, then=then
    )


def _processes(pattern: Script) -> Script:
    """Shell words: the ids of the processes in whose environment something is found."""
    return script("$(grep -lsF {pattern} /proc/[0-9]*/environ | cut -d/ -f3)", pattern=pattern)


def _ids(pattern: Script) -> Script:
    """The same with those of their sessions."""
    return script(
        "$(for q in {processes}; do echo $q; ps -o sid= -p $q; done)",
        processes=_processes(pattern),
    )
