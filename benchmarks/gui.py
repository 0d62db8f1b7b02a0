"""Work in the lab gateway's web page with 1 to 5,000 policies, beside the REST API and a control.

The first row, the page at rest, a search, an editor and the last row, each as a user waits for it
in Chromium; the REST API's time for the same list; and the page that needs no gateway, by which a
slow browser is told (`REFERENCE_MS` of gatepass.gui.control is its median). Medians of `--times`
(10).
"""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack, closing
from statistics import median

from benchmarks.bench_lab import BenchLab, labs
from benchmarks.table import show
from gatepass.gateway.certificate import certificate_of
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.rules import POLICY
from gatepass.gui.policy_list import STEPS, Names, PolicyList
from gatepass.gui.served import pin_of
from gatepass.gui.times import Worked
from gatepass.gui.visit import log_in, put_aside
from support.browser_window import BrowserWindow, Warden

COUNTS, _TIMES, _LIMIT_S = (1, 100, 1000, 5000), 10, 60.0
HEAD = ("policies", "first row", "at rest", "search", "editor", "last row", "REST", "control")


def main(args: Namespace) -> None:
    """Each number of policies in turn."""
    with labs() as (lab,), lab.inside(), ExitStack() as stack:
        warden = Warden()
        stack.callback(warden.end)
        gateway, of = lab.gateway(), lab.testbed.gateway
        rules = lab.rules(gateway)
        window = stack.enter_context(closing(BrowserWindow(warden, pin_of(certificate_of(of)[0]))))
        assert of.gui and log_in(window, of.url, of.gui.administrator, of.gui.password.read())
        rows = []
        for count in COUNTS:
            rules.set(count, nat=False)
            worked = _worked(lab, gateway, window, rules.named("p"), args.times or _TIMES)
            rows.append((f"{count:,}", *_cells(worked)))
    show(HEAD, rows)


def _worked(
    lab: BenchLab, gateway: FortiGate, window: BrowserWindow, ours: str, times: int
) -> Worked:
    listed = gateway.rows(POLICY)
    names = Names.among([str(row.get("name", "")) for row in listed], ours)
    pages = PolicyList(window, lab.testbed.gateway.url, names, _LIMIT_S)
    put_aside(window, pages.url, names.any_row)
    worked = Worked(len(listed))
    for _ in range(times):
        worked.once_more(window, pages, lambda: gateway.rows(POLICY))
    return worked


def _cells(worked: Worked) -> list[str]:
    seconds = [median(worked.seconds[step]) for step in STEPS] + [median(worked.rest_s)]
    return [f"{1000 * one:.0f} ms" for one in seconds] + [f"{median(worked.control_ms):.0f} ms"]
