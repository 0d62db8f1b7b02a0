"""The gateway's configuration as text: made comparable, and free of secrets, before it is kept."""

from __future__ import annotations

import difflib
import os
import re
from itertools import dropwhile

from gatepass.base.masking import for_a_reader, masked_encrypted
from gatepass.gateway.config_objects import outside_quotes, sections, with_quotes
from gatepass.gateway.lock_object import without_locks
from gatepass.gateway.masked_configuration import masked_configuration

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
_OF_THIS_PROCESS = os.urandom(16)
AS_IT_CAME = "surrogateescape"
"""How bytes that are no text are kept in a backup."""


def comparable(backup: str, key: bytes = _OF_THIS_PROCESS) -> str:
    """A backup without what differs between two backups of one configuration, secrets masked.

    Header lines (``#config-version``, ``#conf_file_ver``, …) count backups and are dropped, as is
    what a device rewrites by itself. What is quoted is text, and stays. One that is comparable
    already stays as it is. Nor does it hold the locks of runs.

    Args:
        backup: as it came, or from an earlier run.
        key: by which it is seen that a masked value is another than before; without one, that one
            of an earlier process was cannot be seen.
    """
    readable = _BY_ITSELF.sub("", backup.encode(errors=AS_IT_CAME).decode(errors="replace"))
    found = _ADDRESSES.sub(lambda section: _FOUND.sub("", section[0]), without_locks(readable))
    lines = list(dropwhile(_is_head, masked_encrypted(found).splitlines()))
    text = "\n".join(line for line, is_text in with_quotes(lines) if line or is_text)
    return masked_configuration(text, key) + "\n"


def _is_head(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def differences(before: str, after: str) -> tuple[str, ...]:
    """The lines that differ between two comparable configurations, each with its section.

    Returns:
        Lines such as ``config firewall policy: + edit 7``; at most a screenful, then a count.
    """
    old, new = _with_sections(before), _with_sections(after)
    # not ndiff, which takes minutes over some thousand lines that differ
    changes = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    found = [
        f"{line[1:].partition(chr(0))[0]}: {line[0]} "
        f"{for_a_reader(line.partition(chr(0))[2].strip())}"
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
