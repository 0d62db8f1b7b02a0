"""What updates of FortiGuard do to the configuration while nobody is at work on it.

A device writes the names of Internet services anew whenever it has fetched them. Here there is an
update before each backup, so that no two backups are ever alike in them.
"""

from __future__ import annotations

from itertools import count

from lab.gateway.cmdb.database import Database

TABLE = "firewall/internet-service-name"
_SERVICES = {
    "Google-Other": 65536,
    "Google-Web": 65537,
    "Microsoft-Web": 327681,
    "Amazon-AWS": 393320,
    "Zoom.us-Zoom.Meeting": 6881402,
}


class Updates:
    """The updates that one device gets.

    Args:
        database: its configuration.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers = count()

    def fetch(self) -> None:
        """Have the next one: each drops another of the services, and brings the one before back."""
        names = list(_SERVICES)
        dropped = names[next(self._numbers) % len(names)]
        with self._database.change() as editor:
            table = editor.table(TABLE)
            for name, number in _SERVICES.items():
                there = editor.state.find(TABLE, name) is not None
                if there and name == dropped:
                    editor.state.remove(TABLE, name)
                elif not there and name != dropped:
                    editor.install(table, {"name": name, "internet-service-id": number})
