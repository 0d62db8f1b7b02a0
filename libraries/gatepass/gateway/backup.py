"""A device's answer to the question for its configuration."""

from __future__ import annotations

from gatepass.gateway.answers import Malformed, Refused
from gatepass.gateway.configuration import AS_IT_CAME, is_whole
from gatepass.gateway.transport import Answer


def backup_of(response: Answer, url: str) -> str:
    """The configuration in an answer, as FortiOS CLI text.

    Args:
        response: what came.
        url: of the device, for the sentence.

    Raises:
        Refused: it holds none.
        Malformed: it breaks off.
    """
    text = response.content.decode(errors=AS_IT_CAME)
    if not text.startswith("#config-version"):
        raise Refused(
            f"{url} gave no backup of its configuration (HTTP {response.status}). "
            "Give the API user's access profile read and write access to administrator users "
            "and maintenance (sysgrp: admin, mnt).",
            status=response.status,
        )
    if not is_whole(text):
        raise Malformed(
            f"the gateway's backup breaks off after {len(text.splitlines()):,} lines, in the "
            "middle of a section. Try again."
        )
    return text
