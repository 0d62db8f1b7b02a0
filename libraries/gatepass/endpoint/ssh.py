"""An endpoint's shell over SSHLibrary, with host keys checked."""

from __future__ import annotations

import posixpath
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import paramiko

from gatepass.base.errors import NotProven
from gatepass.base.stop_signals import held_back
from gatepass.endpoint import own_programs
from gatepass.endpoint.login_shell import NoShell
from gatepass.endpoint.script import Script, joined, must_be_script, script
from gatepass.endpoint.shell import Completed, EndpointLost, must_have_room
from gatepass.endpoint.ssh_client import NotSent, PinnedClient, Refused
from gatepass.endpoint.ssh_session import TooLarge
from gatepass.endpoint.ssh_transport import HostKeyRefused
from gatepass.endpoint.visits import Visits
from gatepass.inputs.private_key import UnusableKey
from gatepass.inputs.testbed import Host, Testbed

_T = TypeVar("_T")

_RECONNECT_S = 8
_CLEAN_UP_S = 40
_NOBODY = (ConnectionRefusedError, TimeoutError, paramiko.ssh_exception.NoValidConnectionsError)
"""Programs get ten seconds of it: many VPN users take a while to log out."""


class SshShell:
    """A Linux endpoint over one SSH connection, which is made anew when it breaks.

    Args:
        name: "client", "server" or "peer", as sentences call it.
        endpoint: from the testbed file.
        mark: of the run, by which what it leaves there is found again.
        tell: writes down a script that undoes a change of the host, by endpoint, script and digest.
        visits: where it is written down that something may be left there, if anywhere.
    """

    def __init__(
        self,
        name: str,
        endpoint: Host,
        mark: str,
        tell: Callable[[str, str, str], None] = lambda *_: None,
        visits: Visits | None = None,
    ) -> None:
        self.name = name
        self._visits = visits
        self._tell = tell
        self._undoing: dict[str, list[str]] = {}
        self.endpoint = endpoint
        self._path = f"/tmp/gatepass.{mark}"
        self._begun = self._made = False
        self._lost = self._no_shell = ""
        self._client: PinnedClient | None = None

    @property
    def where(self) -> str:
        """Host and port, as sentences name them."""
        return f"{self.endpoint.ssh.host}:{self.endpoint.ssh.port}"

    @property
    def lost(self) -> bool:
        """Whether the last try to reach it failed."""
        return bool(self._lost)

    @held_back
    def connect(self) -> None:
        """Open the connection and check the host key.

        Raises:
            EndpointLost: with the reason and what to do.
        """
        ssh = self.endpoint.ssh
        self.close()
        client = PinnedClient(ssh)
        try:
            client.log_in()
        except UnusableKey as unusable:
            reason = f"{ssh.key_file} {unusable}"
        except (RuntimeError, OSError, EOFError, paramiko.SSHException) as error:
            reason = _plain(error, client)
        else:
            self._lost, self._client = "", client
            return
        client.close()
        self._lost = f"the {self.name} cannot be reached by SSH at {self.where}: {reason}."
        raise EndpointLost(self._lost)

    def run(self, command: Script, timeout_s: float = 15, again: bool = False) -> Completed:
        """Run a command and wait for it.

        Args:
            command: for a POSIX shell, whatever the user's login shell is.
            timeout_s: how long to wait; the command itself may go on after.
            again: whether it may be run once more if the connection broke under it.

        Raises:
            EndpointLost: the connection broke, no answer came in time, or there is no shell.
            NotProven: the answer has no end.
            TypeError: the command is no `Script`.
        """
        must_be_script(command)
        try:
            return self._ask(lambda client: client.execute(command, timeout_s), command, again)
        except TooLarge as flood:
            raise NotProven(
                f"the answer of the {self.name} ({self.where}) has no end: {flood}. Check what "
                f"runs there; it was asked “{command}”."
            ) from None

    def _ask(
        self, work: Callable[[PinnedClient], _T], what: str, again: bool, first: bool = True
    ) -> _T:
        """Do something over the connection, which is made where there is none.

        Args:
            work: what is done with it.
            what: it is, as sentences call it.
            again: whether it may be done once more if the connection broke under it.
            first: whether this is the first try.

        Raises:
            EndpointLost: the connection broke, no answer came in time, or there is no shell.
        """
        if self._no_shell:
            raise EndpointLost(self._no_shell)
        if self._lost:
            self._reconnect(once=True)
        elif self._client is None:
            self.connect()
        try:
            return self._do(work)
        except NoShell as answer:
            told = self._instead(answer)
            self._no_shell = told if answer.lasts else ""
            raise EndpointLost(told) from None
        except (OSError, EOFError, paramiko.SSHException, RuntimeError, AssertionError) as error:
            broken = str(error) or type(error).__name__
            again = again or (first and isinstance(error, NotSent))
        self._lost = f"the SSH connection to the {self.name} ({self.where}) broke: {broken}."
        self._reconnect(once=False)
        if again:
            return self._ask(work, what, again=False, first=False)
        raise EndpointLost(
            f"the SSH connection to the {self.name} broke ({broken}) during “{what}”."
        )

    def _instead(self, answer: NoShell) -> str:
        """What answers in the place of a shell, and what to do, in sentences."""
        begin = f"on each command the {self.name} ({self.where})"
        answers = f"answers “{answer.words}”" if answer.words else "answers nothing"
        if answer.status is None:
            return f"{begin} {answers} and waits. {answer.remedy}"
        ends = "" if answer.words else f" and ends with {answer.status}"
        return f"{begin} {answers}{ends}. {answer.remedy}"

    @held_back
    def _do(self, work: Callable[[PinnedClient], _T]) -> _T:
        return work(self._client)

    def _reconnect(self, once: bool) -> None:
        give_up = time.monotonic() + (0 if once else _RECONNECT_S)
        while True:
            try:
                return self.connect()
            except EndpointLost:
                if time.monotonic() >= give_up:
                    raise
                time.sleep(0.5)

    def folder(self) -> str:
        """The run's own folder on the endpoint, made at first use."""
        if not self._made:
            if self._visits:
                self._visits.begin(self.name, self.where)
            # fails where somebody was there first, so that no link of theirs is followed; one of
            # our own is there where the connection broke after it was made
            ours = script("[ -d {path} ] && [ ! -L {path} ] && [ -O {path} ]", path=self._path)
            again = script(" 2>/dev/null || {{ {ours}; }}", ours=ours)
            make = script("mkdir -m 700 {path}", path=self._path)
            begun, self._begun = self._begun, True
            try:
                made = self.run(joined("", [make, again]) if begun else make)
            except EndpointLost:
                if self._no_shell and not begun:  # so nothing is left there
                    self._gone()
                raise
            if made.status:
                raise EndpointLost(f"no folder could be made on the {self.name}: {made.errors}")
            self._made = True
        return self._path

    def announce(self, name: str, sha256: str) -> None:
        """Tell the run's journal of a script that undoes a change, before it is made."""
        self._tell(self.name, name, sha256)
        self._undoing.setdefault(name, []).append(sha256)

    def put(self, text: str, path: str) -> None:
        """Write a file on the endpoint; once more if the connection broke under it.

        Raises:
            EndpointLost: it cannot be reached.
            NotProven: it can be, and will not have the file.
        """
        try:
            self._ask(lambda client: client.write(text, path), f"write {path}", again=True)
        except Refused as refused:
            must_have_room(self, posixpath.dirname(path))
            raise NotProven(
                f"{path} cannot be written on the {self.name} ({self.where}): {refused}."
            ) from None

    def clean_up(self) -> list[str]:
        """End what the run still has at work there and remove its folder.

        Returns:
            The command lines of processes that would not end; empty where all is clean.
        """
        visited = self._visits and self.name in self._visits.left
        left = self.remove_folder(self._undoing) if self._begun or visited else []
        if not left:
            self._gone()
        return left

    def _gone(self) -> None:
        """Nothing of the run is left there."""
        self._begun = False
        if self._visits:
            self._visits.end(self.name)

    def remove_folder(self, undoing: Mapping[str, Sequence[str]]) -> list[str]:
        """The same for a run of this mark that was killed; nothing happens where none was.

        What the run has changed on the host itself is taken back too (see `host_changes`), by the
        scripts that its journal knows. Of another user nothing is run, ended or removed.

        Args:
            undoing: those scripts, each with the SHA-256 digests that it may have.
        """
        left = self.run(remove_command(self._path, undoing), timeout_s=_CLEAN_UP_S)
        self._made = False
        return left.output.splitlines()

    @held_back
    def close(self) -> None:
        """Close the connection."""
        if self._client:
            self._client.close()
            self._client = None


def remove_command(path: str, undoing: Mapping[str, Sequence[str]]) -> Script:
    """What ends the programs of a run's folder, undoes its changes and removes it.

    Args:
        path: of the folder.
        undoing: the scripts that may be run, each with the SHA-256 digests that it may have.

    Returns:
        A script; it prints what could not be done, a line each.
    """
    known = [f"{digest}:{name}" for name, all_ in undoing.items() for digest in all_]
    return script(
        "[ -e {path} ] || [ -L {path} ] || exit 0; "
        "if [ -L {path} ] || [ ! -O {path} ]; then echo {others}; exit 0; fi; "
        "cd {path} || exit 0; "
        "alive=$({end_all}); "
        '[ -z "$alive" ] || printf "%s\\n" "$alive"; '
        'strange=; for f in *.undo; do [ -e "$f" ] || continue; '
        'case "$(sha256sum <"$f" | cut -c1-64):$f" in '
        '{known}) [ -O "$f" ] && sh "$f" >/dev/null 2>&1;; '
        '*) strange=1; printf "%s, %s\\n" "$PWD/$f" {unknown};; esac; done; '
        'cd /; [ -n "$strange$alive" ] || rm -rf {path}',
        path=path,
        others=f"{path}, which is another user's and is left alone",
        end_all=own_programs.end_all(path),
        known=joined("|", [script("{word}", word=word) for word in known or ["-"]]),
        unknown="which stands in no journal here and was not run",
    )


def clean_endpoints(
    testbed: Testbed,
    mark: str,
    host_changes: Mapping[str, Mapping[str, Sequence[str]]],
    visits: Visits | None,
) -> list[str]:
    """End what a killed run left at work on the endpoints, and remove its files.

    Args:
        testbed: where the run was at work.
        mark: of that run.
        host_changes: what its journal tells of changes of the endpoints themselves.
        visits: where that run was, adopted; None of a run that did not note it, which may have been
            on each of them.

    Returns:
        A sentence for each endpoint where that could not be done.
    """
    named = testbed.endpoints.named
    problems = []
    for name in list(visits.left if visits else named):
        at = visits.left[name] if visits else ""
        shell = SshShell(name, named[name], mark) if name in named else None
        if shell is None or at not in ("", shell.where):
            problems.append(
                f"The run was on the {name} at {at}, and {testbed.path} names another one now. "
                f"Point it there again, or remove /tmp/gatepass.{mark} there by hand."
            )
            continue
        found = _cleaned(shell, testbed, mark, host_changes.get(name, {}))
        if visits and not found:
            visits.end(name)
        problems += found
    return problems


def _cleaned(
    shell: SshShell, testbed: Testbed, mark: str, undoing: Mapping[str, Sequence[str]]
) -> list[str]:
    """Clean one endpoint; what is left there, in sentences."""
    try:
        left = shell.remove_folder(undoing)
        if shell.name == "server" and (files := testbed.endpoints.server.files):
            shell.run(script("rm -rf {path}", path=f"{files.folder}/{mark}"), timeout_s=60)
        return [f"On the {shell.name} there is still: {line}" for line in left]
    except EndpointLost as lost:
        return [f"What the run left on the {shell.name} stays there: {lost.reason}"]
    finally:
        shell.close()


def _plain(error: Exception, client: PinnedClient) -> str:
    """A connection error in words that tell what to do."""
    text = str(error) or type(error).__name__
    if isinstance(error, HostKeyRefused):
        return text
    if isinstance(error, paramiko.ssh_exception.IncompatiblePeer) and client.transport:
        return client.transport.disagreement() or text
    if isinstance(error, paramiko.BadAuthenticationType):
        return (
            f"it refuses the key and asks for {', '.join(error.allowed_types)}; check user and "
            "key_file in the testbed file, and AuthenticationMethods in its sshd_config"
        )
    if isinstance(error, paramiko.AuthenticationException):
        return "it refuses the key; check user and key_file in the testbed file"
    if "protocol banner" in text:
        return "what answers there does not speak SSH; correct host and port in the testbed file"
    if isinstance(error, socket.gaierror):
        return "its name is not known; correct host in the testbed file"
    if isinstance(error, _NOBODY):
        return (
            "nothing answers there; start sshd on it, or correct host and port in the testbed file"
        )
    return text
