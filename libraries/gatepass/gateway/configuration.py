"""The gateway's configuration as text: made comparable, and free of secrets, before it is kept."""

from __future__ import annotations

import difflib
import re
from itertools import dropwhile

from gatepass.base.masking import MASK, masked_text
from gatepass.gateway.config_objects import outside_quotes, sections, with_quotes

# An SNMP community's name is its password, and stands there in clear.
_COMMUNITY = re.compile(r"^config system snmp community$.*?^end$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"set name .*")
_BY_ITSELF = re.compile(
    r"^ *config firewall internet-service-name$.*?^ *end$\n?"  # FortiGuard's updates write it
    r"|^ *set comments \"[^\"\n]*\bACME\b[^\"\n]*\"$\n?"  # the certificate's last renewal
    r"|^ *set comments \"Error \([^\"\n]*\) on [^\"\n]*\"$\n?"  # or why there was none
    r"|^ *set last-login [^\n]*$\n?",
    re.DOTALL | re.MULTILINE,
)
"""What a device rewrites while nobody is at work on it."""
_ADDRESSES = re.compile(r"^config firewall address6?$.*?^end$", re.DOTALL | re.MULTILINE)
_FOUND = re.compile(r"^( +)config list$\n.*?^\1end$\n?", re.DOTALL | re.MULTILINE)
"""What an SDN connector found in a cloud for an address, and writes anew as it changes there."""
_SCREENFUL = 40
AS_IT_CAME = "surrogateescape"
"""How bytes that are no text are kept in a backup."""


def comparable(backup: str) -> str:
    """A backup without what differs between two backups of one configuration, secrets masked.

    Header lines (``#config-version``, ``#conf_file_ver``, …) count backups and are dropped, as is
    what a device rewrites by itself. What is quoted is text, and stays.
    """
    readable = _BY_ITSELF.sub("", backup.encode(errors=AS_IT_CAME).decode(errors="replace"))
    found = _ADDRESSES.sub(lambda section: _FOUND.sub("", section[0]), readable)
    text = without_communities(masked_text(found))
    lines = list(dropwhile(_is_head, text.splitlines()))
    return "\n".join(line for line, is_text in with_quotes(lines) if line or is_text) + "\n"


def _is_head(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def without_communities(text: str) -> str:
    """A configuration without the names of SNMP communities."""
    return _COMMUNITY.sub(lambda section: _NAME.sub(f"set name {MASK}", section[0]), text)


def differences(before: str, after: str) -> tuple[str, ...]:
    """The lines that differ between two comparable configurations, each with its section.

    Returns:
        Lines such as ``config firewall policy: + edit 7``; at most a screenful, then a count.
    """
    old, new = _with_sections(before), _with_sections(after)
    # not ndiff, which takes minutes over some thousand lines that differ
    changes = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    found = [
        f"{line[1:].partition(chr(0))[0]}: {line[0]} {line.partition(chr(0))[2].strip()}"
        for line in changes
        if line[0] in "+-"
    ]
    if len(found) > _SCREENFUL:
        found[_SCREENFUL:] = [f"… and {len(found) - _SCREENFUL} further lines"]
    return tuple(found)


def is_whole(backup: str) -> bool:
    """Whether each section of a configuration has its end."""
    words = [line.split(" ", 1)[0] for line in outside_quotes(backup)]
    return words.count("config") == words.count("end")


def _with_sections(text: str) -> list[str]:
    return [f"{section}\0{line}" for section, line in sections(text)]
