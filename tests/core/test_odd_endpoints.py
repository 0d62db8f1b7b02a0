"""Endpoints as they are met: login shells, noise, forced commands, what sshd permits."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from odd_sshd import Odd, endpoint

from gatepass.base.languages import FALLBACK, LANGUAGES
from gatepass.base.own_yaml import own_yaml
from gatepass.base.paths import TEMPLATES
from gatepass.base.waiting import until
from gatepass.endpoint import clock
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import EndpointLost
from gatepass.endpoint.visits import Visits
from gatepass.inputs.testbed import Host
from gatepass.report.sentences import Sentences

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="sshd needs root")

TABLES = [own_yaml(TEMPLATES / f"sentences.{code}.yaml") for code in LANGUAGES if code != FALLBACK]
CLOUD = """command="echo 'Please login as the user \\"ubuntu\\" rather than root.';exit 142\""""
NOISE = "echo Welcome to $HOSTNAME; echo mesg: no tty >&2; trap 'echo bye; exit 9' EXIT\n"
WRAPPER = 'ForceCommand logger -t audit . ; sh -c "$SSH_ORIGINAL_COMMAND"; echo logged'
WORKS = {
    "bash": Odd(),
    "noise before and behind": Odd(home={".bashrc": NOISE}),
    "commands are shown": Odd(home={".bashrc": "set -xv\n"}),
    "strict settings": Odd(home={".bashrc": "set -eu -o noclobber; umask 077; cd /var\n"}),
    "csh": Odd(shell="csh"),
    "tcsh": Odd(shell="tcsh", home={".cshrc": "set histchars='!^'\necho welcome\n"}),
    "fish": Odd(shell="fish", home={".config/fish/config.fish": "echo welcome\n"}),
    "zsh": Odd(shell="zsh", home={".zshenv": "setopt nomatch rcquotes; echo welcome\n"}),
    "mksh": Odd(shell="mksh"),
    "dash": Odd(shell="dash"),
    "restricted": Odd(shell="rbash", home={".bashrc": "echo welcome\n"}),
    "no terminals": Odd("PermitTTY no"),
    "one session": Odd("MaxSessions 1"),
    "SFTP that answers garbage": Odd("Subsystem sftp /bin/echo"),
    "another locale": Odd("SetEnv LANG=fi_FI.UTF-8 LC_ALL=fi_FI.UTF-8"),
    "a short path": Odd("SetEnv PATH=/usr/bin:/bin"),
    "no path": Odd("SetEnv PATH=/nowhere"),
    "a path of directories": Odd("SetEnv CDPATH=.:/tmp:/"),
    "a wrapper": Odd(WRAPPER),
    "keys are changed all the time": Odd("RekeyLimit 64K"),
    "clients that are idle": Odd("ClientAliveInterval 1\nClientAliveCountMax 1"),
    "key exchange by its name alone": Odd("KexAlgorithms curve25519-sha256"),
    "an RSA host key is known": Odd(host_keys=("rsa", "ed25519")),
    "an ECDSA host key is known": Odd(host_keys=("ecdsa", "ed25519")),
}
NASTY = (
    "printf '%s\\n' 'it'\"'\"'s !x ^a^b $((1)) {a,b} * ~ \\ \\\\ %s ä' \"$(echo \"two\nlines\")\"; "
    "echo $LC_ALL; command -v ip >/dev/null && cd /usr && cd bin && wc -c; echo wrong >&2; exit 3"
)


def _with_shell(odd: Odd) -> Odd:
    path = odd.shell if "/" in odd.shell else shutil.which(odd.shell)
    if path is None:
        pytest.skip(f"there is no {odd.shell} on this machine")
    return Odd(odd.settings, path, odd.home, odd.options, odd.shadow, odd.host_keys)


@pytest.mark.parametrize("name", WORKS)
def test_scripts_and_files_arrive_as_they_are(name: str, tmp_path: Path) -> None:
    with endpoint(tmp_path, _with_shell(WORKS[name])) as shell:
        connection = shell.run(script("echo $SSH_CONNECTION")).output
        for _ in range(3):
            done = shell.run(script(_template(NASTY)))
            assert (done.status, done.output, done.errors) == (
                3,
                "it's !x ^a^b $((1)) {a,b} * ~ \\ \\\\ %s ä\ntwo\nlines\nC\n0\n",
                "wrong\n",
            )
            shell.put("it's\n\ttext !\n\n", f"{tmp_path}/file")
            assert (tmp_path / "file").read_text() == "it's\n\ttext !\n\n"
        assert shell.run(script("echo $SSH_CONNECTION")).output == connection
        assert abs(clock.look(shell, ())[0]) < 2


def _template(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


LOOK = "Look there for command= in the user's authorized_keys, for ForceCommand in sshd_config, "
TURNED_AWAY = {
    "a cloud image": (
        Odd(options=CLOUD),
        r"on each command the client \(.*\) answers “Please login as the user \"ubuntu\" rather "
        r"than root.”. Allow this user to log in there: remove command= ",
    ),
    "an expired password": (
        Odd("UsePAM yes", shadow="*:10000:0:30:7:::"),
        r"answers “.*Password change required.*”. Renew the user's password there \(passwd\)",
    ),
    "files alone": (
        Odd("ForceCommand internal-sftp"),
        r"answers “This service allows sftp.*”.* remove ForceCommand internal-sftp from sshd_",
    ),
    "files alone, without a word": (
        Odd("ForceCommand /usr/lib/openssh/sftp-server"),
        r"answers “SFTP” and waits.* remove ForceCommand internal-sftp from sshd_config",
    ),
    "no login": (
        Odd(shell="/usr/sbin/nologin"),
        r"answers “This account is currently not available.”. Give the user another login shell",
    ),
    "a prompt": (
        Odd(home={".bashrc": "printf 'ORACLE_SID = [orcl] ? '; read answer\n"}),
        rf"answers “ORACLE_SID = \[orcl\] \?” and waits. {LOOK}",
    ),
    "another shell that reads commands": (
        Odd(home={".bashrc": "exec sh\n"}),
        rf"answers nothing and waits. {LOOK}",
    ),
    "an end": (Odd(home={".bashrc": "exit 0\n"}), rf"answers nothing and ends with 0. {LOOK}"),
    "another shell takes over": (
        Odd(home={".bashrc": "exec echo welcome\n"}),
        rf"answers “welcome”. {LOOK}",
    ),
    "no session": (
        Odd("MaxSessions 0"),
        r"it opens no session; MaxSessions of its sshd_config has to be 1 at least",
    ),
    "no key exchange in common": (
        Odd("KexAlgorithms sntrup761x25519-sha512@openssh.com"),
        r"cannot be reached by SSH .*: its KexAlgorithms and those here have none in common: it "
        r"offers sntrup761.*, and here there are curve25519-sha256, .*; add one of these to "
        r"KexAlgorithms in its sshd_config\.$",
    ),
    "no cipher in common": (
        Odd("Ciphers chacha20-poly1305@openssh.com"),
        r"its Ciphers and those here have none in common: it offers chacha20-poly1305@openssh.com, "
        r"and here there are aes.*, …; add one of these to Ciphers in its sshd_config",
    ),
    "no MAC in common": (
        Odd("Ciphers aes128-ctr\nMACs umac-128@openssh.com"),
        r"its MACs and those here have none in common: it offers umac-128@openssh.com, ",
    ),
    "another factor": (
        Odd("AuthenticationMethods publickey,password\nPermitRootLogin yes"),
        r"asks for password",
    ),
}


def _in_english(lost: pytest.ExceptionInfo[EndpointLost]) -> list[str]:
    """What of a reason another language has no words for, but quotations and algorithms."""
    text = str(lost.value.reason)
    pieces = [piece for table in TABLES for piece in Sentences(table).of(text) if not piece.known]
    others = re.compile(r"[a-z0-9-]+(@[a-z.]+)?(, [a-z0-9-]+(@[a-z.]+)?)*(, …)?")
    own = [piece.text for piece in pieces if not others.fullmatch(piece.text)]
    return [piece for piece in own if f"“{piece}”" not in text]


@pytest.mark.parametrize("name", TURNED_AWAY)
def test_what_keeps_commands_from_being_run_is_told(name: str, tmp_path: Path) -> None:
    odd, sentence = TURNED_AWAY[name]
    with endpoint(tmp_path, odd) as shell:
        with pytest.raises(EndpointLost) as lost:
            shell.run(script("echo here"), timeout_s=3)
        assert re.search(sentence, str(lost.value.reason))
        assert _in_english(lost) == []


def test_a_command_is_given_again_where_it_was_never_sent(tmp_path: Path) -> None:
    with endpoint(tmp_path, Odd("UnusedConnectionTimeout 1")) as shell:
        before = shell.run(script("echo $SSH_CONNECTION")).output
        transport = shell._client.transport
        assert until(lambda: not transport.is_active(), 30)
        assert shell.run(script("echo $SSH_CONNECTION")).output not in ("", before)


def test_a_host_that_was_silent_once_is_asked_again(tmp_path: Path) -> None:
    slow = Odd(home={".bashrc": "[ -e /root/quick ] || sleep 60\n"})
    with endpoint(tmp_path, slow) as shell:
        with pytest.raises(EndpointLost, match="answers nothing and waits"):
            shell.run(script("echo here"), timeout_s=1)
        (tmp_path / "home" / "quick").touch()
        assert shell.run(script("echo here")).output == "here\n"


@pytest.mark.parametrize(
    ("host", "answer", "why"),
    [
        ("127.0.0.1", b"220 an FTP server\r\n", "what answers there does not speak SSH; correct"),
        ("127.0.0.1", b"", "nothing answers there; start sshd on it, or correct host and port"),
        ("nowhere.invalid", b"", "its name is not known; correct host in the testbed file"),
    ],
)
def test_what_is_no_ssh_server(host: str, answer: bytes, why: str, tmp_path: Path) -> None:
    with endpoint(tmp_path) as shell, socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1] if answer else 1
        shell.endpoint = Host.model_construct(ssh=replace(shell.endpoint.ssh, host=host, port=port))

        def once() -> None:
            client, _ = other.accept()
            client.sendall(answer)
            client.close()

        with ThreadPoolExecutor(1) as pool:
            if answer:
                pool.submit(once)
            with pytest.raises(EndpointLost, match=why) as lost:
                shell.connect()
        assert _in_english(lost) == []


def test_where_no_shell_answered_nothing_is_left(tmp_path: Path) -> None:
    left = Visits.start(tmp_path / "endpoints.jsonl", "gp0a1b2c", tmp_path, None)
    with endpoint(tmp_path, TURNED_AWAY["no login"][0]) as shell:
        shell._visits = left
        with pytest.raises(EndpointLost):
            shell.folder()
        assert not left.left and shell.clean_up() == []


def test_what_answers_in_the_place_of_a_shell_is_asked_once(tmp_path: Path) -> None:
    slow = Odd(options='command="echo never >>/root/asked"')
    with endpoint(tmp_path, slow) as shell:
        for _ in range(3):
            with pytest.raises(EndpointLost, match="on each command the client"):
                shell.run(script("true"))
        assert len((tmp_path / "home" / "asked").read_text().splitlines()) <= 2


KNOWN = {
    "comments, damaged lines and authorities of others": (
        "# a comment\n\n@cert-authority *.example.com ssh-ed25519 AAAA\n192.0.2.1 ssh-rsa AAAA!\n"
        "nothing\n@unknown * x\n{name} {key} comment\n",
        "",
    ),
    "a pattern": ("[127.0.0.*]:22?2 {key}\n", ""),
    "the bare name": ("127.0.0.1 {key}\n", ""),
    "a list": ("example.com,{name} {key}\n", ""),
    "a negation": ("[127.*]:*,!{name} {key}\n", "its host key is not in"),
    "revoked": ("{name} {key}\n@revoked * {key}\n", r"is revoked in .* \(line 2\)"),
    "another key": (
        "{name} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
        "presents a host key other than the one in",
    ),
    "an authority": ("@cert-authority * {key}\n", "certificates of hosts are not taken here"),
    "damaged": ("{name} ssh-ed25519 AAAA\n", "has a damaged key for this host in line 1"),
    "nothing": ("", r"its host key is not in .*; add it \(ssh-keyscan, then compare it\)"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_hosts_are_read_as_openssh_reads_them(name: str, tmp_path: Path) -> None:
    known, refusal = KNOWN[name]
    with endpoint(tmp_path, known=known) as shell:
        if not refusal:
            assert shell.run(script("echo here")).output == "here\n"
            return
        with pytest.raises(EndpointLost, match=refusal) as lost:
            shell.connect()
        assert _in_english(lost) == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("ssh-keygen -q -p -N 'not a real one' -f key", "key has a passphrase, and nobody is "),
        ("sed -i 3d key", "key cannot be read as a private key: it is damaged or cut off"),
        ("openssl genpkey -algorithm ED448 -out key", "key is a key of a kind that is not taken"),
        ("cp key.pub key", "key is no private key: name the key itself, not its .pub file"),
        ("echo PuTTY-User-Key-File-3: >key", "key is in PuTTY's own format: convert it"),
        ("echo ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ---- >key", "in the format of SSH Tectia"),
        ("iconv -f ASCII -t UTF-16 key >k; mv k key", "key is text in UTF-16: save it as plain"),
        ("rm key; ssh-keygen -q -t ed25519 -N '' -f key", "it refuses the key; check user and "),
    ],
)
def test_why_a_key_does_not_open_an_endpoint(change: str, why: str, tmp_path: Path) -> None:
    with endpoint(tmp_path) as shell:
        subprocess.run(["sh", "-ec", change], cwd=tmp_path, check=True, capture_output=True)
        with pytest.raises(EndpointLost, match=why) as lost:
            shell.connect()
        assert _in_english(lost) == []


@pytest.mark.parametrize(
    "command", ["openssl pkcs8 -topk8 -nocrypt -in rsa -out key", "cp rsa key"]
)
def test_an_rsa_key_opens_it_in_either_format(command: str, tmp_path: Path) -> None:
    with endpoint(tmp_path) as shell:
        make = "ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -f rsa; cat rsa.pub >authorized_keys; "
        subprocess.run(["sh", "-ec", make + command], cwd=tmp_path, check=True)
        assert shell.run(script("echo here")).output == "here\n"
