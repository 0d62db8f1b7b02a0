"""Sessions of the gateway's web page over HTTP: whether one is open, and its end.

The page's own log-in is a POST to `/logincheck`, from FortiOS 7.6.3 on to `/api/v2/authentication`
(release notes of 7.6.3); both set cookies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import requests

from gatepass.base.errors import NotProven

if TYPE_CHECKING:  # who only ends a session needs none of it
    from gatepass.inputs.testbed import TestbedGateway

LAST_LOGINCHECK = (7, 6, 2)
"""From 7.6.3 on it yields no session."""
STATE = "/api/v2/monitor/web-ui/state"
"""What the page asks first of all, and every administrator may."""
_NO_SESSION = {301, 302, 303, 307, 401, 403}


@dataclass(frozen=True)
class Gui:
    """Where the page is, and by which certificate it is known.

    Attributes:
        url: without a slash at the end.
        ca_file: that its certificate chains to.
        timeout_s: for a connection, and for each piece of an answer.
    """

    url: str
    ca_file: str
    timeout_s: tuple[float, float] = (5, 10)

    @classmethod
    def of(cls, gateway: TestbedGateway) -> Gui:
        """That of a testbed's gateway."""
        return cls(gateway.url, str(gateway.ca_file))

    def get(self, path: str, cookies: Mapping[str, str] | None = None) -> requests.Response:
        """One page as it comes, wherever it leads.

        Raises:
            NotProven: there is no answer.
        """
        return self._ask("GET", path, cookies or {})

    def is_open(self, cookies: Mapping[str, str]) -> bool:
        """Whether cookies are worth a session.

        Raises:
            NotProven: the answer says neither.
        """
        answer = self.get(STATE, cookies)
        if answer.status_code == 200:
            return True
        if answer.status_code in _NO_SESSION:
            return False
        raise NotProven(
            f"the gateway answers HTTP {answer.status_code} to a call with the session's cookies, "
            "which shows neither that the session is open nor that it has ended."
        )

    def end(self, cookies: Mapping[str, str]) -> None:
        """Log out.

        Raises:
            NotProven: the gateway takes no such call.
        """
        token = next((value for name, value in cookies.items() if "csrf" in name), "")
        answer = self._ask("POST", "/logout", cookies, headers={"X-CSRFTOKEN": token.strip('"')})
        if answer.status_code >= 400:
            raise NotProven(f"the gateway answers HTTP {answer.status_code} to /logout.")

    def log_in(self, name: str, password: str, release: tuple[int, ...]) -> dict[str, str]:
        """Begin a session as the page does; its cookies, none where it is refused.

        Args:
            name, password: of an administrator.
            release: of FortiOS, as numbers.
        """
        if release > LAST_LOGINCHECK:
            fields = {"ack_pre_disclaimer": True, "ack_post_disclaimer": True}
            body = {"json": {"username": name, "secretkey": password} | fields}
            answer = self._ask("POST", "/api/v2/authentication", {}, **body)
        else:
            body = {"data": {"username": name, "secretkey": password, "ajax": "1"}}
            answer = self._ask("POST", "/logincheck", {}, **body)
        return answer.cookies.get_dict()

    def _ask(
        self, method: str, path: str, cookies: Mapping[str, str], **more: object
    ) -> requests.Response:
        with requests.Session() as session:
            session.trust_env, session.verify = False, self.ca_file
            if cookies:  # as they came: a cookie jar would quote them anew
                told = "; ".join(f"{name}={value}" for name, value in cookies.items())
                more["headers"] = {**more.get("headers", {}), "Cookie": told}  # type: ignore[dict-item]
            try:
                return session.request(
                    method, self.url + path, timeout=self.timeout_s, allow_redirects=False, **more
                )
            except requests.exceptions.RequestException as error:
                raise NotProven(
                    f"the gateway's web page gives no answer ({type(error).__name__})."
                ) from error


@dataclass(frozen=True)
class OpenSession:
    """A session that nobody uses.

    Attributes:
        gui: where.
        cookies: of it.
        begun: when, by the clock that only counts, in seconds.
    """

    gui: Gui
    cookies: Mapping[str, str] = field(repr=False)
    begun: float
