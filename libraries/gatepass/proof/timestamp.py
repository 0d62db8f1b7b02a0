"""Time stamps by an authority (RFC 3161): that a record was there at a time, and not made later.

Requests and answers are made and held against each other by OpenSSL, which anybody can do too.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
from asn1crypto import cms, tsp
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from gatepass.base.environment import without_secrets
from gatepass.base.errors import InputError
from gatepass.base.files import contents
from gatepass.proof.folder import SUMS, TIMESTAMP

AUTHORITY = "GATEPASS_TIMESTAMP"
"""Names the authority that stamps each run when it ends."""
_OPTION = "--timestamp"
_PATIENCE_S = 30
_TYPE = "application/timestamp-query"
_LARGEST_KIB = 1024
"""Of an answer; one with all certificates above the authority's own has some ten."""


class NotStamped(Exception):
    """The time stamp is none, of something else, or of nobody who is trusted."""


def stamp(folder: Path, authority: str, option: str = _OPTION) -> Path:
    """Have the list of a run stamped; an older stamp is replaced once the new one is held to fit.

    Args:
        folder: of the run.
        authority: its address, http:// or https://.
        option: that names it, for the sentence.

    Raises:
        InputError: the authority gives no stamp, or one of something else than was asked.
    """
    query = _openssl("-query", "-data", str(folder / SUMS), "-sha256", "-cert")
    answer = ask(authority, query, option)
    with TemporaryDirectory() as kept:
        asked = Path(kept, "asked.tsq")
        asked.write_bytes(query)
        try:
            _must_fit(answer, None, "-queryfile", str(asked))
        except NotStamped as error:
            raise no_stamp(authority, str(error), option) from None
    target = folder / TIMESTAMP
    made = target.with_name(f".{TIMESTAMP}")
    made.write_bytes(answer)
    return made.replace(target)


def ask(authority: str, query: bytes, option: str = _OPTION) -> bytes:
    """What an authority answers; whether that is a time stamp, the caller has to see.

    Args:
        authority: its address, http:// or https://.
        query: a request after RFC 3161, DER.
        option: that names it, for the sentence.

    Raises:
        InputError: it cannot be asked, or answers without end.
    """
    headers = {"Content-Type": _TYPE}
    try:
        with requests.post(
            authority, data=query, headers=headers, timeout=_PATIENCE_S, stream=True
        ) as answer:
            answer.raise_for_status()
            content = next(answer.iter_content(_LARGEST_KIB * 1024 + 1), b"")
    except requests.RequestException as error:
        raise InputError(
            f"{option} {authority}: the authority cannot be asked ({type(error).__name__}). "
            "Name the address of one that answers RFC 3161 over HTTP."
        ) from None
    if len(content) > _LARGEST_KIB * 1024:
        raise no_stamp(authority, f"it is larger than {_LARGEST_KIB} KiB", option)
    return content


def no_stamp(authority: str, why: str, option: str = _OPTION) -> InputError:
    """The sentence on an answer that is none.

    Args:
        authority: its address.
        why: what is wrong with the answer, as the end of a sentence.
        option: that names it.
    """
    return InputError(
        f"{option} {authority}: its answer is no time stamp of what was asked: {why}. Nothing "
        "was kept. Name the address of an authority after RFC 3161."
    )


def look(folder: Path, authorities: Path | None) -> str:
    """When the list of a run was stamped; empty where it was not.

    Args:
        folder: of the run.
        authorities: certificates of those who are trusted, PEM; None to look whether the stamp is
            whole and of this list, whoever made it.

    Raises:
        NotStamped: the stamp does not fit the list, or is of somebody else.
    """
    path = folder / TIMESTAMP
    if not path.is_file():
        return ""
    try:
        answer = contents(path, 1)
    except OSError as error:
        raise NotStamped(f"{TIMESTAMP} cannot be read: {error.strerror}.") from None
    try:
        moment = _must_fit(answer, authorities, "-data", str(folder / SUMS))
    except NotStamped as error:
        raise NotStamped(f"the time stamp does not fit {SUMS}: {error}.") from None
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _must_fit(answer: bytes, authorities: Path | None, *of: str) -> datetime:
    """The time of a stamp, once OpenSSL has found it whole, granted, and of what it has to be.

    Args:
        answer: of an authority, DER.
        authorities: who is trusted, PEM; None for whoever's certificate the answer bears.
        of: the words by which OpenSSL is told what was stamped; with a request, that its nonce has
            to be the same as well.

    Raises:
        NotStamped: it is not.
    """
    try:
        token = tsp.TimeStampResp.load(answer, strict=True)["time_stamp_token"]["content"]
        info = token["encap_content_info"]["content"].parsed
        moment = info["gen_time"].native.astimezone(UTC)
        own = _certificates(token)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NotStamped("it is no time stamp after RFC 3161, or none was granted") from None
    with TemporaryDirectory() as kept:
        reply, bearing = Path(kept, "answer.tsr"), Path(kept, "bearing.pem")
        reply.write_bytes(answer)
        bearing.write_bytes(own)
        trusted = ("-CAfile", str(authorities or bearing))
        partial = () if authorities else ("-partial_chain",)
        at = ("-attime", str(int(moment.timestamp())))  # the certificate may have ended since
        try:
            _openssl("-verify", *of, "-in", str(reply), *trusted, *partial, *at)
        except InputError as error:
            raise NotStamped(str(error)) from None
    return moment


def _certificates(token: cms.SignedData) -> bytes:
    """Those that a time stamp bears, PEM."""
    return b"".join(
        x509.load_der_x509_certificate(one.chosen.dump()).public_bytes(Encoding.PEM)
        for one in token["certificates"]
    )


def _openssl(*words: str) -> bytes:
    """What `openssl ts` answers.

    Raises:
        InputError: it does not, with its own words.
    """
    try:
        done = subprocess.run(
            ["openssl", "ts", *words],
            env=without_secrets("OPENSSL_CONF", "OPENSSL_MODULES"),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except FileNotFoundError:
        raise InputError(
            "openssl is needed for time stamps, and is not there (apt-get install openssl)."
        ) from None
    if done.returncode:
        raise InputError(_reason(done.stderr.decode(errors="replace")))
    return done.stdout


def _reason(words: str) -> str:
    """OpenSSL's own reason: the part of its last line that is written for people."""
    lines = words.strip().splitlines()
    with suppress(IndexError):
        return lines[-1].split(":")[5] or lines[-1]
    return lines[-1] if lines else "openssl says nothing more"
