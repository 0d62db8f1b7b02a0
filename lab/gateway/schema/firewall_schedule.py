"""config firewall schedule."""

from __future__ import annotations

from lab.gateway.schema import values
from lab.gateway.schema.model import Table, attributes, integer, key_name, option, parsed, toggle

RECURRING = Table(
    "firewall.schedule/recurring",
    attributes(
        key_name(31),
        parsed("start", "user", values.clock, "00:00"),
        parsed("end", "user", values.clock, "00:00"),
        option("day", "sunday", "monday", "tuesday", "wednesday", "thursday", "friday",
               "saturday", "none", multiple=True, default="none"),
        integer("color", 0, 32),
        toggle("fabric-object"),
    ),
    access="fwgrp",
    factory=(
        {"name": "always", "day": "sunday monday tuesday wednesday thursday friday saturday"},
        {"name": "none"},
        {"name": "default-darrp-optimize", "start": "01:00", "end": "01:30",
         "day": "sunday monday tuesday wednesday thursday friday saturday"},
    ),
)

TABLES = (RECURRING,)
