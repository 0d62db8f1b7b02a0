"""The certificate on paper: its HTML printed to PDF by headless Chromium, where there is one.

Chromium's own command line does it: it is what a machine has after one ``apt-get install``, while
the Browser library would have to start Node.js to call the same program.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from gatepass.base.chromium import INSTALL, last_words, look
from gatepass.base.confined import Confined, confined, written
from gatepass.base.environment import HOMES, without_secrets

SWITCH = "GATEPASS_PDF"
"""Environment variable: "no" where nobody wants the PDF, which takes a second or more."""
LONGEST_S = 60
_OPTIONS = (
    *("--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-extensions", "--no-pdf-header-footer"),
)
_HERE = "https://beside.invalid/"
"""Stands for the page's folder while it is printed: Chromium would name that of this machine."""
_RELATIVE = re.compile(r'(<a href=")(?!#|[a-z]+:)')
_PRINTED = re.compile(rb"/URI \(" + re.escape(_HERE.encode()) + rb"([^()\\]*)\)")
_NODE = re.compile(rb"\(node(\d{8})\)")
_PDF = re.compile(rb"%PDF-.*%%EOF\s*$", re.DOTALL)
_DATE = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}\+00'00'\)")


def print_pdf(page: Path, pdf: Path, started: object) -> str:
    """Print a certificate.

    With the same Chromium and fonts the same page makes the same bytes (see `_same_each_time`).

    Args:
        page: the certificate's HTML file.
        pdf: the file to be written; an older one is replaced, and is gone where it fails.
        started: of the run, ISO 8601; anything else stands for an unknown time.

    Returns:
        Why there is no PDF and what to do about it, in a sentence; empty where there is one.
    """
    try:
        pdf.unlink(missing_ok=True)
    except OSError as error:
        return f"not made: {error.strerror}: {pdf}"
    if os.environ.get(SWITCH) == "no":
        return f"left out, as {SWITCH}=no says"
    browser = look()
    if browser.path is None:
        if browser.complaint:
            return f"not made, as Chromium failed: {browser.complaint}"
        return f"not made, as no Chromium is installed ({INSTALL})"
    try:
        text = _RELATIVE.sub(rf"\g<1>{_HERE}", page.read_text("utf-8"))
        printed, words = _printed(browser.path, page.name, text)
        if not _PDF.match(printed):
            return f"not made, as Chromium failed: {words}"
        with tempfile.TemporaryDirectory(prefix=".pdf-", dir=pdf.parent) as folder:
            made = Path(folder) / pdf.name
            made.write_bytes(_same_each_time(_beside(printed), started))
            made.replace(pdf)
    except OSError as error:
        return f"not made: {error.strerror or error}"
    return ""


def _printed(browser: str, name: str, text: str) -> tuple[bytes, str]:
    """A page as Chromium prints it, and Chromium's last words."""
    how = confined(browser)
    with tempfile.TemporaryDirectory(prefix="gatepass-pdf-") as folder:
        page, made = Path(folder) / name, Path(folder) / "printed.pdf"
        page.write_text(text, "utf-8", newline="\n")
        how.give(page)
        how.give(Path(folder))
        words = _run(browser, page, made, how)
        return written(made), words


def _run(browser: str, page: Path, made: Path, how: Confined) -> str:
    """Run Chromium; its last words."""
    profile = page.with_name("profile")
    command = [browser, *_OPTIONS, f"--user-data-dir={profile}", f"--print-to-pdf={made}"]
    if not how.sandbox:  # the page is our own, without scripts
        command.append("--no-sandbox")
    with subprocess.Popen(
        [*command, page.as_uri()],
        env=without_secrets() | dict.fromkeys(HOMES, str(page.parent)),
        **how.rights,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as chromium:
        try:
            _, said = chromium.communicate(timeout=LONGEST_S)
        except BaseException as error:  # a group of its own does not get our Ctrl-C
            os.killpg(chromium.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return f"it did not end within {LONGEST_S} s"
    return last_words(said.decode(errors="replace"), chromium.returncode)


def _beside(pdf: bytes) -> bytes:
    """With links that are relative again: to what lies beside the PDF (ISO 32000-1, 12.6.4.7).

    They keep their length, see below.
    """
    return _PRINTED.sub(lambda found: b"/URI (%b)" % found[1] + b" " * len(_HERE), pdf)


def _same_each_time(pdf: bytes, started: object) -> bytes:
    """Without what differs from one printing to the next: its moment, and where numbers begin.

    Chromium numbers the elements of a page from wherever its own pages have left off. Each change
    keeps the length, as a PDF names its parts by their place.
    """
    numbers = [int(found) for found in _NODE.findall(pdf)]
    first = min(numbers, default=0)
    pdf = _NODE.sub(lambda found: b"(node%08d)" % (int(found[1]) - first), pdf)
    return _DATE.sub(_stamp(started), pdf)


def _stamp(started: object) -> bytes:
    try:
        moment = datetime.fromisoformat(str(started)).astimezone(UTC)
    except ValueError:
        moment = datetime.fromtimestamp(0, UTC)
    return rb"/\1 (D:" + f"{moment:%Y%m%d%H%M%S}".encode() + b"+00'00')"
