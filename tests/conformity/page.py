"""The lab's differences as `docs/lab.md` shows them: ``python -m conformity.page``."""

from __future__ import annotations

from pathlib import Path

from .drive import DIFFERENCES

PAGE = Path(__file__).parents[2] / "docs" / "lab.md"
_BEGIN = "<!-- differences: tests/conformity/differences.yaml -->\n"
_END = "<!-- /differences -->\n"


def table() -> str:
    """The rows of `differences.yaml`."""
    lines = ["| Table | Attribute | What differs | Why it does not matter |", "|---|---|---|---|"]
    lines += [
        f"| `{one['table']}` | {one['shown']} | {one['kind']} | {one['why']} |"
        for one in DIFFERENCES
    ]
    return "\n".join(lines) + "\n"


def page() -> str:
    """The page with these rows in their place."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{table()}{_END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
