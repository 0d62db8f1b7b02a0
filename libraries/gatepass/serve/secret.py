"""The secret of a server on the loopback, which other users of the machine reach but may not read.

It stands in the address that is printed, once; the browser keeps it as a cookie, as Jupyter's does.
Pages that runs have left are in a box of their own (Content Security Policy, ``sandbox``), out of
which a browser sends no such cookie: a link from one of them to another bears a key instead, which
opens the files of that run alone.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

from aiohttp import web

QUESTION = "token"
"""What the secret is called in the address that is printed."""
_BYTES = 32


class Secret:
    """One server's own, new at each start."""

    def __init__(self) -> None:
        self._token = secrets.token_urlsafe(_BYTES)
        # cookies are of a host, whatever the port: two servers must not take each other's away
        self._cookie = f"gatepass-{sha256(self._token.encode()).hexdigest()[:8]}"

    def address(self, base: str) -> str:
        """What is printed.

        Args:
            base: where the server listens: ``http://127.0.0.1:8471/``.
        """
        return f"{base}?{QUESTION}={self._token}"

    def is_asked_with(self, request: web.BaseRequest) -> bool:
        """Whether the address that was asked for bears it."""
        return _equal(request.query.get(QUESTION, ""), self._token)

    def is_kept_by(self, request: web.BaseRequest) -> bool:
        """Whether the browser has it as a cookie."""
        return _equal(request.cookies.get(self._cookie, ""), self._token)

    def give_to(self, answer: web.StreamResponse) -> None:
        """Have the browser keep it until it is closed; no script and no other site gets it."""
        answer.set_cookie(self._cookie, self._token, path="/", httponly=True, samesite="Strict")

    def key_of(self, run: str) -> str:
        """What opens the files of one run, or of one fleet.

        Args:
            run: the first folder of its path below the results.
        """
        return hmac.digest(self._token.encode(), run.encode(errors="replace"), "sha256").hex()

    def is_key_of(self, run: str, key: str) -> bool:
        """Whether a key opens the files of a run."""
        return _equal(key, self.key_of(run))


def _equal(given: str, right: str) -> bool:
    """In a time that tells nothing about how much of it is right."""
    return hmac.compare_digest(given.encode(errors="replace"), right.encode())
