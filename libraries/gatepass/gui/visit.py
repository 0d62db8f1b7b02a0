"""Logging in to the web page with a browser, by what FortiOS's page has."""

from __future__ import annotations

import time
from collections.abc import Mapping

from gatepass.base.errors import NotProven
from gatepass.gui.window import Window

USERNAME, PASSWORD, LOGIN = "id=username", "id=secretkey", "id=login_button"
"""The form's (FortiOS)."""
REFUSED = "text=/authentication failure|login fail|incorrect|invalid|denied|not authorized/i"
ASIDE = "role=button[name=/^(later|skip|not now|remind me later|ok|close|dismiss)$/i] >> nth=0"
"""What puts aside the dialogs that a new device opens with."""
PATIENCE_S = 20.0
"""For what nothing is measured of."""
_GLANCE_S = 0.15


def open_log_in(window: Window, url: str) -> None:
    """Load the page as somebody without a session.

    Raises:
        NotProven: there is no form to log in.
    """
    window.begin_anew()
    window.go(f"{url}/login")
    for field in (USERNAME, PASSWORD, LOGIN):
        if not window.is_shown(field, PATIENCE_S):
            raise NotProven(
                f"{url}/login shows no form to log in (no {field.replace('id=', '#')}), so nothing "
                "can be tried there. Does the gateway's web page lie at the testbed's gateway.url?"
            )


def log_in(window: Window, url: str, name: str, password: str) -> bool:
    """Log in, and put aside what a new device asks first.

    Args:
        window: any.
        url: of the gateway.
        name, password: of an administrator.

    Returns:
        Whether the page let them in.

    Raises:
        NotProven: the page says neither yes nor no.
    """
    open_log_in(window, url)
    window.fill(USERNAME, name)
    window.fill_secret(PASSWORD, password)
    window.click(LOGIN)
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        if window.is_gone(LOGIN, _GLANCE_S):
            return True
        if window.is_shown(REFUSED, _GLANCE_S):
            return False
    raise NotProven(f"{url}/login neither accepts nor refuses the log-in within {PATIENCE_S:g} s.")


def put_aside(window: Window, url: str, awaited: str) -> None:
    """Get to a page although dialogs of a new device stand before it.

    Args:
        window: logged in.
        url: of the page.
        awaited: selector of what it shows.

    Raises:
        NotProven: it does not show it.
    """
    give_up = time.monotonic() + PATIENCE_S
    window.go(url)
    while time.monotonic() < give_up:
        if window.is_shown(awaited, 2 * _GLANCE_S):
            return
        if window.is_shown(ASIDE, _GLANCE_S):
            window.click(ASIDE)
            if window.is_gone(ASIDE, 1.0) and not window.is_shown(awaited, 2 * _GLANCE_S):
                window.go(url)
    raise NotProven(
        f"within {PATIENCE_S:g} s {url} shows none of the policies that the REST API lists. See "
        "the screenshot; does the administrator of gateway.gui have the right to read policies?"
    )


def cookies_of(window: Window) -> Mapping[str, str]:
    """Names and values of what the page has set."""
    return {cookie.name: cookie.value for cookie in window.cookies}
