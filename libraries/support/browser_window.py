"""A window of Chromium, driven by the Browser library; a `gatepass.gui.window.Window`."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from robot.errors import RobotError

from gatepass.base.chromium import INSTALL, chromium
from gatepass.base.confined import confined, written
from gatepass.base.environment import without_secrets
from gatepass.base.errors import NotProven
from gatepass.gui.session import Gui
from gatepass.gui.warden import program
from gatepass.gui.window import Cookie

if TYPE_CHECKING:
    from Browser import Browser

_START_S, _STEP_S, _END_S = 30, 20, 10
_TOO_LATE, _CERTIFICATE = "TimeoutError", re.compile(r"ERR_CERT_\w+|ERR_SSL_\w*PIN\w*")
"""How Playwright says that something did not come in time, and Chromium what it minds."""
_VIEW = {"width": 1280, "height": 800}
_ABSENT = (
    f"no browser can be started here: {{why}}. Install Chromium ({INSTALL}), and what "
    "requirements.txt names."
)


class OtherCertificate(AssertionError):
    """The gateway's web page came with a certificate that the browser does not take."""


class Warden:
    """The process that ends browser and sessions with this one; see `gatepass.gui.warden`.

    Attributes:
        socket: path of the one over which the browser is driven.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gatepass.gui.warden"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=without_secrets(),
            start_new_session=True,
        )
        self._to: IO[bytes] = self._process.stdin  # type: ignore[assignment]
        assert self._process.stdout is not None
        with self._process.stdout as words:
            self.socket = words.readline().decode().strip()

    def tell(self, **told: object) -> None:
        """Hand it something over."""
        try:
            self._to.write(json.dumps(told).encode() + b"\n")
            self._to.flush()
        except OSError as error:
            raise NotProven(
                f"the program that ends the browser has ended itself ({error})."
            ) from error

    def keep(self, gui: Gui, cookies: Mapping[str, str]) -> None:
        """Have a session logged out at the end."""
        self.tell(session={"url": gui.url, "ca_file": gui.ca_file, "cookies": dict(cookies)})

    def end(self) -> None:
        """Have it end everything, and wait for that."""
        with suppress(OSError):
            self._to.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()


def _by_browser(function: Callable) -> Callable:
    """What the Browser library raises is the rig's: what should be in sight is asked for."""

    @functools.wraps(function)
    def guarded(self: BrowserWindow, *args: Any) -> Any:
        try:
            return function(self, *args)
        except (RobotError, NotProven, OtherCertificate):
            raise
        except Exception as error:
            first = str(error).strip().splitlines()[0] if str(error).strip() else ""
            raise NotProven(f"the browser did not work: {first or type(error).__name__}") from error

    return guarded


class BrowserWindow:
    """Chromium with one window.

    Args:
        warden: that ends it.
        pin: of the one key that a certificate may have which the browser does not know by itself
            (SHA-256 in base64); empty for none.

    Raises:
        NotProven: there is no browser, or it does not start.
    """

    def __init__(self, warden: Warden, pin: str) -> None:
        try:
            from Browser import SupportedBrowsers

            self._browser = _server_of(warden)
            self._folder = Path(warden.socket).parent
            self._browser.new_browser(
                SupportedBrowsers.chromium,
                headless=True,
                executablePath=chromium(),
                chromiumSandbox=confined(program()[0]).sandbox,  # which root cannot have
                args=[f"--ignore-certificate-errors-spki-list={pin}", "--disable-dev-shm-usage"],
                timeout=timedelta(seconds=_START_S),
            )
            self._browser.new_context(viewport=_VIEW)
            self._browser.new_page()
        except (RobotError, NotProven):
            raise
        except Exception as error:
            why = str(error).strip().partition("\n")[0] or type(error).__name__
            raise NotProven(_ABSENT.format(why=why.rstrip("."))) from error

    @_by_browser
    def begin_anew(self) -> None:
        """See `Window`."""
        self._browser.close_context()
        self._browser.new_context(viewport=_VIEW)
        self._browser.new_page()

    @_by_browser
    def go(self, url: str) -> None:
        """See `Window`."""
        from Browser.utils.data_types import PageLoadStates

        try:
            self._browser.go_to(url, wait_until=PageLoadStates.commit)
        except RobotError:
            raise
        except Exception as error:
            if refused := _CERTIFICATE.search(str(error)):
                raise OtherCertificate(
                    f"At {url} Chromium meets another certificate than the pinned one "
                    f"({refused[0]})."
                ) from None
            raise

    @_by_browser
    def is_shown(self, selector: str, within_s: float) -> bool:
        """See `Window`."""
        return self._comes(selector, "visible", within_s)

    @_by_browser
    def is_gone(self, selector: str, within_s: float) -> bool:
        """See `Window`."""
        return self._comes(selector, "hidden", within_s)

    def _comes(self, selector: str, state: str, within_s: float) -> bool:
        from Browser import ElementState

        limit = timedelta(seconds=max(within_s, 0.001))
        try:
            self._browser.wait_for_elements_state(selector, ElementState[state], timeout=limit)
        except RobotError:
            raise
        except Exception as error:
            if not str(error).startswith(_TOO_LATE):
                raise
            return False
        return True

    @_by_browser
    def click(self, selector: str) -> None:
        """See `Window`."""
        self._browser.click(selector)

    @_by_browser
    def fill(self, selector: str, text: str) -> None:
        """See `Window`."""
        self._browser.fill_text(selector, text)

    @_by_browser
    def fill_secret(self, selector: str, secret: str) -> None:
        """See `Window`."""
        from robot.api.types import Secret

        self._browser.fill_secret(selector, Secret(secret))

    @_by_browser
    def press(self, selector: str, key: str) -> None:
        """See `Window`."""
        self._browser.press_keys(selector, key)

    @_by_browser
    def run(self, script: str, selector: str = "") -> object:
        """See `Window`."""
        return self._browser.evaluate_javascript(selector or None, script)

    @property
    @_by_browser
    def cookies(self) -> Sequence[Cookie]:
        """See `Window`."""
        return [
            Cookie(
                one["name"],
                one["value"],
                bool(one.get("httpOnly")),
                bool(one.get("secure")),
                str(one.get("sameSite") or ""),
            )
            for one in self._browser.get_cookies()
        ]

    @property
    @_by_browser
    def errors(self) -> Sequence[str]:
        """See `Window`."""
        found = self._browser.get_page_errors(full=True)
        return [str(one.get("message") or one) for one in found]

    @_by_browser
    def picture(self, to: Path) -> None:
        """See `Window`."""
        from Browser.utils.data_types import ScreenshotReturnType

        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        taken = self._folder / "picture.png"
        self._browser.take_screenshot(
            str(taken.with_suffix("")),
            mask=["input[type=password]"],
            log_screenshot=False,
            return_as=ScreenshotReturnType.path,
        )
        if not (picture := written(taken)):
            raise NotProven("the browser took no picture of the gateway's web page.")
        to.write_bytes(picture)
        to.chmod(0o600)  # it shows the customer's policies
        taken.unlink(missing_ok=True)

    def close(self) -> None:
        """End it."""
        with suppress(Exception):  # what does not end by itself the warden kills
            self._browser.playwright.close()


def _server_of(warden: Warden) -> Browser:
    """The library, with its server of Playwright in the warden's care."""
    from Browser import Browser
    from Browser.utils.data_types import PlaywrightLogTypes

    warden.tell(browser=True)
    return Browser(
        playwright_process_host="unix",  # gRPC joins the two with a colon
        playwright_process_port=warden.socket,  # type: ignore[arg-type]
        enable_playwright_debug=PlaywrightLogTypes.disabled,  # it would hold what is typed
        run_on_failure=None,
        strict=False,  # of several that a person might mean, the first
        timeout=timedelta(seconds=_STEP_S),
        retry_assertions_for=timedelta(0),
    )
