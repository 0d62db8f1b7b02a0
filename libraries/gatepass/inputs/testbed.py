"""A testbed: where a gateway is tested, and how its ports and endpoints are reached."""

from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from gatepass.base.errors import InputError
from gatepass.base.ownership import distrust
from gatepass.inputs.known_hosts import known_hosts
from gatepass.inputs.schema import (
    InputFile,
    Mistake,
    Model,
    identifier,
    number,
    text,
    whole,
)
from gatepass.inputs.secret import SecretReference
from gatepass.inputs.testbed_values import (
    A_FILE,
    A_SHARE,
    A_URL,
    AN_IPV4,
    AN_IPV6,
    COMMANDS,
    KEY_OF_HOST,
    LEAST_PASSPHRASE,
    File,
    HostName,
    Interface,
    IPv4,
    IPv6,
    Port,
    Share,
    ShellCommand,
    Variable,
    certificates,
    host_name,
    private_key,
    used,
)


class Trouble(Model):
    """A state of the gateway, and how it is brought about from the machine that runs the test."""

    begin: ShellCommand
    """It is there when this has ended."""
    end: ShellCommand


class TestbedTroubles(Model):
    """States in which a gateway has to fail closed, and which no call of its REST API makes."""

    inspection: Trouble | None = Field(default=None, description=COMMANDS)
    """What inspects traffic is gone."""
    licence: Trouble | None = Field(default=None, description=COMMANDS)
    """The licence of the security services is gone."""
    memory: Trouble | None = Field(default=None, description=COMMANDS)
    """Memory is short: FortiOS's conserve mode."""


def _no_literal(secret: Any) -> Any:
    if secret is not None and not isinstance(secret, dict):
        raise Mistake(
            "{env: NAME} or {file: path}",
            "A secret never stands in this file: move it to a file that only you can read.",
        )
    return secret


Secret = Annotated[SecretReference, BeforeValidator(_no_literal)]
GUI = "a group: administrator and password"


class TestbedGui(Model):
    """Who looks at the gateway's web page: an administrator of its own, who may only read."""

    administrator: str = text("an administrator's name", r"^[^\s\"'<>()#]{1,64}$")
    password: Secret


class TestbedGateway(Model):
    """The device under test, as its REST API is reached."""

    url: str = Field(description=A_URL)
    """``https://host[:port]``, without a slash at the end."""
    ca_file: Annotated[File, AfterValidator(certificates)] = Field(description=A_FILE)
    """The CA (or the one self-signed certificate) that the gateway's certificate must come from."""
    token: Secret
    backup_passphrase: Secret | None = None
    """With it the whole configuration from before is kept as well, encrypted."""
    gui: TestbedGui | None = Field(default=None, description=GUI)
    """Who looks at its web page; without one nobody does."""
    vdom: str = text("the name of a VDOM", r"^[A-Za-z0-9_-]{1,31}$", default="root")
    client_port: Interface
    """The gateway's interface on the client's side."""
    server_port: Interface
    timeout_s: float = number(1, 600, "of seconds", default=30.0)
    """How long one answer of the REST API may take."""
    ssl_vpn_port: Port = 10443
    """Where SSL VPN listens on the client's side, if the customer does not use it already."""
    may_restart: bool = Field(default=False, description="true or false")
    """Whether a run may restart it, to see what passes meanwhile."""
    may_fill_sessions: bool = Field(default=False, description="true or false")
    """Whether a run may lower the limit of its sessions until there is no room for more."""
    troubles: TestbedTroubles = Field(
        default=TestbedTroubles(), description="a group: inspection, licence, memory"
    )
    """Commands that bring it into states in which it has to fail closed."""

    @field_validator("url")
    @classmethod
    def _https_and_no_more(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise Mistake(A_URL, "Check host and port.") from None
        if "@" in url:
            raise Mistake(A_URL, "Take user and password out; the token is the login.")
        if parts.scheme != "https" or not parts.hostname:
            raise Mistake(A_URL, "The REST API is used over HTTPS only.")
        if parts.path.strip("/") or parts.query or parts.fragment or port == 0:
            raise Mistake(A_URL, "End it after host and port.")
        try:
            host = host_name(parts.hostname)
        except Mistake:
            raise Mistake(A_URL, "Check the host.") from None
        host = f"[{host}]" if ":" in host else host
        return f"https://{host}" + (f":{port}" if port else "")

    def must_have_secrets(self) -> None:
        """Look whether all that it names can be read.

        Raises:
            InputError: a secret is missing or cannot be one.
        """
        for key, secret in self.secrets.items():
            secret.read(LEAST_PASSPHRASE if key == "backup_passphrase" else 1)

    @property
    def secrets(self) -> dict[str, SecretReference]:
        """All that it names, by their keys."""
        named = {"token": self.token, "backup_passphrase": self.backup_passphrase}
        gui = {"gui.password": self.gui.password} if self.gui else {}
        return {key: secret for key, secret in (named | gui).items() if secret}

    @model_validator(mode="after")
    def _two_ports(self) -> Self:
        if self.client_port == self.server_port:
            raise Mistake(
                "another interface than client_port",
                "Traffic must enter the gateway on one port and leave it on the other.",
                ["server_port"],
            )
        return self

    @property
    def host(self) -> str:
        """The host of the URL, an IPv6 address without its brackets."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """The port of the URL."""
        return urlsplit(self.url).port or 443


class Ssh(Model):
    """How an endpoint is reached: a key for the login, a known host key for the other side."""

    host: HostName
    port: Port = 22
    user: str = text("a user's name", r"^[A-Za-z_][A-Za-z0-9_.-]{0,31}$")
    key_file: Annotated[File, AfterValidator(private_key)] = Field(description=A_FILE)
    known_hosts_file: File = Field(description=A_FILE)

    @field_validator("known_hosts_file")
    @classmethod
    def _usable(cls, path: Path, info: ValidationInfo) -> Path:
        if used(info) and {"host", "port"} <= info.data.keys():
            known = known_hosts(path, info.data["host"], info.data["port"])
            if known.trouble:
                raise Mistake(
                    "a file with the host key of this endpoint",
                    f"It {known.trouble}. Add the key itself: {KEY_OF_HOST}.",
                )
        return path


class FileServer(Model):
    """What serves files for downloads, over HTTP, HTTPS and FTP."""

    folder: str = text("the absolute path of a folder on the server", r"^/[A-Za-z0-9._/-]+$")
    """That all three show as their root, and in which the SSH user may write."""
    http_port: Port = 80
    https_port: Port = 443
    ftp_port: Port = 21


class Host(Model):
    """A Linux host that sends or receives traffic."""

    ssh: Ssh
    address: IPv4
    """Towards the gateway."""
    address6: IPv6 | None = Field(default=None, description=AN_IPV6)
    iperf3_port: Port = 5201
    """Where a test server may listen."""
    probe_port: Annotated[int, whole(1, 65_534, "for a TCP port with another after it")] = 5301
    """Where single connections are tried; the port after it is used as well."""

    @property
    def test_addresses(self) -> list[str]:
        """At which test traffic reaches it: all that this file names of it, but that of SSH."""
        keys = ("address", "address6", "direct_address", "direct_address6")
        return [found for key in keys if (found := getattr(self, key, None))]

    @model_validator(mode="after")
    def _ports_apart(self) -> Self:
        if self.iperf3_port in (self.probe_port, self.probe_port + 1):
            raise Mistake(
                "another port than probe_port and the one after it",
                "Both are listened on at the same time.",
                ["iperf3_port"],
            )
        return self


class Endpoint(Host):
    """One of the two ends of the path through the gateway."""

    direct_address: IPv4 | None = Field(default=None, description=AN_IPV4)
    """On the path that leaves the gateway out."""
    direct_address6: IPv6 | None = Field(default=None, description=AN_IPV6)


class Server(Endpoint):
    """The endpoint on the far side."""

    files: FileServer | None = Field(default=None, description="a group: folder and ports")
    """Where test files are put and how they are served."""


class Peer(Host):
    """The other office of a site-to-site VPN: its gateway and a host of its network in one."""

    gateway_port: Interface
    """The gateway's interface on its side."""


class TestbedEndpoints(Model):
    """The two ends of the path through the gateway, and the far end of its tunnels."""

    client: Endpoint
    server: Server
    peer: Peer | None = Field(default=None, description="a group: ssh, address, gateway_port")

    @property
    def named(self) -> dict[str, Host]:
        """All that there are, by the name that sentences call them."""
        there = {"client": self.client, "server": self.server, "peer": self.peer}
        return {name: host for name, host in there.items() if host}

    @model_validator(mode="after")
    def _a_pair(self) -> Self:
        for key in ("address6", "direct_address", "direct_address6"):
            for here, there in (("client", "server"), ("server", "client")):
                if getattr(getattr(self, here), key) and not getattr(getattr(self, there), key):
                    raise Mistake(
                        f"an address, because the {here} has one",
                        "A path has two ends: add it, or take it from the other endpoint too.",
                        [there, key],
                    )
        seen: dict[tuple[str, int], str] = {}
        for name, host in self.named.items():
            reached = (host.ssh.host, host.ssh.port)
            if reached in seen:
                raise Mistake(
                    f"another host than the {seen[reached]}'s",
                    "Traffic between two addresses of one host never reaches the gateway.",
                    [name, "ssh", "host"],
                )
            seen[reached] = name
        return self


class Testbed(InputFile):
    """``variables/testbeds/*.yaml``."""

    testbed: str = identifier("the testbed's name,")
    network_namespace: str | None = text(
        "the absolute path of a network namespace", r"^/[^\n]+$", default=None
    )
    """The namespace from which gateway and endpoints are reached; none for the machine's own."""
    shares: list[Share] = Field(default=[], max_length=20, description=f"a list, each {A_SHARE}")
    """What carries its traffic and may carry another testbed's too, by name."""
    tiers: list[str] = Field(
        default=[], max_length=20, description="a list of tiers of the catalogue"
    )
    """What its gateway was delivered as; in a pool it takes orders of these tiers, or any."""
    environment: list[Variable] = Field(
        default=[], max_length=50, description="a list of names of environment variables"
    )
    """What commands of the operator's own find, beside what every program needs."""
    gateway: TestbedGateway
    endpoints: TestbedEndpoints

    @field_validator("shares")
    @classmethod
    def _each_share_once(cls, names: list[str]) -> list[str]:
        alike = [name.lower() for name in names]  # a capital is to make nobody miss another
        for position, name in enumerate(alike):
            if name in alike[:position]:
                raise Mistake("each name once", "Remove the second.", [position])
        return alike

    @property
    def resources(self) -> frozenset[str]:
        """Everything that traffic of another testbed could disturb: named or implied.

        Gateway and endpoints are implied. Those behind a network namespace are others than those
        of the same address elsewhere.
        """
        where = f" in {self.network_namespace}" if self.network_namespace else ""
        hosts = (host.ssh for host in self.endpoints.named.values())
        implied = {f"host {ssh.host}:{ssh.port}{where}" for ssh in hosts}
        return frozenset({*self.shares, *implied, f"gateway {self.gateway.host}{where}"})

    @model_validator(mode="after")
    def _every_address_once(self) -> Self:
        seen = {self.gateway.host: "gateway.url"}
        for end, host in self.endpoints.named.items():
            for key in ("address", "address6", "direct_address", "direct_address6"):
                address = getattr(host, key, None)
                if address in seen:
                    raise Mistake(
                        "an address that stands nowhere else in this file",
                        f"It is also at '{seen[address]}'; correct one of the two.",
                        ["endpoints", end, key],
                    )
                if address:
                    seen[address] = f"endpoints.{end}.{key}"
        return self

    @model_validator(mode="after")
    def _the_peer_is_not_on_the_clients_side(self) -> Self:
        peer = self.endpoints.peer
        if peer and peer.gateway_port == self.gateway.client_port:
            raise Mistake(
                "another interface than client_port",
                "A tunnel ends on another side of the gateway than its own network.",
                ["endpoints", "peer", "gateway_port"],
            )
        return self


def load_testbed(path: Path | str, used: bool = True) -> Testbed:
    """Read a testbed. The files that it names must exist; its secrets are not read yet.

    Args:
        path: of the file.
        used: whether anybody will be reached by it; otherwise the files that it names may be
            elsewhere.

    Raises:
        InputError: the file is missing or wrong, in one sentence.
    """
    testbed = Testbed.read(path, used=used)
    if used and (why := distrust(testbed.path)):
        raise InputError(
            f"{path}: {why}, and a testbed decides what is called with your secrets. Make it your "
            "own with `chown` and `chmod go-w`."
        )
    for key, secret in testbed.gateway.secrets.items():
        secret.named_at(testbed.path, f"gateway.{key}")
        if used:
            secret.must_be_meant()
    return testbed
