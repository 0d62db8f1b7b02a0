"""Client of the FortiOS REST API: one kept-alive connection, the token, time-outs, bounded retries.

Paths are those of the API reference: ``firewall/policy`` under ``/api/v2/cmdb``, ``system/status``
under ``/api/v2/monitor``. What the device answers is unpacked to its ``results``.
"""

from __future__ import annotations

import base64
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import requests

from gatepass.base.printable import printable
from gatepass.base.waiting import until
from gatepass.gateway import transport
from gatepass.gateway.answers import (
    BROKEN_TLS,
    SERIAL,
    AnotherDevice,
    GatewayLost,
    Malformed,
    Refused,
    Unanswered,
    broken,
    error_number,
    refusal,
    root_of,
    rows_of,
    shaped,
    transient,
    validated,
)
from gatepass.gateway.backup import backup_of
from gatepass.gateway.declared import Declared
from gatepass.gateway.pages import whole
from gatepass.gateway.shown import SETTINGS, must_be_whole
from gatepass.gateway.tables import LogAnswer, mkey_of, must_be_answer, must_be_rows, of_domain
from gatepass.gateway.transport import Answer

DUPLICATE = -5
_DIVIDED = ("multi-vdom", "split-vdom")
_BACK_OFF_S = (0.2, 0.5, 1.0, 2.0, 4.0)
_LOST_S = 3
_WHO = "monitor/system/status"


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

    Attributes:
        serial: of the device that answered first.
        other: what another one said that answered since; nothing more is sent then.
        forbidden: the last change that the API user had no right to, in a sentence.
        answered_s: the middle of the last call by this machine's clock, in seconds since 1970.
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
    serial: str = field(default="", init=False)
    other: str = field(default="", init=False)
    forbidden: str = field(default="", init=False)
    answered_s: float = field(default=0.0, init=False)
    _declared: dict[str, Declared] = field(default_factory=dict, init=False, repr=False)
    _unanswered: set[str] = field(default_factory=set, init=False, repr=False)

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
        """The rows of a table (or the one of a singleton); `query` as filter=, format=, …

        Raises:
            Refused: it may not be read; with status 403 also where settings come in part.
        """
        call = f"GET cmdb/{path}"
        answer = self._cmdb("GET", path, query=query)
        if "count" not in query:  # whoever wants the first alone says so

            def more(start: int) -> dict:
                return self._cmdb("GET", path, query={**query, "start": start})

            answer = whole(answer, more, call)
        rows = rows_of(answer, call)
        shown = str(query.get("format", ""))
        must_be_rows(path, rows, shown)
        if path in SETTINGS and not shown:
            must_be_whole(path, rows)
        return rows

    def rows_if_any(self, path: str) -> list[dict]:
        """The rows of a table; none where the model lacks the table.

        Raises:
            Refused: for any other reason, a missing right among them.
        """
        try:
            return self.rows(path)
        except Refused as refused:
            if refused.lacking:
                return []
            raise

    def single(self, path: str, **query: object) -> dict:
        """The one row of a table that has no other.

        Raises:
            Malformed: it has none, or several.
        """
        rows = self.rows(path, **query)
        if len(rows) != 1:
            raise Malformed(f"the gateway answers GET cmdb/{path} with {len(rows)} rows, not one.")
        return rows[0]

    def row(self, path: str, mkey: str | int) -> dict | None:
        """One row by its key; None where the table has none of that key."""
        try:
            found = self.rows(_join(path, mkey))
        except Refused as refused:
            if refused.lacking:
                return None
            raise
        if found and str(found[0].get(mkey_of(path), mkey)) != str(mkey):
            raise Malformed(f"the gateway answers GET cmdb/{path} for {mkey} with another object.")
        return found[0] if found else None

    def declared(self, path: str) -> Declared:
        """What this device tells of a table's attributes; asked once."""
        if path not in self._declared:
            try:
                told = self._cmdb("GET", path, query={"action": "schema"}).get("results")
            except Refused:
                told = None
            self._declared[path] = Declared(path, told if isinstance(told, dict) else None)
        return self._declared[path]

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
            if not refused.lacking:
                raise

    def move(self, path: str, mkey: str | int, before: str | int) -> None:
        """Put a row right before another: the order of rows is the order of evaluation."""
        self._cmdb("PUT", _join(path, mkey), query={"action": "move", "before": before})

    @contextmanager
    def transaction(self, timeout_s: int = 120) -> Iterator[None]:
        """All writes inside are committed together, or none (FortiOS 6.4 and later)."""
        answer = self._cmdb("POST", "", {"action": "transaction-start"}, {"timeout": timeout_s})
        begun = shaped(answer.get("results"), dict, "POST transaction-start")
        number = begun.get("transaction-id")
        if not isinstance(number, int):
            raise Malformed("the gateway started a transaction but reported no number for it.")
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
            return self.single("system/global", format="vdom-mode").get("vdom-mode") in _DIVIDED
        except Refused:
            return False

    def run_script(self, name: str, text: str) -> None:
        """Upload a FortiOS CLI script, which the device runs at once.

        Raises:
            Refused: the device has several VDOMs; a script runs outside all of them.
        """
        if self.has_vdoms:
            words = f"{self.url} has several VDOMs and does not accept a script for one of them."
            raise Refused(words, status=405)
        content = base64.b64encode(text.encode()).decode()
        self.monitor(
            "system/config-script/upload",
            body={"filename": name, "file_content": content},
            timeout_s=self.script_timeout_s,
        )

    def backup(self) -> str:
        """The running configuration as FortiOS CLI text; it holds (encrypted) secrets.

        What is no UTF-8 in it stands as surrogates, so that it can be written as it came.
        """
        scope = {"destination": "file", "scope": "global"}
        response = self._call("POST", "monitor/system/config/backup", {}, scope, None)
        if response.status == 405:  # before 7.4 the same call is a GET
            response = self._call("GET", "monitor/system/config/backup", scope, None, None)
        if response.status == 401:
            self._unpack(response)
        return backup_of(response, self.url)

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

        def ask(**more: object) -> dict:
            asked = {**query, **more}
            return self._unpack(self._call(method, f"monitor/{path}", asked, body, timeout_s))

        answer = ask()
        if method == "GET" and "count" not in query:
            answer = whole(answer, lambda start: ask(start=start), f"GET monitor/{path}")
        must_be_answer(path, answer)
        return answer

    def interfaces(self) -> dict[str, dict]:
        """State, addresses and counters of all ports by name, VLANs and aggregates among them."""
        asked = {"include_vlan": "true", "include_aggregate": "true"}
        return self.monitor("system/interface", **asked)["results"]

    def port_address(self, port: str) -> str:
        """The device's IPv4 address on one of its ports.

        Raises:
            Refused: it tells none.
        """
        address = self.interfaces().get(port, {}).get("ip")
        if address in (None, "", "0.0.0.0"):
            raise Refused(
                f"The gateway reports no address of its port {port}; check the ports in the "
                "testbed file."
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
            found = validated(LogAnswer, answer, f"GET log/{path}")
            rows = found.results or []
            if found.session_id:
                query["session_id"] = found.session_id
            return found.completed >= 100

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
    ) -> Answer:
        """One call, tried again with growing pauses while the device is busy or the line breaks.

        Raises:
            Unanswered: it answers this question with 500 each time, and others.
            GatewayLost: it answers none.
        """
        if self.other:
            raise AnotherDevice(self.other)
        url = f"{self.url.rstrip('/')}/api/v2/{path}"
        query = of_domain(path, self.vdom, query or {})
        allowed_s = timeout_s or self.timeout_s
        if self.lost:  # one short try, so that a run without its gateway comes to its end
            allowed_s = min(allowed_s, _LOST_S)
        was_lost = self.lost
        hurry = was_lost or path in self._unanswered
        give_up = time.monotonic() + (0 if hurry else self.patience_s)
        self._repeated = False
        for pause_s in (*_BACK_OFF_S, None):
            status = 0
            try:
                response = transport.call(
                    self._session, method, url, allowed_s, params=query, json=body
                )
                status, problem = response.status, transient(response)
            except requests.exceptions.SSLError as error:
                problem = broken(error, allowed_s)
                if not isinstance(root_of(error), BROKEN_TLS):  # the same again at each try
                    self.lost = f"{problem}; its certificate must chain to {self.ca_file}"
                    raise GatewayLost(self._lost_sentence(method, path)) from error
            except requests.exceptions.RequestException as error:
                problem = broken(error, allowed_s)
            if not problem:
                self.lost = ""
                self._unanswered.discard(path)
                self.answered_s = response.sent_s + response.took_s / 2
                return response
            if pause_s is None or time.monotonic() + pause_s > give_up:
                break
            self.retries += 1
            self._repeated = True
            transport.current.pause(pause_s * random.uniform(0.8, 1.2))
        self.lost = problem
        lost = GatewayLost(self._lost_sentence(method, path))
        one_alone = status >= 500 and method == "GET" and path != _WHO and not was_lost
        if one_alone and self._answers_others():
            self._unanswered.add(path)
            raise Unanswered(method, path, status)
        raise lost

    def _answers_others(self) -> bool:
        """Whether it is this one question that the device has no answer to."""
        lost = self.lost
        try:
            self._unpack(self._call("GET", _WHO, None, None, None))
        except (GatewayLost, Refused):
            self.lost = lost
            return False
        return True

    def _must_be_the_same(self, answer: dict, response: Answer) -> None:
        """FortiOS ends each answer with the device's serial number."""
        serial = answer.get("serial")
        if not self.serial and serial is not None:
            if not isinstance(serial, str) or not re.fullmatch(SERIAL, serial):
                raise Malformed(f"the gateway reports an invalid serial number: {serial!r}.")
            self.serial = serial
        elif self.serial and serial is None and not response.path.endswith(_WHO):
            self._unpack(self._call("GET", _WHO, None, None, None))  # which tells who answers
        elif self.serial and serial != self.serial:
            came = str(serial)[:40] if serial else "a device that reports no serial number"
            self.other = printable(
                f"another device answers at {self.url}: {response.method} {response.path} came "
                f"from {came}, and this run began with {self.serial}. Nothing more was sent to it."
            )
            raise AnotherDevice(self.other)

    def _lost_sentence(self, method: str, path: str) -> str:
        return f"the gateway's REST API at {self.url} ({method} {path}): {self.lost}."

    def _unpack(self, response: Answer) -> dict:
        try:
            answer = response.json()
        except ValueError:
            answer = None  # a log-in page, a proxy's page: whoever answers, nothing was done
        good = 200 <= response.status < 300 and isinstance(answer, dict)
        if good and answer:
            self._must_be_the_same(answer, response)
        if good and not answer:
            raise Malformed(
                f"the gateway's answer to {response.method} {response.path} is empty (HTTP "
                f"{response.status}), so it is not known whether the call was carried out."
            )
        if good and answer.get("status") != "error":
            return answer
        sentence = refusal(response, answer, known=bool(self.serial))
        if response.status in (401, 403) and response.method != "GET":
            self.forbidden = sentence
        raise Refused(sentence, code=error_number(answer), status=response.status)


def _join(path: str, mkey: str | int) -> str:
    """The path of one row. Without a key it would be the path of the whole table."""
    if str(mkey) in ("", ".", ".."):
        raise ValueError(f"a row of {path} needs a key, not {mkey!r}")
    return f"{path}/{quote(str(mkey), safe='')}"
