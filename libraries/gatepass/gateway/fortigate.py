"""Client of the FortiOS REST API: one kept-alive connection, the token, time-outs, bounded retries.

Paths are those of the API reference: ``firewall/policy`` under ``/api/v2/cmdb``, ``system/status``
under ``/api/v2/monitor``. What the device answers is unpacked to its ``results``.
"""

from __future__ import annotations

import base64
import random
import re
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import requests

from gatepass.base.waiting import until

DUPLICATE, NOT_FOUND = -5, -3
_DIVIDED = ("multi-vdom", "split-vdom")
_BACK_OFF_S = (0.2, 0.5, 1.0, 2.0, 4.0)
_LOST_S = 3
_BROKEN_TLS = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionError)


class GatewayLost(Exception):
    """The API gave no usable answer within the time allowed: the rig cannot tell why."""


class Refused(Exception):
    """The device understood the call and refused it.

    Attributes:
        code: FortiOS' own error number (-5 duplicate, -23 in use, …), or 0.
        status: the HTTP status.
    """

    def __init__(self, message: str, code: int = 0, status: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


@dataclass
class FortiGate:
    """A FortiGate behind its REST API.

    Args:
        url: ``https://host[:port]``.
        token: of an ``api-user``; never shown in any message.
        ca_file: the certificate that the device's own must chain to.
        vdom: the virtual domain that every call is about.
        timeout_s: for one answer, in seconds; a script upload gets `script_timeout_s`.
        patience_s: how long one call is tried again after 429, 5xx or a broken connection.
    """

    url: str
    token: str = field(repr=False)
    ca_file: Path
    vdom: str = "root"
    timeout_s: float = 10
    script_timeout_s: float = 180
    patience_s: float = 15
    retries: int = field(default=0, init=False)
    lost: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self._session = requests.Session()
        self._session.trust_env = False  # a proxy of the environment must not see the token
        self._session.verify = str(self.ca_file)
        self._session.headers["Authorization"] = f"Bearer {self.token}"

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    # -- configuration -----------------------------------------------------------------------

    def rows(self, path: str, **query: object) -> list[dict]:
        """The rows of a table (or the one of a singleton); `query` as filter=, format=, …"""
        results = self._cmdb("GET", path, query=query)["results"]
        return results if isinstance(results, list) else [results]

    def row(self, path: str, mkey: str | int) -> dict | None:
        """One row by its key; None where the table has none of that key."""
        try:
            found = self.rows(_join(path, mkey))
            return found[0] if found else None
        except Refused as refused:
            if refused.status == 404 or refused.code == NOT_FOUND:
                return None
            raise

    def create(self, path: str, row: dict) -> str:
        """Create a row; its key. A repeated call after a broken connection is no duplicate."""
        try:
            return str(self._cmdb("POST", path, body=row).get("mkey", ""))
        except Refused as refused:
            # the first try went through although its answer was lost
            if refused.code == DUPLICATE and self._repeated:
                return str(row.get("name", ""))
            raise

    def change(self, path: str, mkey: str | int | None, values: dict) -> None:
        """Set attributes of a row, or of a singleton where `mkey` is None."""
        self._cmdb("PUT", path if mkey is None else _join(path, mkey), body=values)

    def delete(self, path: str, mkey: str | int) -> None:
        """Delete a row; one that is gone already is no error."""
        try:
            self._cmdb("DELETE", _join(path, mkey))
        except Refused as refused:
            if refused.status != 404 and refused.code != NOT_FOUND:
                raise

    def move(self, path: str, mkey: str | int, before: str | int) -> None:
        """Put a row right before another: the order of rows is the order of evaluation."""
        self._cmdb("PUT", _join(path, mkey), query={"action": "move", "before": before})

    @contextmanager
    def transaction(self, timeout_s: int = 120) -> Iterator[None]:
        """All writes inside are committed together, or none (FortiOS 6.4 and later)."""
        answer = self._cmdb("POST", "", {"action": "transaction-start"}, {"timeout": timeout_s})
        number = answer["results"]["transaction-id"]
        self._session.headers["X-TRANSACTION-ID"] = str(number)
        try:
            yield
        except BaseException:
            # the device ends it by itself after its time-out; what went wrong inside matters more
            with suppress(GatewayLost, Refused):
                self._end_transaction("transaction-abort", number)
            raise
        self._end_transaction("transaction-commit", number)

    def _end_transaction(self, action: str, number: int) -> None:
        self._session.headers.pop("X-TRANSACTION-ID", None)
        self._cmdb("POST", "", {"action": action}, {"transaction-id": number})

    @cached_property
    def has_vdoms(self) -> bool:
        """Whether the device is divided into virtual domains, as far as this user may know."""
        try:
            return self.rows("system/global", format="vdom-mode")[0].get("vdom-mode") in _DIVIDED
        except Refused:
            return False

    def run_script(self, name: str, text: str) -> None:
        """Upload a FortiOS CLI script, which the device runs at once.

        Raises:
            Refused: the device has several VDOMs; a script runs outside all of them.
        """
        if self.has_vdoms:
            raise Refused(f"{self.url} has several VDOMs and takes no script for one.", status=405)
        content = base64.b64encode(text.encode()).decode()
        self.monitor(
            "system/config-script/upload",
            body={"filename": name, "file_content": content},
            timeout_s=self.script_timeout_s,
        )

    def backup(self) -> str:
        """The running configuration as FortiOS CLI text; it holds (encrypted) secrets."""
        scope = {"destination": "file", "scope": "global"}
        response = self._call("POST", "monitor/system/config/backup", {}, scope, None)
        if response.status_code == 405:  # before 7.4 the same call is a GET
            response = self._call("GET", "monitor/system/config/backup", scope, None, None)
        if response.status_code == 401:
            self._unpack(response)
        text = response.content.decode(errors="replace")
        if not text.startswith("#config-version"):
            raise Refused(
                f"{self.url} gave no backup of its configuration (HTTP {response.status_code}). "
                "Give the API user read access to the maintenance group (mntgrp).",
                status=response.status_code,
            )
        return text

    # -- monitors ----------------------------------------------------------------------------

    def monitor(
        self,
        path: str,
        *,
        body: dict | None = None,
        timeout_s: float | None = None,
        **query: object,
    ) -> dict:
        """The whole answer of a monitor; POST where a body is given, else GET."""
        method = "GET" if body is None else "POST"
        return self._unpack(self._call(method, f"monitor/{path}", query, body, timeout_s))

    def port_address(self, port: str) -> str:
        """The device's IPv4 address on one of its ports.

        Raises:
            Refused: it tells none.
        """
        address = self.monitor("system/interface")["results"].get(port, {}).get("ip")
        if not address:
            raise Refused(
                f"The gateway tells no address of its port {port}; check the ports in the testbed "
                "file."
            )
        return address

    # -- log ---------------------------------------------------------------------------------

    def log(self, path: str, **query: object) -> list[dict]:
        """The rows of a log, newest first.

        Args:
            path: device and type: ``memory/virus``.
            query: rows=, filter=, …

        The device looks for them in the background: until it is done, it is asked again.
        """
        rows: list[dict] = []

        def done() -> bool:
            nonlocal rows
            answer = self._unpack(self._call("GET", f"log/{path}", query, None, None))
            rows = answer.get("results") or []
            if number := answer.get("session_id"):
                query["session_id"] = number
            return int(answer.get("completed", 100)) >= 100

        until(done, self.timeout_s)
        return rows

    # -- transport ---------------------------------------------------------------------------

    def _cmdb(
        self, method: str, path: str, query: dict | None = None, body: dict | None = None
    ) -> dict:
        return self._unpack(self._call(method, f"cmdb/{path}".rstrip("/"), query, body, None))

    def _call(
        self,
        method: str,
        path: str,
        query: dict | None,
        body: dict | None,
        timeout_s: float | None,
    ) -> requests.Response:
        """One call, tried again with growing pauses while the device is busy or the line breaks."""
        url = f"{self.url.rstrip('/')}/api/v2/{path}"
        allowed_s = timeout_s or self.timeout_s
        if self.lost:  # one short try, so that a run without its gateway comes to its end
            allowed_s = min(allowed_s, _LOST_S)
        give_up = time.monotonic() + (0 if self.lost else self.patience_s)
        self._repeated = False
        for pause_s in (*_BACK_OFF_S, None):
            try:
                response = self._session.request(
                    method,
                    url,
                    params={"vdom": self.vdom, **(query or {})},
                    json=body,
                    timeout=(min(5, allowed_s), allowed_s),
                    allow_redirects=False,
                )
                problem = _transient(response)
            except requests.exceptions.SSLError as error:
                problem = broken(error, allowed_s)
                if not isinstance(_root(error), _BROKEN_TLS):  # the same again at each try
                    self.lost = f"{problem}; its certificate must chain to {self.ca_file}"
                    raise GatewayLost(self._lost_sentence(method, path)) from error
            except requests.exceptions.RequestException as error:
                problem = broken(error, allowed_s)
            if not problem:
                self.lost = ""
                return response
            if pause_s is None or time.monotonic() + pause_s > give_up:
                break
            self.retries += 1
            self._repeated = True
            time.sleep(pause_s * random.uniform(0.8, 1.2))
        self.lost = problem
        raise GatewayLost(self._lost_sentence(method, path))

    def _lost_sentence(self, method: str, path: str) -> str:
        return f"the gateway's REST API at {self.url} ({method} {path}): {self.lost}."

    def _unpack(self, response: requests.Response) -> dict:
        try:
            answer = response.json() if response.content else {}
        except ValueError:
            answer = None  # a log-in page, a proxy's page: whoever answers, nothing was done
        good = 200 <= response.status_code < 300 and isinstance(answer, dict)
        if good and answer.get("status") != "error":
            return answer
        raise Refused(
            _refusal(response, answer),
            code=_number(answer),
            status=response.status_code,
        )


def _join(path: str, mkey: str | int) -> str:
    """The path of one row. Without a key it would be the path of the whole table."""
    if str(mkey) in ("", ".", ".."):
        raise ValueError(f"a row of {path} needs a key, not {mkey!r}")
    return f"{path}/{quote(str(mkey), safe='')}"


def _number(answer: object) -> int:
    code = answer.get("error", 0) if isinstance(answer, dict) else 0
    return code if isinstance(code, int) else 0


def _transient(response: requests.Response) -> str:
    """Why the call is worth another try; empty where the answer stands.

    FortiOS answers a refused command with 500 and an error number of the CLI: that one is final.
    """
    if response.status_code == 429:
        return "it answers 429: locked out after failed logins, or too many calls"
    if response.status_code >= 500:
        try:
            final = _number(response.json()) != 0
        except ValueError:
            final = False
        return "" if final else f"it answers HTTP {response.status_code} and gives no reason"
    return ""


def broken(error: Exception, timeout_s: float) -> str:
    """Why a call got no answer, in words.

    Args:
        error: of requests.
        timeout_s: how long an answer was waited for.
    """
    if isinstance(error, requests.exceptions.SSLError):
        return f"the TLS connection failed ({_innermost(error)})"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "it broke the connection off in the middle of its answer"
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return "no connection comes about; is the address right, does a firewall stand between"
    if isinstance(error, requests.exceptions.Timeout):
        # urllib3 tells how long it was: for the TLS handshake less than for an answer
        match = re.search(r"read timeout=([\d.]+)", str(error))
        return f"connected, but no answer within {float(match[1]) if match else timeout_s:g} s"
    return f"the connection broke ({_innermost(error)})"


def _root(error: BaseException) -> BaseException:
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return error


def _innermost(error: BaseException) -> str:
    root = _root(error)
    return str(root.args[-1] if root.args else root)


def _refusal(response: requests.Response, answer: object) -> str:
    """One sentence for a refused call; the CLI's own words where it gave some."""
    what = f"{response.request.method} {response.request.path_url.split('?')[0]}"
    if response.status_code == 401:
        return (
            f"The gateway refuses the API token (401 on {what}). Check the token and that the "
            "API user's trusted hosts hold this machine's address."
        )
    if response.status_code == 403:
        return f"The API user may not do this (403 on {what}). Widen its access profile."
    if response.status_code < 400 and not (answer and isinstance(answer, dict)):
        return (
            f"What answers {what} (HTTP {response.status_code}) is not the REST API. Check the "
            "gateway's url in the testbed file."
        )
    reason = str(answer.get("cli_error", "")) if isinstance(answer, dict) else ""
    words = " ".join(reason.split()).rstrip(".") or f"error {_number(answer)}"
    return f"The gateway refuses {what} (HTTP {response.status_code}): {words}."
