"""What comes back of a command on an endpoint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Completed:
    """How a command on an endpoint ended."""

    status: int
    output: str
    errors: str = ""
