"""config file-filter profile."""

from __future__ import annotations

from lab.gateway.errors import missing
from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    child,
    chosen,
    key_name,
    option,
    string,
    toggle,
)

FILE_TYPES = (
    ".net",
    "7z",
    "activemime",
    "arj",
    "aspack",
    "avi",
    "base64",
    "bat",
    "binhex",
    "bmp",
    "bzip",
    "bzip2",
    "cab",
    "chm",
    "class",
    "cod",
    "crx",
    "dmg",
    "elf",
    "exe",
    "flac",
    "fsg",
    "gif",
    "gzip",
    "hlp",
    "hta",
    "html",
    "hwp",
    "iso",
    "jad",
    "javascript",
    "jpeg",
    "lzh",
    "mach-o",
    "mime",
    "mov",
    "mp3",
    "mpeg",
    "msi",
    "msoffice",
    "msofficex",
    "pdf",
    "petite",
    "png",
    "rar",
    "registry",
    "rm",
    "rpm",
    "sis",
    "tar",
    "tiff",
    "torrent",
    "unknown",
    "upx",
    "uue",
    "wav",
    "wma",
    "xar",
    "xz",
    "zip",
)
_PROTOCOLS = ("http", "ftp", "smtp", "imap", "pop3", "mapi", "cifs", "ssh")


def _check(row: Row, view: View) -> None:
    for rule in row["rules"]:
        if not rule["file-type"]:
            raise missing("file-type")


PROFILE = Table(
    "file-filter/profile",
    attributes(
        key_name(47),
        string("comment", 255),
        option("feature-set", "flow", "proxy"),
        string("replacemsg-group", 35),
        toggle("log", "enable"),
        toggle("extended-log"),
        toggle("scan-archive-contents", "enable"),
        child(
            "rules",
            key_name(35),
            string("comment", 255),
            option("protocol", *_PROTOCOLS, multiple=True, default=" ".join(_PROTOCOLS)),
            option("action", "log-only", "block"),
            option("direction", "incoming", "outgoing", "any", default="any"),
            option("password-protected", "yes", "any", default="any"),
            chosen("file-type", values.option(*FILE_TYPES), key="name", kind="string", default=""),
            mkey="name",
        ),
    ),
    access="utmgrp",
    check=_check,
    factory=(
        {"name": "default", "comment": "File type inspection."},
        {"name": "sniffer-profile", "comment": "File type inspection."},
    ),
)

TABLES = (PROFILE,)
