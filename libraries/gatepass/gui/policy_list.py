"""The list of policies in the web page, worked with as administrators do, and how long it took.

A row is what shows a policy's name; what it is made of differs from release to release.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.gui.window import Window

PLACE = "/ng/firewall/policy/policy/standard"
FIRST_ROW, STILL, SEARCH = "gui_first_row", "gui_still", "gui_search"
SCROLL, EDITOR = "gui_scroll", "gui_editor"
STEPS = (FIRST_ROW, STILL, SEARCH, EDITOR, SCROLL)
"""In the order in which they are taken; by the phrases that name them."""

_SEARCH = 'css=:is(input[type="search"], [role="searchbox"], input[placeholder*="earch"]):visible'
_EDIT = "role=button[name=/^(edit|view)( policy)?$/i] >> nth=0"
_CANCEL = "role=button[name=/^(cancel|close|return)$/i] >> nth=0"
_QUIET_MS = 300
"""So long nothing in the page changes any more, and nothing is fetched."""
_STILL = """async () => {
  const fetched = () => performance.getEntriesByType("resource").length;
  let last = performance.now(), had = fetched();
  const watch = new MutationObserver(() => { last = performance.now(); });
  watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  const begun = last;
  while (performance.now() - last < QUIET && performance.now() - begun < LIMIT) {
    await new Promise((go) => setTimeout(go, 20));
    if (fetched() !== had) { had = fetched(); last = performance.now(); }
  }
  watch.disconnect();
  return [last - begun, performance.now() - last >= QUIET];
}"""
_SCROLL = """(row) => {
  let one = row;
  while (one && !(one.scrollHeight > one.clientHeight + 1 &&
         /auto|scroll|overlay/.test(getComputedStyle(one).overflowY))) one = one.parentElement;
  one = one ?? document.scrollingElement;
  window.gatepassScrolls = one;
  one.scrollTop = one.scrollHeight;
}"""
_BACK_UP = """() => {
  const one = window.gatepassScrolls;
  one.scrollTop -= one.clientHeight / 2;
  return one.scrollTop > 0;
}"""
_HAS_VALUE = """() => [...document.querySelectorAll("input, textarea")].some(
  (one) => one.offsetParent !== null && one.value === NAME && one.type !== "search"
)"""


class NotDone(Exception):
    """A step that the page did not do in all the time it had.

    Attributes:
        step: one of `STEPS`.
        limit_s: how long that was.
        what: what was waited for, for a sentence.
    """

    def __init__(self, step: str, limit_s: float, what: str) -> None:
        super().__init__(f"{what} within {limit_s:g} s")
        self.step, self.limit_s, self.what = step, limit_s, what


@dataclass(frozen=True)
class Names:
    """Policies of a list by their names.

    Attributes:
        ours: what the names of the run's own begin with.
        first, last: of all of the list.
        sought: one of ours to be searched and opened, another than `first` if there are several.
    """

    ours: str
    first: str
    last: str
    sought: str

    @classmethod
    def among(cls, names: Sequence[str], ours: str) -> Names:
        """Those of a list.

        Args:
            names: as the REST API tells them, in their order; empty for a policy without one.
            ours: see `ours`.

        Raises:
            NotProven: none of them has a name of the run's.
        """
        own = [name for name in names if name.startswith(ours)]
        if not own:
            raise NotProven("none of the run's policies is in the gateway's table.")
        named = [name for name in names if name]
        return cls(ours, named[0], named[-1], _alone_in_a_search(own, named))

    @property
    def any_row(self) -> str:
        """Selector of whichever row of the run's own is in sight."""
        return f"text=/^\\s*{re.escape(self.ours)}/ >> nth=0"


def _alone_in_a_search(own: Sequence[str], named: Sequence[str]) -> str:
    """The last of our names that no other name holds, so that a search for it shows it alone."""
    every = "\n".join(named)
    return next((name for name in reversed(own) if every.count(name) == 1), own[-1])


def row(name: str) -> str:
    """Selector of the row of a policy."""
    return f"text={json.dumps(name)} >> nth=0"


class PolicyList:
    """The list in a window that is logged in.

    Args:
        window: any.
        url: of the gateway.
        names: of policies in it.
        limit_s: for how long a step is waited for.
    """

    def __init__(self, window: Window, url: str, names: Names, limit_s: float) -> None:
        self._window, self._names, self._limit_s = window, names, limit_s
        self.url = url + PLACE

    def worked_with(self) -> dict[str, float]:
        """Take all steps once; how long each took, seconds.

        Raises:
            NotDone: one did not come to its end.
        """
        first, still = self._open()
        return {
            FIRST_ROW: first,
            STILL: still,
            SEARCH: self._search(),
            EDITOR: self._edit(),
            SCROLL: self._scroll(),
        }

    def _open(self) -> tuple[float, float]:
        """Load it: until the first row is in sight, and until the page stays still."""
        begun = time.monotonic()
        self._window.go(self.url)
        self._must_show(FIRST_ROW, self._names.any_row, "none of the policies is in sight")
        first = time.monotonic() - begun
        return first, first + self.settled()

    def settled(self) -> float:
        """Wait until nothing in the page changes any more; how long that was, seconds.

        Raises:
            NotDone: it goes on and on.
        """
        script = _STILL.replace("QUIET", str(_QUIET_MS))
        script = script.replace("LIMIT", str(round(1000 * self._limit_s)))
        took_ms, still = self._window.run(script)  # type: ignore[misc]
        if not still:
            raise NotDone(STILL, self._limit_s, "the page does not stay still")
        return took_ms / 1000

    def _search(self) -> float:
        """Look for a policy by its name, and see it alone."""
        names, begun = self._names, time.monotonic()
        self._window.fill(_SEARCH, names.sought)
        self._window.press(_SEARCH, "Enter")
        looked = f"a search for {names.sought}, which the REST API lists, does not show it"
        self._must_show(SEARCH, row(names.sought), looked)
        others = row(names.first)
        if names.first != names.sought and not self._window.is_gone(others, self._limit_s):
            told = f"a search for {names.sought} goes on showing others"
            raise NotDone(SEARCH, self._limit_s, told)
        return time.monotonic() - begun

    def _scroll(self) -> float:
        """Scroll to the last policy; where the page shows others after it, back up to it."""
        self._window.fill(_SEARCH, "")
        self._window.press(_SEARCH, "Enter")
        self._must_show(SCROLL, row(self._names.first), "after a search the list stays away")
        begun = time.monotonic()
        last = row(self._names.last)
        self._window.run(_SCROLL, row(self._names.first))
        glance_s = 1.0
        while not self._window.is_shown(last, glance_s):
            if time.monotonic() - begun > self._limit_s or not self._window.run(_BACK_UP):
                raise NotDone(SCROLL, self._limit_s, f"{self._names.last} cannot be scrolled to")
            glance_s = 0.3
        return time.monotonic() - begun

    def _edit(self) -> float:
        """Open the editor of the policy that was searched, which is the run's, and cancel it."""
        name, begun = self._names.sought, time.monotonic()
        shown = _HAS_VALUE.replace("NAME", json.dumps(name))
        self._window.click(row(name))
        self._must_show(EDITOR, _EDIT, f"there is no button to edit {name}")
        self._window.click(_EDIT)
        self._until(shown, True, f"the editor of {name} does not show its name")
        self._window.click(_CANCEL)
        self._until(shown, False, f"the editor of {name} does not close")
        return time.monotonic() - begun

    def _until(self, script: str, wanted: bool, otherwise: str) -> None:
        give_up = time.monotonic() + self._limit_s
        while bool(self._window.run(script)) is not wanted:
            if time.monotonic() > give_up:
                raise NotDone(EDITOR, self._limit_s, otherwise)
            time.sleep(0.01)

    def _must_show(self, step: str, selector: str, otherwise: str) -> None:
        if not self._window.is_shown(selector, self._limit_s):
            raise NotDone(step, self._limit_s, otherwise)
