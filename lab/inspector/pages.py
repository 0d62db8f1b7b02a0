"""What a client gets in the place of what was blocked."""

from __future__ import annotations

from html import escape

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1><p>{sentence}</p><table>{rows}</table>
<p>Gatepass lab gateway, security services</p></body></html>
"""
_TITLES = {
    "virus": (
        "High Security Alert",
        "This file may not be transferred: it is infected.",
    ),
    "oversize": (
        "File Blocked",
        "This file is too large to be scanned.",
    ),
    "webfilter": ("Web Page Blocked", "The web filter does not permit this page."),
    "file-filter": ("File Blocked", "Files of this type may not be transferred."),
    "app-ctrl": ("Application Blocked", "The use of this application is not permitted."),
    "ips": ("Attack Blocked", "The transfer of an attack was stopped."),
}


def page(kind: str, facts: dict[str, str]) -> bytes:
    """An HTTP response that says what was blocked; the connection ends after it.

    Args:
        kind: of the event.
        facts: what the page names, such as the URL.
    """
    title, sentence = _TITLES[kind]
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>"
        for name, value in facts.items()
        if value
    )
    body = _PAGE.format(title=title, sentence=sentence, rows=rows).encode()
    head = (
        "HTTP/1.1 403 Forbidden\r\nContent-Type: text/html; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def ftp_refusal(kind: str, name: str) -> bytes:
    """The last reply of an FTP transfer that was stopped."""
    names = {"virus": "virus", "file-filter": "file type", "oversize": "too large"}
    what = names.get(kind, "attack")
    return f'550 Transfer blocked: {what} "{name}".\r\n'.encode("utf-8", "replace")
