"""Time stamps by an authority (RFC 3161): that a record was there at a time, and not made later.

Requests and answers are made and read by OpenSSL, which anybody can hold against the record too.
"""

from __future__ import annotations

import re
import subprocess
from datetime import datetime
from operator import itemgetter
from pathlib import Path

import requests

from gatepass.base.errors import InputError
from gatepass.proof.folder import SUMS, TIMESTAMP

_PATIENCE_S = 30
_TYPE = "application/timestamp-query"


class NotStamped(Exception):
    """The time stamp is of something else, or of nobody who is trusted."""


def stamp(folder: Path, authority: str) -> Path:
    """Have the list of a run stamped; an older stamp is replaced.

    Args:
        folder: of the run.
        authority: its address, http:// or https://.

    Raises:
        InputError: the authority gives no stamp.
    """
    query = _openssl("-query", "-data", str(folder / SUMS), "-sha256", "-cert")
    answer = ask(authority, query)
    target = folder / TIMESTAMP
    target.write_bytes(answer)
    if "Status: Granted" not in _told(target):
        target.unlink()
        raise no_stamp(authority)
    return target


def ask(authority: str, query: bytes) -> bytes:
    """What an authority answers; whether that is a time stamp, the caller has to see.

    Args:
        authority: its address, http:// or https://.
        query: a request after RFC 3161, DER.

    Raises:
        InputError: it cannot be asked.
    """
    try:
        answer = requests.post(
            authority, data=query, headers={"Content-Type": _TYPE}, timeout=_PATIENCE_S
        )
        answer.raise_for_status()
    except requests.RequestException as error:
        raise InputError(
            f"--timestamp {authority}: the authority cannot be asked ({type(error).__name__}). "
            "Name the address of one that answers RFC 3161 over HTTP."
        ) from None
    return answer.content


def no_stamp(authority: str) -> InputError:
    """The sentence on an answer that is none."""
    return InputError(
        f"--timestamp {authority}: its answer is no time stamp. Name the address of an authority "
        "after RFC 3161."
    )


def look(folder: Path, authorities: Path | None) -> str:
    """When the list of a run was stamped; empty where it was not.

    Args:
        folder: of the run.
        authorities: certificates of those who are trusted, PEM; None to look at the time alone.

    Raises:
        NotStamped: the stamp does not fit the list, or is of somebody else.
    """
    path = folder / TIMESTAMP
    if not path.is_file():
        return ""
    found = re.search(r"Time stamp: (.+)", _told(path))
    if found is None:
        raise NotStamped(f"{TIMESTAMP} is no time stamp.")
    if authorities is not None:
        trusted = ("-CAfile", str(authorities))
        try:
            _openssl("-verify", "-data", str(folder / SUMS), "-in", str(path), *trusted)
        except InputError as error:
            raise NotStamped(f"the time stamp does not fit {SUMS}: {error}") from None
    return _utc(found[1].strip())


def _utc(moment: str) -> str:
    """A time as OpenSSL writes it, in the form of the rest."""
    day, month, clock, year = itemgetter(1, 0, 2, 3)(moment.split())
    return f"{datetime.strptime(f'{year} {month} {day}', '%Y %b %d'):%Y-%m-%d} {clock} UTC"


def _told(path: Path) -> str:
    try:
        return _openssl("-reply", "-in", str(path), "-text").decode(errors="replace")
    except InputError:
        return ""


def _openssl(*words: str) -> bytes:
    """What `openssl ts` answers.

    Raises:
        InputError: it does not, with its own words.
    """
    try:
        done = subprocess.run(
            ["openssl", "ts", *words], capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except FileNotFoundError:
        raise InputError(
            "openssl is needed for time stamps, and is not there (apt-get install openssl)."
        ) from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise InputError(lines[-1] if lines else "openssl says nothing more")
    return done.stdout
