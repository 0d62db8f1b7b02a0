"""The shell of an endpoint, over SSH to a real server: what it makes of a connection's troubles."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import paramiko
import pytest
from network_lab import Labs

from gatepass.base import namespace
from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint import ssh_client
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import EndpointLost
from gatepass.endpoint.ssh import SshShell
from gatepass.inputs import load_testbed

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the lab needs root")

LAB = "shell"
_EOF = bytes([96])
"""SSH_MSG_CHANNEL_EOF, RFC 4254, section 5.3."""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshShell]:
    labs = Labs(tmp_path_factory.mktemp("labs"))
    labs.must("up", LAB)
    try:
        testbed = load_testbed(labs.folder / LAB / "testbed.yaml")
        shell = SshShell("client", testbed.endpoints.client, "shell")
        with namespace.inside(testbed.network_namespace, testbed.path):
            yield shell
            shell.close()
    finally:
        labs.must("down", LAB)


def connection(shell: SshShell) -> str:
    """What tells one connection from the next: its addresses and ports."""
    return shell.run(Script("echo $SSH_CONNECTION")).output


def cut(shell: SshShell) -> None:
    """End the connection from the other side, while nobody asks anything."""
    transport = shell._client.client.get_transport()
    shell.run(Script("(sleep 0.2; kill -9 $PPID) >/dev/null 2>&1 &"))
    assert until(lambda: not transport.is_active(), 60)


def test_a_connection_lasts_however_late_an_end_of_input_is_sent(
    shell: SshShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = paramiko.Transport._send_user_message

    def late(transport: paramiko.Transport, message: paramiko.Message) -> None:
        if message.asbytes()[:1] == _EOF:
            time.sleep(0.3)  # as a thread does that has to wait for a processor
        send(transport, message)

    monkeypatch.setattr(paramiko.Transport, "_send_user_message", late)
    before = connection(shell)
    for _ in range(3):
        shell.put("text", "/tmp/written")
        assert shell.run(Script("cat /tmp/written")).output == "text"
        assert connection(shell) == before


def test_a_file_is_written_although_the_connection_broke_before(shell: SshShell) -> None:
    before = connection(shell)
    cut(shell)
    shell.put("more", "/tmp/written")
    assert shell.run(Script("cat /tmp/written")).output == "more"
    assert connection(shell) != before


def test_a_command_is_given_once_unless_it_may_be_given_again(shell: SshShell) -> None:
    ends_its_connection = Script("echo given >>/tmp/given; kill -9 $PPID")
    for again, times in ((False, 1), (True, 2)):
        with pytest.raises(EndpointLost, match=r"connection to the client broke .* “echo given"):
            shell.run(ends_its_connection, again=again)
        assert shell.run(Script("cat /tmp/given; rm /tmp/given")).output == "given\n" * times
    cut(shell)
    assert shell.run(Script("echo again"), again=True).output == "again\n"


def test_what_is_no_text_is_no_trouble(shell: SshShell) -> None:
    done = shell.run(Script(r"printf '\377'; printf '\377' >&2"))
    assert (done.output, done.errors) == ("\ufffd", "\ufffd")


@pytest.mark.parametrize(
    ("path", "why"),
    [("/nowhere/file", "No such file or directory"), ("/tmp", "Is a directory")],
)
def test_a_file_that_cannot_be_written_is_told_with_its_place(
    shell: SshShell, path: str, why: str
) -> None:
    before = connection(shell)
    with pytest.raises(NotProven) as told:
        shell.put("text", path)
    assert str(told.value) == (
        f"Not proven: {path} cannot be written on the client ({shell.where}): {why}."
    )
    assert connection(shell) == before


@pytest.mark.parametrize("where", ["", ">&2"])
def test_an_answer_without_an_end_is_not_read(
    shell: SshShell, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(ssh_client, "MOST_BYTES", 1024 * 1024)
    before = connection(shell)
    with pytest.raises(NotProven, match=r"the answer of the client .* has no end: it writes more"):
        shell.run(Script(f"cat /dev/zero {where}"), timeout_s=60)
    assert connection(shell) == before


def test_an_answer_that_drips_has_the_time_of_the_command_alone(shell: SshShell) -> None:
    with pytest.raises(EndpointLost, match="its command goes on"):
        shell.run(Script("while echo; do sleep 0.1; done"), timeout_s=1)
    assert shell.run(Script("echo here")).output == "here\n"


def test_both_channels_are_read_however_much_they_hold(shell: SshShell) -> None:
    """More than the window of the connection, which both share."""
    write = "head -c 3000000 /dev/zero"
    done = shell.run(Script(f"{write} >&2; {write}; exit 3"), timeout_s=60)
    assert (done.status, len(done.output), len(done.errors)) == (3, 3_000_000, 3_000_000)
