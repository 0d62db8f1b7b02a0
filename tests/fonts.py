"""Machines that have one family of fonts alone, as far as Chromium can tell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_WHERE = Path("/usr/share/fonts/truetype")


@dataclass(frozen=True)
class Family:
    """A family, and who brings it.

    Attributes:
        package: of Debian and Ubuntu.
        files: those of its fonts that a page may need; more of them, narrower ones among them, may
            lie beside them.
        sans, monospace: what it has for these.
        aliases: families that it takes the place of, as its letters are as wide.
    """

    package: str
    files: tuple[Path, ...]
    sans: str
    monospace: str
    aliases: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """Its files that are not on this machine."""
        return [str(path) for path in self.files if not path.is_file()]

    def alone(self, folder: Path) -> Path:
        """A configuration of fontconfig that knows no other font.

        Args:
            folder: for it and what belongs to it.

        Returns:
            Its path, for FONTCONFIG_FILE.
        """
        fonts, config = folder / "fonts", folder / "fonts.conf"
        fonts.mkdir()
        for path in self.files:
            (fonts / path.name).symlink_to(path)
        generic = {"sans-serif": self.sans, "monospace": self.monospace}
        aliases = [_alias(name, family) for name, family in generic.items()]
        aliases += [_alias(name, self.sans, ' binding="same"') for name in self.aliases]
        config.write_text(
            '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
            f"<dir>{fonts}</dir><cachedir>{folder / 'cache'}</cachedir>"
            f"{''.join(aliases)}</fontconfig>"
        )
        return config


def _alias(name: str, family: str, more: str = "") -> str:
    """Whoever asks for the one gets the other."""
    return (
        f"<alias{more}><family>{name}</family><prefer><family>{family}</family></prefer></alias>"
    )


def _files(folder: str, *names: str) -> tuple[Path, ...]:
    return tuple(_WHERE / folder / f"{name}.ttf" for name in names)


FAMILIES = {
    "DejaVu": Family(
        "fonts-dejavu-core",
        _files("dejavu", "DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "DejaVuSansMono-Bold"),
        "DejaVu Sans",
        "DejaVu Sans Mono",
    ),
    "Liberation": Family(
        "fonts-liberation",
        _files(
            "liberation",
            *("LiberationSans-Regular", "LiberationSans-Bold"),
            *("LiberationMono-Regular", "LiberationMono-Bold"),
        ),
        "Liberation Sans",
        "Liberation Mono",
        ("Arial", "Helvetica"),
    ),
    # its minus sign is among the mathematical ones
    "Noto": Family(
        "fonts-noto-core",
        _files("noto", "NotoSans-Regular", "NotoSans-Bold", "NotoSansMath-Regular"),
        "Noto Sans",
        "Noto Sans",
    ),
}
"""By the beginning of their fonts' names."""
