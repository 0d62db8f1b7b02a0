"""Orders that name studies."""

from __future__ import annotations

from pathlib import Path

from gatepass.base.paths import VARIABLES


def order_with(folder: Path, *studies: str) -> Path:
    """The lab's order with these studies, as a file in a folder."""
    usual = (VARIABLES / "orders" / "lab.yaml").read_text(encoding="utf-8")
    path = folder / "study.yaml"
    path.write_text(f"{usual}\nstudies: [{', '.join(studies)}]\n", encoding="utf-8")
    return path
