"""The last run of each gateway as a text file of Prometheus, for whoever draws and alerts.

node_exporter's textfile collector reads such a file (`--collector.textfile.directory`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from gatepass.base.errors import InputError
from gatepass.history.gateway import GatewayHistory
from gatepass.history.series import RecordedRun, Trend
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED, margin_percent

ENDING = ".prom"
_OF_GATEWAY = ("gateway", "order", "tier")
_OF_FIGURE = ("gateway", "promise", "conditions", "unit", "layer")


def write(gateways: Sequence[GatewayHistory], target: Path) -> None:
    """Write the file; an older one is replaced at once.

    Args:
        gateways: each with its runs, the last of which counts.
        target: node_exporter reads it where its name ends with `ENDING`.

    Raises:
        InputError: it cannot be written, or would not be read.
    """
    if target.suffix != ENDING:
        raise InputError(f"--prometheus {target}: node_exporter reads {ENDING} files. Name one.")
    registry = CollectorRegistry()
    page = _Gauges(registry)
    for gateway in gateways:
        if gateway.serial and gateway.runs:
            page.gateway(gateway)
    try:
        write_to_textfile(str(target), registry)
    except OSError as error:
        raise InputError(
            f"--prometheus {target}: it cannot be written: {error.strerror}. Name a file in a "
            "folder that is there, and that you may write to."
        ) from None


class _Gauges:
    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, words: str, labels: Sequence[str]) -> Gauge:
            return Gauge(f"gatepass_{name}", words, labels, registry=registry)

        self._verdict = gauge(
            "order_verdict", "1 for the verdict of the last run", (*_OF_GATEWAY, "verdict")
        )
        self._began = gauge(
            "run_start_seconds", "When the last run began, since the epoch", _OF_GATEWAY
        )
        self._checks = gauge(
            "checks", "Checks of the last run by verdict", (*_OF_GATEWAY, "verdict")
        )
        self._value = gauge("figure", "Mean of a figure of the last run", _OF_FIGURE)
        self._threshold = gauge(
            "figure_threshold", "What a figure is held against", (*_OF_FIGURE, "relation")
        )
        self._margin = gauge(
            "figure_margin_ratio",
            "By how much a figure is on the good side of what it is held against, as a share",
            _OF_FIGURE,
        )

    def gateway(self, one: GatewayHistory) -> None:
        """Tell the last run of a gateway."""
        last = one.runs[-1]
        labels = (one.serial, last.order, last.tier)
        for verdict in (APPROVED, REJECTED, NOT_PROVEN):
            self._verdict.labels(*labels, verdict).set(verdict == last.verdict)
        for verdict, count in last.counts.items():
            self._checks.labels(*labels, verdict).set(count)
        if last.started:
            self._began.labels(*labels).set(datetime.fromisoformat(last.started).timestamp())
        for series in one.series:
            self._figure(one.serial, series, last)

    def _figure(self, serial: str, series: Trend, last: RecordedRun) -> None:
        point = series.of(last.run)
        if point is None:
            return
        labels = (serial, series.promise, str(series.conditions), series.unit, series.layer)
        self._value.labels(*labels).set(point.value)
        if point.threshold is not None:
            self._threshold.labels(*labels, point.relation).set(point.threshold)
        margin = margin_percent(point.value, point.threshold, point.relation)
        if margin is not None:
            self._margin.labels(*labels).set(margin / 100)
