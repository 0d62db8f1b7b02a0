"""A charon of the run's own on a Linux endpoint: its configuration and its life.

It shares nothing with a strongSwan that is installed as a service there: its configuration, its
socket and its process id lie in the run's folder, its routes in a table of their own. Secrets go
to it in a file for root alone that is gone as soon as it is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.answers import Words, of_json, words_of
from gatepass.endpoint.ike import Connection, IkeSa, SaReply
from gatepass.endpoint.probe import install, install_package
from gatepass.endpoint.processor_time import used_s
from gatepass.endpoint.script import Script, joined, script
from gatepass.endpoint.shell import Busy, Detached, ProgramEnded, Shell, put_secret
from gatepass.endpoint.strongswan_conf import settings

KERNEL, USER_SPACE = "the kernel", "user space (kernel-libipsec)"
"""Where ESP is done on a host."""
TABLE = 4747
"""Number of the routing table, and priority of the rule that leads to it."""
_AFTER_MAIN = 40_000
"""Priority of a rule that no packet comes to: in user space its routes are made in any case."""
PLACES = ("/usr/lib/ipsec", "/usr/libexec/ipsec", "/usr/lib/strongswan", "/usr/libexec/strongswan")
_TOOLS = ("ip", "unshare", "mount", "python3", "ss")
_LONGEST_S, _ONCE_S = 7 * 86_400, 60
_ANSWER_S = 60
_ENDS_S = 20
# openssl before the plain ciphers: it is up to twice as fast. What a version lacks is left out.
_LIBRARIES = (
    "random nonce openssl aes des sha1 sha2 md4 md5 hmac kdf gmp curve25519 pem pkcs1 x509 pubkey"
)
_PLUGINS = "kernel-netlink socket-default vici eap-identity eap-mschapv2 updown"
_ALWAYS = {
    "threads": 32,
    "retransmit_tries": 4,
    "retransmit_timeout": "2.0",
    "retransmit_base": "1.5",
}
_LOG = {"default": 1, "flush_line": "yes"}
_LIBIPSEC = {"kernel-libipsec": {"allow_peer_ts": "yes"}}
_T = TypeVar("_T")


class _Answer(TypedDict, total=False):
    success: Words
    errmsg: Words


class Charon:
    """strongSwan's IKE daemon on an endpoint, for one run.

    Args:
        shell: the endpoint, whose user is root.
        in_user_space: whether ESP is to be done there even where the kernel has it.
        routes: whether it routes what its tunnels are for into them; else who uses it does.
    """

    def __init__(self, shell: Shell, in_user_space: bool = False, routes: bool = True) -> None:
        self.shell = shell
        self._user_space_only = in_user_space
        self._routes = routes
        self.esp = ""  # KERNEL or USER_SPACE, once it was started
        self._program: Detached | None = None
        self._connections: list[Connection] = []

    @property
    def in_user_space(self) -> bool:
        """Whether ESP is done in user space, which needs it inside UDP."""
        return self.esp == USER_SPACE

    def start(self, limit_s: float = _LONGEST_S) -> None:
        """Start it; nothing happens where it is at work.

        Args:
            limit_s: after which it ends by itself.

        Raises:
            NotProven: the endpoint lacks what it needs, or another IKE daemon is at work there.
        """
        if self._program:
            return
        where, self.esp = look(self.shell, self._user_space_only)
        stem = f"{self.shell.folder()}/charon"
        esp = [] if self.esp == KERNEL else ["kernel-libipsec"]
        own = {
            "load": " ".join([_LIBRARIES, *esp, _PLUGINS]),
            "routing_table": TABLE,
            "routing_table_prio": TABLE if self._routes else _AFTER_MAIN,
            "filelog": {"log": _LOG | {"path": f"{stem}.log"}},
            "plugins": _LIBIPSEC | {"vici": {"socket": f"unix://{stem}.vici"}},
        }
        self.shell.put(settings({"charon": _ALWAYS | own}), f"{stem}.conf")
        self.shell.run(
            script(
                "mkdir -p {stem}.run; rm -f {stem}.vici {stem}.run/*; cp {program} {stem}.run",
                stem=stem,
                program=f"{where}/charon",
            )
        )
        busy = script("ss -Hlun 'sport = :500 or sport = :4500' | grep -q .")
        ready = script("[ -S {stem}.vici ]", stem=stem)
        try:
            self._program = Detached.start(self.shell, stem, _program(stem), limit_s, ready, busy)
        except Busy:
            raise NotProven(
                f"UDP port 500 or 4500 on the {self.shell.name} is in use: another IKE daemon is "
                "running there. Stop it for the duration of the test."
            ) from None
        except ProgramEnded as ended:
            raise NotProven(
                f"strongSwan could not be started on the {self.shell.name}: {ended}."
            ) from ended

    def stop(self) -> None:
        """End it with all that it holds; the other sides are told."""
        program, self._program = self._program, None
        if program is None:
            return
        # not its whole session, whose shell writes down that it has ended
        program.end(f"{program.stem}.run/charon.pid")
        try:
            program.wait(_ENDS_S)
        except ProgramEnded:
            program.kill()
            again = script("while ip rule del lookup {table}; do :; done 2>/dev/null", table=TABLE)
            self.shell.run(again)

    def restart(self) -> None:
        """End it and start it again with the same connections, of which none is up then."""
        self.stop()
        self.start()
        again, self._connections = self._connections, []
        self.load(again)

    def load(self, connections: Iterable[Connection]) -> None:
        """Teach it connections, beside those that it knows; one of the same name is replaced.

        Raises:
            NotProven: it does not take one, with its own words.
        """
        connections = list(connections)
        requests: list[tuple[str, dict]] = []
        for connection in connections:
            requests += [("load-shared", secret) for secret in connection.secrets()]
            requests.append(("load-conn", connection.message()))
        for answer in self._ask(list[_Answer], requests):
            if answer.get("success") != "yes":
                raise NotProven(
                    f"strongSwan on the {self.shell.name} does not accept the configuration: "
                    f"{answer.get('errmsg')}."
                )
        names = {connection.name for connection in connections}
        kept = [one for one in self._connections if one.name not in names]
        self._connections = [*kept, *connections]

    def forget(self, names: Sequence[str]) -> None:
        """Unlearn these connections, with their secrets, and end them.

        In this order: an exchange under way would else bring one of them up again.

        Raises:
            NotProven: one of them does not end.
        """
        requests: list[tuple[str, dict]] = []
        for one in (one for one in self._connections if one.name in names):
            requests.append(("unload-conn", {"name": one.name}))
            requests += [("unload-shared", {"id": secret["id"]}) for secret in one.secrets()]
        self._ask(list[Any], requests)
        self._connections = [one for one in self._connections if one.name not in names]
        kept: list[IkeSa] = []

        def ended() -> bool:
            self.terminate([name for name in names if not kept or name in {sa.name for sa in kept}])
            kept[:] = [sa for sa in self.sas() if sa.name in names]
            return not kept

        if not until(ended, _ENDS_S):
            raise NotProven(
                f"strongSwan on the {self.shell.name} did not end the tunnel {kept[0].name} within "
                f"{_ENDS_S} s."
            )

    def initiate(self, names: Sequence[str], timeout_s: float = 30) -> dict[str, float]:
        """Initiate all of these connections at once.

        Returns:
            Seconds until each was up, by name; those that did not come up are left out.
        """
        children = {name: [name] for name in names}
        request = ("raise", {"children": children, "timeout_s": timeout_s})
        (came,) = self._ask(tuple[dict[str, float]], [request], timeout_s + _ANSWER_S)
        return {name.partition("/")[0]: seconds for name, seconds in came.items()}

    def try_one(self, name: str, timeout_s: float = 20) -> str:
        """Initiate one connection and wait for it; why it did not come up, empty where it did."""
        message = {"ike": name, "child": name, "timeout": str(round(timeout_s * 1000))}
        request = ("initiate", message)
        (answer,) = self._ask(tuple[_Answer], [request], timeout_s + _ANSWER_S)
        return "" if answer.get("success") == "yes" else answer.get("errmsg", "no reason given")

    def terminate(self, names: Sequence[str]) -> None:
        """End the IKE SAs of these connections, with their children; the other side is told."""
        requests = [("terminate", {"ike": name, "timeout": "5000"}) for name in names]
        self._ask(list[Any], requests, 5 * len(requests) + _ANSWER_S)

    def rekey(self, name: str) -> None:
        """Have the child SA of a connection replaced by a new one."""
        self._ask(list[Any], [("rekey", {"ike": name, "child": name})])

    def sas(self) -> list[IkeSa]:
        """All IKE SAs that there are, also those that come or go."""
        (events,) = self._ask(tuple[list[dict[str, SaReply]]], [("list-sas", {})])
        return [IkeSa.of(name, reply) for event in events for name, reply in event.items()]

    def sa(self, name: str) -> IkeSa | None:
        """The established IKE SA of a connection that has a child; None where it has none."""
        found = [sa for sa in self.sas() if sa.name == name and sa.state == "ESTABLISHED"]
        return next((sa for sa in found if sa.child), None)

    def cpu_s(self) -> float:
        """CPU time that it has taken so far, in seconds of one core: with ESP in user space, all of
        the host's work on it."""
        file = f"{self.shell.folder()}/charon.run/charon.pid"
        return used_s(self.shell, script("$(cat {file})", file=file))

    def last_words(self, lines: int = 3) -> str:
        """The end of its log, in one line; it holds no secrets."""
        path = f"{self.shell.folder()}/charon.log"
        log = self.shell.run(script("tail -n {lines} {path}", lines=lines, path=path)).output
        return " ".join(log.split())

    def _ask(
        self,
        kind: type[_T],
        requests: Sequence[tuple[str, dict]],
        timeout_s: float = _ANSWER_S,
    ) -> _T:
        """The answers of VICI to these requests, which are of a kind.

        Raises:
            NotProven: they are not, or there are none.
        """
        if not requests:
            return of_json(kind, "[]")
        program, folder = install(self.shell, "charon.py"), self.shell.folder()
        install_package(self.shell, "vici")
        put_secret(self.shell, json.dumps(requests), f"{folder}/request.json")
        words = [program, f"{folder}/charon.vici", f"{folder}/request.json"]
        done = self.shell.run(script("python3 {words}", words=words), timeout_s=timeout_s)
        try:
            return of_json(kind, done.output)
        except ValueError:
            words = words_of(done)
            raise NotProven(
                f"strongSwan on the {self.shell.name} cannot be asked: {words}"
            ) from None


def look(shell: Shell, in_user_space: bool = False) -> tuple[str, str]:
    """Where charon lies on an endpoint, and where ESP is done there.

    Args:
        shell: the endpoint.
        in_user_space: whether it is to be done there even where the kernel has it.

    Raises:
        NotProven: strongSwan, a tool or the right to use it is missing.
    """
    user, *lines = shell.run(_LOOK).output.splitlines() or [""]
    where = f"on the {shell.name} ({getattr(shell, 'where', 'this machine')})"
    if user != "0":
        raise NotProven(f"the SSH user {where} is not root, which strongSwan and routes need.")
    place = next((line.split()[1] for line in lines if line.startswith("charon ")), "")
    if not place:
        raise NotProven(
            f"strongSwan is missing {where}. Install charon and its plugins there (Debian: "
            "strongswan-charon, libcharon-extra-plugins, libcharon-extauth-plugins, "
            "libstrongswan-standard-plugins), not as a service."
        )
    if missing := [line.split()[1] for line in lines if line.startswith("missing ")]:
        raise NotProven(f"{', '.join(missing)} is missing {where}. Install it.")
    if "kernel" in lines and not in_user_space:
        return place, KERNEL
    if "user" in lines and "tun" in lines:
        return place, USER_SPACE
    raise NotProven(
        f"{'' if in_user_space else 'the kernel has no ESP, and '}strongSwan {where} has no way "
        "to do ESP itself (the plugin kernel-libipsec and /dev/net/tun)."
    )


def try_start(shell: Shell, in_user_space: bool = False) -> None:
    """Start it as a run will, ask it something, and end it; nothing of it stays.

    Args:
        shell, in_user_space: see `Charon`.

    Raises:
        NotProven: it does not start or does not answer, in its own words.
    """
    charon = Charon(shell, in_user_space)
    try:
        charon.start(_ONCE_S)
        charon.sas()
    finally:
        charon.stop()


def _program(stem: str) -> Script:
    """What starts a charon with the configuration of a run.

    From a copy in the run's folder, as AppArmor's profile of charon goes by its path (Debian and
    Ubuntu enforce it) and lets it read no configuration there and write no socket; with the right
    to be executed, which a hardened /tmp takes from its files. charon writes its process id into
    /run, where one that is a service may have its own.
    """
    # -n: or mount itself would leave a folder in the host's own /run
    inner = script(
        "mount -n --bind {stem}.run /run && "
        "{{ mount -n -o remount,bind,exec /run 2>/dev/null; exec /run/charon; }}",
        stem=stem,
    )
    return script(
        "env STRONGSWAN_CONF={stem}.conf unshare --mount sh -c {inner}",
        stem=stem,
        inner=str(inner),
    )


# An SA in a network namespace that is gone at once: what a kernel lists says little.
_ESP = script(
    "unshare --net ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x1000 "
    "mode tunnel enc 'cbc(aes)' 0x{key128} auth-trunc 'hmac(sha256)' 0x{key256} 128",
    key128="00" * 16,
    key256="00" * 32,
)
_LOOK = joined(
    "; ",
    [
        script("id -u"),
        script(
            "for p in {places}; do [ -x $p/charon ] && echo charon $p && break; done",
            places=PLACES,
        ),
        script(
            "for t in {tools}; do command -v $t >/dev/null || echo missing $t; done", tools=_TOOLS
        ),
        script("{esp} 2>/dev/null && echo kernel", esp=_ESP),
        script(
            "for p in {places}; do [ -e $p/plugins/libstrongswan-kernel-libipsec.so ] && "
            "echo user; done",
            places=PLACES,
        ),
        script("[ -c /dev/net/tun ] && echo tun; true"),
    ],
)
