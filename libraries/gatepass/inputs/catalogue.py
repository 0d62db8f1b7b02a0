"""The service catalogue: what the provider promises for each tier."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from gatepass.inputs.objectives import LevelObjectives
from gatepass.inputs.schema import (
    InputFile,
    Mistake,
    Model,
    did_you_mean,
    one_of,
    text,
    whole,
)

Users = Annotated[int, whole(1, 1_000_000, "of users")]
Line = Annotated[str, text("one line of text")]


class Tier(Model):
    """A row of the catalogue. ``None`` stands for what the tier does not offer."""

    size: Literal["small", "large"] = Field(description="small or large")
    stateful_mbps: int | None = whole(1, 1_000_000, "of Mbit/s")
    """Firewall throughput in Mbit/s (10^6 bit/s) of TCP goodput, without inspection."""
    security_services_mbps: int | None = whole(1, 1_000_000, "of Mbit/s")
    """The same with all security services on."""
    ipsec_tunnels: int | None = whole(1, 1_000_000, "of tunnels")
    vpn_users: int | None = whole(1, 1_000_000, "of users")
    proxy_users: int | None = whole(1, 1_000_000, "of users")
    recommended_users: tuple[Users, Users] = Field(
        strict=False, description="a list of two whole numbers, fewest and most users"
    )
    log_mb_per_day: int = whole(1, 1_000_000, "of megabytes")
    service_requests_per_month: int = whole(1, 1_000_000, "of requests")


class Catalogue(InputFile):
    """``variables/service_catalogue.yaml``."""

    tiers: dict[str, Tier] = Field(min_length=1, description="a group of one tier or more")
    base_functions: list[Line] = Field(description="a list of functions, each one line of text")
    options: dict[str, Line] = Field(description="a group of options, each one line of text")
    service_levels: list[Line] = Field(min_length=1, description="a list of names")
    objectives: LevelObjectives | None = None
    """What service levels promise classes of service; None: every order says it itself."""

    @model_validator(mode="after")
    def _levels_are_known(self) -> Self:
        for level in self.objectives.levels if self.objectives else ():
            if level not in self.service_levels:
                raise Mistake(
                    one_of(self.service_levels),
                    did_you_mean(level, self.service_levels) or "Name a service level.",
                    ["objectives", "levels", level],
                )
        return self


def load_catalogue(path: Path | str) -> Catalogue:
    """Read the service catalogue.

    Raises:
        InputError: the file is missing or wrong, in one sentence.
    """
    return Catalogue.read(path)
