"""What the tests of the lab's network and lifecycle share: the command line, SSH, the host."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import paramiko
import yaml
from pyroute2 import netns

from inhabitants import namespaces_of

PROJECT = Path(__file__).resolve().parents[2]


class Labs:
    """The labs of one folder, used through the command line as a person would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "LAB_FOLDER": str(folder)}

    def command(self, *words: str) -> list[str]:
        """The words of a call of the lab."""
        return [sys.executable, "-m", "lab", *words]

    def call(self, *words: str, **more) -> subprocess.CompletedProcess[str]:
        """Call the lab and wait for its end."""
        return subprocess.run(
            self.command(*words),
            cwd=PROJECT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            **more,
        )

    def must(self, *words: str) -> str:
        """Call the lab, which has to succeed; what it printed."""
        done = self.call(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Call the lab and let it run."""
        return subprocess.Popen(
            self.command(*words),
            cwd=PROJECT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run_in(self, node: str, *command: str, lab: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a node."""
        return self.call("exec", node, "--lab", lab, "--", *command)

    def state(self, lab: str) -> dict:
        """The record of a lab."""
        return json.loads((self.folder / lab / "state.json").read_text())

    def testbed(self, lab: str) -> dict:
        """The testbed file of a lab."""
        return yaml.safe_load((self.folder / lab / "testbed.yaml").read_text())

    def namespaces(self, lab: str) -> set[str]:
        """The namespaces of a lab's nodes."""
        return namespaces_of(self.state(lab))

    @contextmanager
    def ssh(self, endpoint: str, lab: str) -> Iterator[paramiko.SSHClient]:
        """A login on an endpoint, by what the testbed file says and nothing else."""
        testbed = self.testbed(lab)
        access = testbed["endpoints"][endpoint]["ssh"]
        folder = self.folder / lab
        client = paramiko.SSHClient()
        client.load_host_keys(str(folder / access["known_hosts_file"]))
        client.set_missing_host_key_policy(paramiko.RejectPolicy())
        socket = netns.create_socket(testbed["network_namespace"], flags=0)
        with socket, client:
            socket.settimeout(60)
            socket.connect((access["host"], access["port"]))
            client.connect(
                access["host"],
                access["port"],
                access["user"],
                key_filename=str(folder / access["key_file"]),
                sock=socket,
                look_for_keys=False,
                allow_agent=False,
            )
            yield client

    def over_ssh(self, endpoint: str, command: str, lab: str) -> tuple[int, str]:
        """Exit code and output of a command over SSH."""
        with self.ssh(endpoint, lab) as client:
            _, output, _ = client.exec_command(command, timeout=60)
            text = output.read().decode()
            return output.channel.recv_exit_status(), text


def host() -> dict[str, object]:
    """What of the host's own network and files a lab could touch."""
    return {
        "links": sorted(os.listdir("/sys/class/net")),
        "routes": Path("/proc/net/route").read_text(),
        "routes6": sorted(
            # all but the counters of use
            (line.split()[0], line.split()[-1])
            for line in Path("/proc/net/ipv6_route").read_text().splitlines()
        ),
        "addresses6": Path("/proc/net/if_inet6").read_text(),
        "mounts": Path("/proc/self/mounts").read_text(),
        "run": sorted(os.listdir("/run")),
        "etc": {
            name: os.stat(f"/etc/{name}").st_mtime_ns for name in ("hosts", "shadow", "passwd")
        },
        "hostname": os.uname().nodename,
    }
