"""Rules about what is kept and shown, and carried out by nobody."""

from __future__ import annotations

from datetime import datetime

from lab.gateway.errors import bad_value, missing, not_here
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.parsers import MOMENT
from lab.gateway.schema.rules.registry import check


@check("firewall.schedule/onetime")
def _once(row: Row, view: View) -> None:
    begins, ends = (datetime.strptime(row[name], MOMENT) for name in ("start", "end"))
    if begins >= ends:
        raise bad_value("end", row["end"], f"later than {row['start']}")


@check("firewall.schedule/group")
def _schedules(row: Row, view: View) -> None:
    if not row["member"]:
        raise missing("member")


@check("system/ha")
def _cluster(row: Row, view: View) -> None:
    if row["mode"] != "standalone":
        raise not_here("mode of system/ha", row["mode"])
