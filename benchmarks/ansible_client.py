"""Ansible with Fortinet's modules, in an environment of its own.

``python -m benchmarks.ansible_client`` sets it up once, in the user's cache: ansible-core, and out
of the package of all collections the three that are needed, as the whole of it takes 200 MB.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORE, PACKAGE = "ansible-core==2.19.14", "ansible==12.3.0"
COLLECTIONS = ("fortinet/fortios", "ansible/netcommon", "ansible/utils")
FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gatepass-ansible"
COMMAND = "PYTHONPATH=. .venv/bin/python -m benchmarks.ansible_client"
MISSING = f"Ansible is not set up in {FOLDER}; set it up with: {COMMAND}"

_PROGRAM = FOLDER / "venv" / "bin" / "ansible-playbook"
_HOST = "gateway"
_TASK = re.compile(r"^TASK \[(?P<name>.*)\] \*+$")
_OUTCOME = re.compile(rf"^(?P<outcome>ok|changed|failed|fatal|skipping): \[{_HOST}\]")


@dataclass(frozen=True)
class Gateway:
    """Where a playbook is played.

    Attributes:
        host: address of its management.
        port: likewise.
        ca_file: who signed its certificate.
        login: variables of the connection that say who logs in.
    """

    host: str
    port: int
    ca_file: Path
    login: Mapping[str, Any]


@dataclass(frozen=True)
class Played:
    """What became of a playbook.

    Attributes:
        outcomes: of each task, once for each item of a loop: its name, and `ok`, `changed` or
            `fatal`.
        code: the program's exit code.
        text: what it printed.
    """

    outcomes: tuple[tuple[str, str], ...]
    code: int
    text: str

    def tasks(self, outcome: str) -> list[str]:
        """The names of the tasks that ended so."""
        return [name for name, found in self.outcomes if found == outcome]


def by_token(token: str) -> dict[str, Any]:
    """A login with the token of an API user."""
    # a connection has to have a name and a password, which are not sent where it has a token
    return {
        **{"ansible_user": "none", "ansible_password": "none"},
        "ansible_httpapi_session_key": {"access_token": token},
    }


def by_password(user: str, password: str) -> dict[str, Any]:
    """A login of an administrator."""
    return {"ansible_user": user, "ansible_password": password}


def is_installed() -> bool:
    """Whether it was set up."""
    return _PROGRAM.exists() and all(map(Path.is_dir, map(_collection, COLLECTIONS)))


def play(
    playbook: Path, gateway: Gateway, variables: Mapping[str, Any], seconds: float = 900
) -> Played:
    """Play a playbook.

    Args:
        playbook: the file.
        gateway: the only host.
        variables: of it.
        seconds: how long it may take.

    Raises:
        subprocess.TimeoutExpired: it took longer.
    """
    # short, as the path of a socket below it may have 107 characters
    with tempfile.TemporaryDirectory(prefix="ans-") as folder:
        inventory = Path(folder) / "hosts.json"
        inventory.touch(mode=0o600)
        inventory.write_text(json.dumps(_inventory(gateway, variables)))
        done = subprocess.run(
            [_PROGRAM, "-i", inventory, playbook],
            env={
                **{"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"},
                **{"ANSIBLE_HOME": folder, "ANSIBLE_LOCAL_TEMP": folder, "ANSIBLE_NOCOLOR": "1"},
                "ANSIBLE_COLLECTIONS_PATH": str(FOLDER),
                "ANSIBLE_PERSISTENT_COMMAND_TIMEOUT": "60",
            },
            **{"capture_output": True, "text": True, "timeout": seconds, "check": False},
        )
    return Played(tuple(_outcomes(done.stdout)), done.returncode, done.stdout + done.stderr)


def _inventory(gateway: Gateway, variables: Mapping[str, Any]) -> dict[str, Any]:
    host = {
        "ansible_host": gateway.host,
        "ansible_network_os": "fortinet.fortios.fortios",
        "ansible_httpapi_port": gateway.port,
        "ansible_httpapi_use_ssl": True,
        "ansible_httpapi_validate_certs": True,
        "ansible_httpapi_ca_path": str(gateway.ca_file),
        **gateway.login,
        **variables,
    }
    return {"all": {"hosts": {_HOST: host}}}


def _outcomes(text: str) -> list[tuple[str, str]]:
    found, task = [], ""
    for line in text.splitlines():
        if match := _TASK.match(line):
            task = match["name"]
        elif match := _OUTCOME.match(line):
            found.append((task, match["outcome"]))
    return found


def _collection(name: str) -> Path:
    return FOLDER / "ansible_collections" / name


def install() -> None:
    """Set it up, in the place of what is there."""
    venv.create(FOLDER / "venv", with_pip=True, clear=True)
    pip = [str(FOLDER / "venv" / "bin" / "python"), "-m", "pip", "--quiet"]
    subprocess.run([*pip, "install", CORE], check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*pip, "download", "--no-deps", "--dest", folder, PACKAGE], check=True)
        (wheel,) = Path(folder).glob("ansible-*.whl")
        with zipfile.ZipFile(wheel) as content:
            content.extractall(FOLDER, [
                name for name in content.namelist()
                if name.startswith(tuple(f"ansible_collections/{one}/" for one in COLLECTIONS))
            ])


if __name__ == "__main__":
    try:
        install()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"Ansible could not be set up in {FOLDER}: {error}")
    print(f"Ansible is set up in {FOLDER}.")
