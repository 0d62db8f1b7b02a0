"""An order: what one customer bought."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from gatepass.base.languages import FALLBACK, LANGUAGES
from gatepass.inputs.catalogue import Catalogue, Tier
from gatepass.inputs.flows import MOST_FLOWS, Flow
from gatepass.inputs.objectives import MOST_CLASSES, ServiceClass, resolved
from gatepass.inputs.profile import MOST_TENANTS
from gatepass.inputs.proposals import PROPOSALS, ProposalName
from gatepass.inputs.schema import (
    InputFile,
    Mistake,
    Model,
    did_you_mean,
    identifier,
    interface,
    number,
    one_of,
    text,
    whole,
)
from gatepass.inputs.studies import STUDIES

Switch = Annotated[bool, Field(description="true or false")]


FileType = Literal["exe", "bat", "elf", "zip", "pdf"]


class Options(Model):
    """What was bought on top of the tier; the names are the catalogue's."""

    security_services: Switch = False
    snmp_reporting: Switch = False
    flow_reporting: Switch = False
    security_reporting: Switch = False


class OrderedShaper(Model):
    """The shaper on the gateway that holds the customer to the tier's rate."""

    name: str = text("the name of a traffic shaper on the gateway", r"^[^\n\"'<>()#]{1,35}$")
    burst_allowance_percent: float = number(0, 100, "of per cent", default=5.0)
    """How far above the tier's rate the customer may still get."""


class Vpn(Model):
    """What was agreed on VPN beside the tier's numbers of tunnels and users."""

    ipsec: list[ProposalName] = Field(
        default=["aes256-sha256-dh14", "aes256gcm-dh14"],
        min_length=1,
        max_length=len(PROPOSALS),
        description=f"a list of {', '.join(PROPOSALS)}",
    )
    """How tunnels between sites are encrypted; each is measured."""
    ipsec_mbps: int | None = whole(1, 1_000_000, "of Mbit/s", default=None)
    """What one tunnel has to carry, Mbit/s of TCP goodput; None: it is measured alone."""
    remote_access_mbps: int | None = whole(1, 1_000_000, "of Mbit/s", default=None)
    """What one user's connection has to carry; None: it is measured alone."""

    @field_validator("ipsec")
    @classmethod
    def _each_once(cls, names: list[str]) -> list[str]:
        if len(set(names)) < len(names):
            raise Mistake("a list that names each once", "Take the repeated one out.")
        return names


class OrderedTenants(Model):
    """Tenants that the gateway has to take beside the customer, each with rules of its own."""

    tenants: int = whole(1, MOST_TENANTS, "of tenants")
    parallel: int = whole(1, 32, "of tenants", default=1)
    """How many are set up at the same time."""
    within_s: float | None = number(0.1, 86_400, "of seconds", default=None)
    """After which each has to stand; None: it is measured alone."""


class OrderedGui(Model):
    """What administrators who work in the gateway's web page are promised."""

    within_s: float | None = number(0.1, 600, "of seconds", default=None)
    """After which each step of work on its list of policies has to be done; None: it is measured
    alone."""


class OrderedGateway(Model):
    """What the gateway must be. What is left out is not checked."""

    serial: str | None = text("a serial number", r"^[A-Za-z0-9_-]{1,64}$", default=None)
    model: str | None = text("a model name as FortiOS reports it", default=None)
    version: str | None = text(
        'a version such as "7.4" (any 7.4), "7.4.8" (that one) or ">=7.4.4" (or later)',
        r"^(>= ?)?[0-9]{1,3}(\.[0-9]{1,3}){1,2}$",
        default=None,
    )
    min_vcpus: int | None = whole(1, 1024, "of vCPUs", default=None)
    min_memory_mb: int | None = whole(1, 16_777_216, "of MiB", default=None)
    evaluation: Switch = False
    """Whether it may run on the permanent evaluation licence."""
    management_ports: list[Annotated[str, interface()]] = Field(
        default=[], max_length=64, description="a list of interfaces of the gateway"
    )
    """Where it may be managed besides the port that the testbed's url leads to."""

    accepted_policies: list[Annotated[int, Field(ge=1, le=4_294_967_294, strict=True)]] = Field(
        default=[], max_length=1000, description="a list of numbers of policies"
    )
    """Policies that the customer wants as they are, whatever is found to be wrong with them."""

    def accepts_version(self, reported: str) -> bool:
        """Whether a version as FortiOS reports it (``v7.4.8``) is one that was ordered."""
        if self.version is None:
            return True
        ordered, actual = _parts(self.version), _parts(reported)
        if self.version.startswith(">="):
            return actual >= ordered
        return actual[: len(ordered)] == ordered


class Order(InputFile):
    """``variables/orders/*.yaml``."""

    order: str = identifier("the order's number or name,")
    customer: str = text("one line of text")
    tier: str = text("the name of a tier in the catalogue")
    service_level: str = text("the name of a service level in the catalogue")
    language: str = text(one_of(LANGUAGES), rf"^({'|'.join(LANGUAGES)})$", default=FALLBACK)
    options: Options = Options()
    shaper: OrderedShaper | None = None
    filtered_file_types: list[FileType] = Field(
        default=["exe", "bat"],
        min_length=1,
        max_length=5,
        description="a list of exe, bat, elf, zip, pdf",
    )
    """What the file filter stops, where security services were bought."""
    inspection_mode: Literal["flow", "proxy"] = Field(default="flow", description="flow or proxy")
    """How the customer's policies inspect, where security services were bought."""
    vpn: Vpn = Vpn()
    provisioning: OrderedTenants | None = None
    gui: OrderedGui = OrderedGui()
    gateway: OrderedGateway = OrderedGateway()
    flows: list[Flow] = Field(
        default=[],
        max_length=MOST_FLOWS,
        description=f"a list of flows, at most {MOST_FLOWS}, each with from, to, service, expect",
    )
    """What the customer's own rules have to let through, and what not, as delivered."""
    objectives: list[ServiceClass] = Field(
        default=[],
        max_length=MOST_CLASSES,
        description=f"a list of classes of service, at most {MOST_CLASSES}, each with name, dscp "
        "and cir_mbps",
    )
    """What each class of service is promised."""
    studies: list[str] = Field(
        default=[], max_length=len(STUDIES), description=f"a list of {', '.join(STUDIES)}"
    )
    """Published methods that are carried out whole beside the checks."""
    notes: str = Field(default="", max_length=4000, description="text, at most 4000 letters")

    _promise: Tier = PrivateAttr()
    _classes: list[ServiceClass] = PrivateAttr(default=[])
    _proposed: bool = PrivateAttr(default=False)

    @property
    def classes(self) -> list[ServiceClass]:
        """The classes of service, with what their service level proposes."""
        return self._classes

    @property
    def objectives_are_proposals(self) -> bool:
        """Whether some of their limits are the catalogue's, which nobody has signed."""
        return self._proposed

    @property
    def promise(self) -> Tier:
        """The figures of the ordered tier."""
        return self._promise

    def of_tier(self, tier: str, catalogue: Catalogue) -> Self:
        """The same order of another tier of the catalogue."""
        other = self.model_copy(update={"tier": tier})
        other._promise = catalogue.tiers[tier]
        other._classes, other._proposed = self._classes, self._proposed
        return other

    @property
    def ceiling_mbps(self) -> float | None:
        """The tier's rate with the burst allowance; None without a shaper in the order."""
        if self.shaper is None or self.promise.stateful_mbps is None:
            return None
        return self.promise.stateful_mbps * (1 + self.shaper.burst_allowance_percent / 100)

    @field_validator("flows")
    @classmethod
    def _each_flow_once(cls, flows: list[Flow]) -> list[Flow]:
        seen: dict[tuple[str, ...], int] = {}
        for position, flow in enumerate(flows):
            first = seen.setdefault((flow.source, flow.target, flow.service), position)
            if first != position:
                raise Mistake(
                    f"a flow that is not also flows[{first}]", "Remove one of the two.", [position]
                )
        return flows

    @field_validator("studies")
    @classmethod
    def _studies_that_there_are(cls, names: list[str]) -> list[str]:
        for position, name in enumerate(names):
            if name not in STUDIES:
                raise Mistake(one_of(STUDIES), did_you_mean(name, STUDIES), [position])
            if name in names[:position]:
                raise Mistake("each study once", "Remove the second.", [position])
        return names

    @model_validator(mode="after")
    def _in_the_catalogue(self, info: ValidationInfo) -> Self:
        catalogue: Catalogue = info.context["catalogue"]
        for key, found, known in (
            ("tier", self.tier, catalogue.tiers),
            ("service_level", self.service_level, catalogue.service_levels),
        ):
            if found not in known:
                remedy = did_you_mean(found, known) or "Choose one of these."
                raise Mistake(one_of(known), remedy, [key])
        for option, bought in self.options:
            if bought and option not in catalogue.options:
                raise Mistake(
                    "false, because the catalogue offers no such option",
                    f"It offers {', '.join(catalogue.options)}.",
                    ["options", option],
                )
        self._promise = catalogue.tiers[self.tier]
        self._resolve(catalogue)
        return self

    def _resolve(self, catalogue: Catalogue) -> None:
        """Take what the service level proposes, and hold the classes against the tier."""
        levels = catalogue.objectives
        try:
            self._classes = resolved(
                self.objectives, levels.levels.get(self.service_level, {}) if levels else {}
            )
        except Mistake as mistake:
            mistake.key = ("objectives", *mistake.key)
            raise
        labelled = any(one.label for one in self.objectives)
        self._proposed = bool(labelled and levels and not levels.signed)
        committed, most = sum(one.cir_mbps for one in self.classes), self._promise.stateful_mbps
        if most is not None and committed > most:
            raise Mistake(
                f"classes whose committed rates (cir_mbps) are {most:g} Mbit/s together at most, "
                f"as {self.tier} has; they are {committed:g}",
                "Lower one, or order a larger tier.",
                ["objectives"],
            )


def load_order(path: Path | str, catalogue: Catalogue) -> Order:
    """Read an order and hold its tier, service level and options against the catalogue.

    Raises:
        InputError: the file is missing or wrong, in one sentence.
    """
    return Order.read(path, catalogue=catalogue)


def _parts(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]
