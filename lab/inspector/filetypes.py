"""Types of files by their content, named as FortiOS's file filter names them."""

from __future__ import annotations

import re

ENOUGH = 512
"""So many bytes from the beginning tell every type."""

_MAGIC = (
    (b"MZ", "exe"),
    (b"\x7fELF", "elf"),
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "msoffice"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"Rar!\x1a\x07", "rar"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
)
_ECHO_OFF = re.compile(rb"\s*@echo\s+off\b", re.IGNORECASE)


def file_type(begin: bytes, filename: str) -> str:
    """The type of a file.

    Args:
        begin: its first bytes, `ENOUGH` or all.
        filename: tells a batch file, which has no mark of its own.
    """
    for magic, name in _MAGIC:
        if begin.startswith(magic):
            return name
    if _ECHO_OFF.match(begin) or filename.lower().endswith((".bat", ".cmd")):
        return "bat"
    return "unknown"
