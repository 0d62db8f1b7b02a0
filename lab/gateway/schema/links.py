"""Names that the kernel's network interfaces can have, and that no rule reads more into."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
_TAKEN = re.compile(
    r"lo|all|default|any|none"
    r"|(ipsec|charon|ifb|tun|tap|tunl|sit|gre|gretap|erspan|ip6tnl|ip6gre|ip_vti|ip6_vti)\d+"
)
"""What is the kernel's own, or that of a program here."""


def is_link_name(name: str) -> bool:
    """Whether an interface of the gateway can have this name."""
    return bool(_NAME.fullmatch(name)) and not _TAKEN.fullmatch(name)
