"""All faults that a lab can be given: what each is, where it acts and what it can be told."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lab.errors import LabMistake

Value = int | float | str


@dataclass(frozen=True)
class Parameter:
    """One figure of a fault.

    Args:
        default: what it is unless said otherwise.
        meaning: what it says, with its unit.
        kind: the type that its text is turned into.
    """

    default: Value
    meaning: str
    kind: type[int] | type[float] | type[str] = int


@dataclass(frozen=True)
class Fault:
    """One fault.

    Args:
        name: as the command line has it.
        side: `gateway`, `client`, `server` or `peer`: who carries it.
        sentence: what a customer would notice.
        parameters: what it can be told, by key.
    """

    name: str
    side: str
    sentence: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def values(self, given: Mapping[str, str]) -> dict[str, Value]:
        """All parameters, the given ones turned from text.

        Raises:
            LabMistake: a key that this fault does not have, or a value that is no such figure.
        """
        for key in given:
            if key not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise LabMistake(
                    f"Fault {self.name} has no parameter {key!r}; its parameters are: {known}."
                )
        return {
            key: self._turned(key, parameter, given[key]) if key in given else parameter.default
            for key, parameter in self.parameters.items()
        }

    def _turned(self, key: str, parameter: Parameter, text: str) -> Value:
        try:
            value = parameter.kind(text)
        except ValueError:
            raise LabMistake(
                f"Fault {self.name}: {key}={text!r} is no number; {key} is {parameter.meaning}."
            ) from None
        if not isinstance(value, str) and not 0 <= value < 1e9:
            raise LabMistake(
                f"Fault {self.name}: {key}={text} is out of range; {key} is {parameter.meaning}."
            )
        return value


def _percent(default: int, meaning: str) -> dict[str, Parameter]:
    return {"percent": Parameter(default, meaning, float)}


_CALLS = {
    "path": Parameter("", "the beginning of the REST paths that it concerns; all when empty", str),
    "method": Parameter("", "the HTTP method that it concerns; every one when empty", str),
    "after": Parameter(0, "how many such calls still work before"),
    "times": Parameter(0, "how many calls fail before they work again; 0 means all"),
}

_ALL = (
    # The data plane of the gateway
    Fault(
        "shaper-below-tier",
        "gateway",
        "The customer gets less than the ordered rate, because the shaper is set too low.",
        _percent(80, "what is left of the shaper's rate, in percent"),
    ),
    Fault(
        "shaper-missing",
        "gateway",
        "The customer gets more than was ordered, at the cost of others, as nothing limits it.",
    ),
    Fault(
        "nat-not-applied",
        "gateway",
        "Servers see the customer's internal addresses although translation is on; "
        "on the Internet nothing would come back.",
    ),
    Fault(
        "nat-always",
        "gateway",
        "Servers see the gateway's address although translation is off, so they cannot tell "
        "the customer's hosts apart.",
    ),
    Fault(
        "policy-missing",
        "gateway",
        "Traffic that the last policy for the client's network permits does not pass, although "
        "the policy is configured.",
    ),
    Fault(
        "deny-above",
        "gateway",
        "Nothing that the customer sends passes, because a deny is in force above all policies.",
    ),
    Fault(
        "any-any",
        "gateway",
        "Traffic passes that no policy permits: the firewall is open to everything.",
    ),
    Fault(
        "one-way-open",
        "gateway",
        "Hosts outside reach into the customer's network without a policy that permits it.",
    ),
    Fault(
        "ipv6-not-forwarded",
        "gateway",
        "Nothing passes over IPv6, although policies permit it.",
    ),
    Fault(
        "ipv6-open",
        "gateway",
        "Traffic passes over IPv6 that no policy permits; over IPv4 the firewall holds.",
    ),
    Fault(
        "packet-loss",
        "gateway",
        "Connections are slow and calls break up, because packets get lost in the gateway.",
        _percent(2, "how many of the forwarded packets get lost, in percent"),
    ),
    Fault(
        "mss-small",
        "gateway",
        "Downloads and uploads are slow although no packet gets lost, because the gateway has TCP "
        "send its data in tiny segments.",
        {"bytes": Parameter(216, "the largest segment that it lets TCP agree on, in bytes")},
    ),
    Fault(
        "gateway-cpu-busy",
        "gateway",
        "Downloads and uploads are slow, because something on the gateway takes its processors.",
        {"mbps": Parameter(150, "what it still forwards of TCP, in Mbit/s")},
    ),
    Fault(
        "large-ruleset-slow",
        "gateway",
        "The customer's rate falls as soon as many policies are configured; with a few it is as "
        "ordered.",
        {
            "policies": Parameter(50, "how many policies from the first on are as fast as ever"),
            "mbps": Parameter(150, "what the sessions of all others carry, in Mbit/s"),
        },
    ),
    Fault(
        "not-applied",
        "gateway",
        "Changes are accepted and shown, and the gateway goes on as before.",
    ),
    Fault(
        "counters-zero",
        "gateway",
        "The customer's statistics show no traffic, whatever passes.",
    ),
    Fault(
        "disabled-policy-active",
        "gateway",
        "A policy that was switched off still lets traffic pass.",
    ),
    Fault(
        "order-reversed",
        "gateway",
        "The wrong policy decides, as the gateway goes through them from the last to the first.",
    ),
    Fault(
        "implicit-deny-uncounted",
        "gateway",
        "Blocked attempts show in no statistics.",
    ),
    # The security services of the gateway
    Fault(
        "services-not-applied",
        "gateway",
        "Viruses and attacks pass, although security services are configured and shown as on.",
    ),
    Fault(
        "signatures-empty",
        "gateway",
        "Viruses pass, because the scanner knows none: its signatures were never fetched.",
    ),
    Fault(
        "inspector-dead-open",
        "gateway",
        "Everything passes uninspected, because the inspection has crashed and fails open.",
    ),
    Fault(
        "inspector-dead",
        "gateway",
        "Nothing that is to be inspected passes, because the inspection has crashed.",
    ),
    Fault(
        "webfilter-blocks-all",
        "gateway",
        "The customer reaches no web site at all, whatever the filter says.",
    ),
    Fault(
        "download-altered",
        "gateway",
        "Downloads arrive damaged, although nothing in them was blocked.",
    ),
    Fault(
        "inspection-slow",
        "gateway",
        "Downloads are slower than the tier promises as soon as security services are on.",
        {"mbps": Parameter(60, "what the inspection carries, in Mbit/s")},
    ),
    Fault(
        "small-objects-slow",
        "gateway",
        "Web pages of many small parts come slowly with security services on, although large "
        "files come at full speed.",
        {"milliseconds": Parameter(5, "how long the inspection takes over each object besides")},
    ),
    Fault(
        "file-filter-not-ftp",
        "gateway",
        "Files of a type that is filtered arrive by FTP, although the filter names it and stops "
        "them by HTTP.",
    ),
    Fault(
        "webfilter-not-by-proxy",
        "gateway",
        "Blocked sites open as soon as a policy inspects by proxy, although its web filter is "
        "shown as on.",
    ),
    Fault(
        "proxy-not-applied",
        "gateway",
        "Policies are set to inspect by proxy, and parts of infected files reach the customer "
        "all the same, as they are not held until they are scanned.",
    ),
    Fault(
        "countries-unknown",
        "gateway",
        "Blocked countries are not blocked, as the gateway does not heed where addresses lie.",
    ),
    Fault(
        "log-lost",
        "gateway",
        "What was blocked shows in no log, so nobody learns of attacks.",
    ),
    # The web proxy of the gateway
    Fault(
        "proxy-open",
        "gateway",
        "Anybody who reaches the web proxy gets out through it, whoever its policies permit.",
    ),
    Fault(
        "proxy-refuses-half",
        "gateway",
        "Only some of the ordered web proxy users are served; the others cannot connect.",
        {"users": Parameter(37, "how many connections of one client are served, at least 1")},
    ),
    Fault(
        "proxy-mixes-answers",
        "gateway",
        "Users of the web proxy now and then get the page that somebody else asked for.",
        {"every": Parameter(10, "of how many answers one is somebody else's")},
    ),
    # Remote access to the gateway
    Fault(
        "vpn-pool-small",
        "gateway",
        "Only some of the ordered VPN users get in at once; for the others no address is left.",
        {"users": Parameter(37, "how many addresses there are, at least 1")},
    ),
    Fault(
        "split-tunnel-leaks",
        "gateway",
        "All that remote users do on the Internet goes through the customer's network, although "
        "only the customer's own networks are to be reached through it.",
    ),
    Fault(
        "group-ignored",
        "gateway",
        "Whoever has a password gets in by VPN and reaches everything, whatever the groups say.",
    ),
    Fault(
        "logout-ignored",
        "gateway",
        "Remote users stay logged in after they have left, and keep their addresses.",
    ),
    Fault(
        "vpn-slow",
        "gateway",
        "Remote users get less than was agreed, because the VPN is too slow.",
        {"mbps": Parameter(5, "what all remote users get together, in Mbit/s")},
    ),
    Fault(
        "vpn-not-served",
        "gateway",
        "No remote user gets in by SSL VPN, as nothing answers where it is configured.",
    ),
    Fault(
        "vpn-password-ignored",
        "gateway",
        "Whoever knows the name of a remote user gets in by SSL VPN, as any password is taken.",
    ),
    Fault(
        "disabled-users-let-in",
        "gateway",
        "Whoever has left the company still gets in by VPN, although the user is disabled.",
    ),
    Fault(
        "vpn-session-endless",
        "gateway",
        "Remote users who logged in by SSL VPN once need never log in again, whatever was set.",
    ),
    Fault(
        "full-tunnel-split",
        "gateway",
        "What remote users do on the Internet goes past the customer's network unseen, although "
        "all of it is to go through the VPN.",
    ),
    # The tunnels between sites
    Fault(
        "ipsec-other-cipher",
        "gateway",
        "Tunnels between sites are encrypted with another cipher than the one agreed.",
    ),
    Fault(
        "ipsec-clear-beside",
        "gateway",
        "A tunnel between sites is up, and what belongs into it goes beside it for all to read.",
    ),
    Fault(
        "ipsec-never-rekeys",
        "gateway",
        "A tunnel between sites ends when its keys expire, as no new ones are agreed on.",
    ),
    Fault(
        "ipsec-slow",
        "gateway",
        "Tunnels between sites carry less than was agreed.",
        {"mbps": Parameter(5, "what all tunnels together carry each way, in Mbit/s")},
    ),
    Fault(
        "ipsec-weak-group",
        "gateway",
        "Keys of tunnels between sites are agreed on with a weaker group than the one agreed.",
    ),
    Fault(
        "ipsec-few-tunnels",
        "gateway",
        "Only some of the ordered tunnels between sites are up at once: a new one ends the oldest.",
        {"tunnels": Parameter(12, "how many are up at most; 0 for any number")},
    ),
    Fault(
        "ipsec-stays-down",
        "gateway",
        "A tunnel between sites that went down stays so until somebody brings it up by hand.",
    ),
    Fault(
        "ipsec-renewal-outage",
        "gateway",
        "A tunnel between sites carries nothing for a while whenever its keys were renewed.",
        {"seconds": Parameter(2, "how long it carries nothing", float)},
    ),
    # The REST API of the gateway
    Fault(
        "api-500",
        "gateway",
        "The gateway's management answers with an internal error.",
        _CALLS,
    ),
    Fault(
        "api-429",
        "gateway",
        "The gateway's management turns calls away as too many.",
        _CALLS,
    ),
    Fault(
        "api-hang",
        "gateway",
        "The gateway's management takes a call and does not answer.",
        {**_CALLS, "seconds": Parameter(600, "how long it keeps the caller waiting")},
    ),
    Fault(
        "api-drop",
        "gateway",
        "The gateway's management breaks the connection off in the middle of an answer.",
        _CALLS,
    ),
    Fault(
        "api-slow",
        "gateway",
        "A customer is set up late, because the gateway's management takes long over each call.",
        {**_CALLS, "milliseconds": Parameter(400, "how long each call takes besides")},
    ),
    Fault(
        "objects-lost",
        "gateway",
        "Of all that is configured for a customer some is missing, although each was accepted.",
        {
            "path": Parameter("", "the beginning of the tables it concerns; all when empty", str),
            "every": Parameter(20, "of how many new objects one is lost"),
        },
    ),
    Fault(
        "delete-ignored",
        "gateway",
        "What is deleted is reported as gone and stays in the configuration.",
        {"path": _CALLS["path"]},
    ),
    Fault(
        "http-open",
        "gateway",
        "The gateway can be managed over plain HTTP, where anyone on the way reads along.",
    ),
    Fault(
        "tls-old",
        "gateway",
        "The gateway's management offers only encryption that counts as broken.",
    ),
    Fault(
        "token-ignored",
        "gateway",
        "Anyone can manage the gateway, because calls without a token are served.",
    ),
    Fault(
        "other-certificate",
        "gateway",
        "Whether it is the customer's gateway that answers cannot be told: its certificate "
        "is not the one agreed.",
    ),
    Fault(
        "licence-expired",
        "gateway",
        "Security services get no updates any more, because the licence has run out.",
    ),
    Fault(
        "license-missing",
        "gateway",
        "A security service that was ordered does nothing, because the gateway has no licence "
        "for it.",
        {
            "function": Parameter(
                "antivirus",
                "the service without a licence: antivirus, ips, appctrl, web_filtering or all",
                str,
            )
        },
    ),
    Fault(
        "evaluation-licence",
        "gateway",
        "The gateway runs on an evaluation licence, with its limits on size and encryption.",
    ),
    Fault(
        "too-few-resources",
        "gateway",
        "The gateway has fewer processors and less memory than the ordered tier needs.",
    ),
    Fault(
        "other-device",
        "gateway",
        "What is handed over is another gateway, of a smaller model, than the one ordered.",
    ),
    Fault(
        "other-firmware",
        "gateway",
        "The gateway runs firmware of a series that the order does not accept.",
    ),
    Fault(
        "clock-off",
        "gateway",
        "What the gateway logs cannot be matched with what others saw, as its clock is wrong.",
        {"minutes": Parameter(10, "how far its clock is ahead, in minutes")},
    ),
    # The endpoints: faults of the test's own rig, which a customer must not be blamed for
    Fault(
        "iperf3-down",
        "server",
        "No fault of the gateway: the test server cannot receive traffic, as iperf3 does not "
        "start there.",
    ),
    Fault(
        "iperf3-busy",
        "server",
        "No fault of the gateway: the test server's port is taken by somebody else's long test.",
        {"port": Parameter(5201, "the TCP port that is taken")},
    ),
    Fault(
        "ssh-lost",
        "client",
        "No fault of the gateway: the test client is out of reach as soon as it sends traffic.",
        {"after": Parameter(0.5, "for how long traffic is sent before, in seconds", float)},
    ),
    Fault(
        "slow-endpoint",
        "client",
        "No fault of the gateway: the test client itself carries less than the ordered rate.",
        {"mbps": Parameter(150, "what its interfaces carry each way, in Mbit/s", float)},
    ),
    Fault(
        "endpoint-cpu-busy",
        "client",
        "No fault of the gateway: other programs on the test client take its processors.",
    ),
    Fault(
        "endpoint-clock-off",
        "client",
        "No fault of the gateway: the test client's clock is wrong.",
        {"seconds": Parameter(30, "how far its clock is ahead, in seconds")},
    ),
    Fault(
        "host-key-changed",
        "client",
        "No fault of the gateway: another machine may answer in the place of the test client.",
    ),
    Fault(
        "iperf3-missing",
        "client",
        "No fault of the gateway: the test client has no iperf3.",
    ),
    Fault(
        "server-firewall",
        "server",
        "No fault of the gateway: a firewall on the test server drops what comes to the ports on "
        "which connections are tried.",
        {"ports": Parameter("5301-5302", "the TCP and UDP ports that it drops", str)},
    ),
    Fault(
        "peer-firewall",
        "peer",
        "No fault of the gateway: a firewall on the test's other office drops what comes to the "
        "ports on which connections are tried.",
        {"ports": Parameter("5301-5302", "the TCP and UDP ports that it drops", str)},
    ),
    Fault(
        "client-firewall",
        "client",
        "No fault of the gateway: a firewall on the test client lets no VPN out.",
        {"ports": Parameter("500, 4500, 10443", "the TCP and UDP ports that it drops", str)},
    ),
    Fault(
        "vpn-client-broken",
        "client",
        "No fault of the gateway: the test client's VPN program ends before it has logged in.",
    ),
    Fault(
        "vpn-client-missing",
        "client",
        "No fault of the gateway: the test client has no VPN program.",
    ),
)

FAULTS: Mapping[str, Fault] = {fault.name: fault for fault in _ALL}


def fault(name: str) -> Fault:
    """A fault by its name.

    Raises:
        LabMistake: there is none of that name.
    """
    if name not in FAULTS:
        raise LabMistake(f"There is no fault {name!r}; see: python -m lab fault --list")
    return FAULTS[name]


def parse(text: str) -> tuple[Fault, dict[str, Value]]:
    """A fault with its parameters, as `NAME` or `NAME,KEY=VALUE,…`.

    Raises:
        LabMistake: the name, a key or a value is wrong.
    """
    name, *rest = text.split(",")
    return fault(name), fault(name).values(pairs(rest))


def pairs(words: list[str]) -> dict[str, str]:
    """Words `KEY=VALUE` as a mapping.

    Raises:
        LabMistake: one is not of that form.
    """
    for word in words:
        if "=" not in word:
            raise LabMistake(f"{word!r} is no parameter; parameters are written KEY=VALUE.")
    return dict(word.split("=", 1) for word in words)
