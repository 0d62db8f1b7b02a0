"""Who is told that a run has ended: a program of the user's, or an address that takes JSON.

Neither may cost a run its verdict: what goes wrong is told in a sentence. Both are named by the
environment, as an address often holds a secret, which a command line would show to everybody.
"""

from __future__ import annotations

import ipaddress
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import requests

from gatepass.base.environment import without_secrets
from gatepass.base.printable import printable
from gatepass.report.results_json import NAME

COMMAND, WEBHOOK = "GATEPASS_AT_END", "GATEPASS_WEBHOOK"
_COMMAND_S, _WEBHOOK_S = 120, 20


def tell_of_the_end(folder: Path, verdict: str, named: Sequence[str] = ()) -> None:
    """Call the program and the address that the environment names, if it names any.

    Args:
        folder: of the run, with its ``results.json``.
        verdict: of the order.
        named: variables that the program finds in its environment as well.
    """
    results = folder / NAME
    if not results.is_file():
        return
    if command := os.environ.get(COMMAND):
        _warn(_called(command, results, verdict, named))
    if address := os.environ.get(WEBHOOK):
        _warn(_posted(address, results))


def _called(command: str, results: Path, verdict: str, named: Sequence[str]) -> str:
    """Run a shell command, which finds the file and the verdict in its environment.

    Returns:
        What went wrong, in a sentence; empty where nothing did.
    """
    told = {"GATEPASS_RESULTS_JSON": str(results.absolute()), "GATEPASS_VERDICT": verdict}
    try:
        done = subprocess.run(
            ["sh", "-c", command],
            env=without_secrets(*named) | told,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_COMMAND_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"the command of {COMMAND} had not ended after {_COMMAND_S} s, and was killed."
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        last = f": {printable(lines[-1])[:200]}" if lines else ""
        return f"the command of {COMMAND} ended with {done.returncode}{last}."
    return ""


def _posted(address: str, results: Path) -> str:
    """Send the document to an address; see `_called`."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and _here(host))):
        return f"{WEBHOOK} holds no address of the form https://HOST/…, so that nobody was told."
    try:
        answer = requests.post(
            address,
            data=results.read_bytes(),
            headers={"Content-Type": "application/json"},
            timeout=_WEBHOOK_S,
            allow_redirects=False,  # what is known of a customer goes to nobody else
        )
    except (requests.RequestException, ValueError, OSError) as error:  # its words hold the address
        return f"{host}, which {WEBHOOK} names, cannot be told ({type(error).__name__})."
    if not 200 <= answer.status_code < 300:
        return f"{host}, which {WEBHOOK} names, answered {answer.status_code}."
    return ""


def _here(host: str) -> bool:
    """Whether a host is this machine, to which nothing has to be encrypted."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _warn(sentence: str) -> None:
    if sentence:
        print(f"Gatepass: the run has ended, and {sentence}", file=sys.stderr)
