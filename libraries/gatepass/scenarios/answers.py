"""All kinds of answers that a run keeps, whatever chapter they are of."""

from __future__ import annotations

from collections.abc import Mapping

from gatepass.results.kept_answers import Answer
from gatepass.scenarios import connections, quarantine
from gatepass.scenarios.edge.rules import answers as edge
from gatepass.scenarios.leaks import answers as leaks
from gatepass.scenarios.security import answers as security

_OF_CHAPTERS: tuple[type[Answer], ...] = (
    security.SpecimenStopped,
    security.NoByte,
    security.SpecimenArrived,
    security.Inspecting,
    security.CountryBlocked,
    security.CountryPassed,
    security.StoppedLogged,
    security.ServicesLicensed,
    connections.ConnectionPermitted,
    connections.ConnectionBlocked,
    connections.DenyCounted,
    quarantine.BanListed,
    quarantine.BanHeeded,
    quarantine.BanEnded,
    leaks.LeakScan,
    edge.EdgeHeld,
    edge.TakenIn,
)
KINDS: Mapping[str, type[Answer]] = {kind.__name__: kind for kind in _OF_CHAPTERS}
"""By name."""
CLAIMS = frozenset[str]().union(*(kind.CLAIMS for kind in _OF_CHAPTERS))
"""Names of the claims of which an answer is kept, always."""
