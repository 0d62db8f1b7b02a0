"""What one step of a check leaves for those after it."""

from __future__ import annotations

from gatepass.base.errors import NotProven


class Steps:
    """Values by name, each annotated in a class of this kind and set by a step.

    Raises:
        NotProven: one is asked for that no step of the check has left, as sentences in the wrong
            order do.
    """

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        words = name.replace("_", " ")
        raise NotProven(f"no earlier step of this check provided its {words} for this one.")
