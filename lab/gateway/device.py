"""The gateway as a whole: its folder, configuration, data plane and faults."""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from cryptography.x509 import DNSName

from lab.base.certificates import Authority
from lab.base.secret import GUI_ADMINISTRATOR
from lab.gateway import schema
from lab.gateway.applier import Applier, Config, DataPlane
from lab.gateway.cli.script import Script
from lab.gateway.cmdb.database import Database
from lab.gateway.cmdb.editor import Editor, Location
from lab.gateway.cmdb.rows import Builder
from lab.gateway.cmdb.store import Store
from lab.gateway.cmdb.vault import Vault
from lab.gateway.faults import Faults
from lab.gateway.fortiguard import Updates
from lab.gateway.identity import Identity
from lab.gateway.resources import Resources
from lab.gateway.security_log import GatewayLog

log = logging.getLogger(__name__)

API_USER = "acceptance"
ADMIN = "admin"
_CERTIFICATES = "vpn.certificate/local"
_FACTORY_CERTIFICATE = "Fortinet_Factory"
"""The certificate that the device itself comes with."""


class SetupError(Exception):
    """The gateway cannot start; the text says why and what to do."""


@dataclass(frozen=True)
class Folder:
    """The gateway's own folder.

    Attributes:
        path: where it is.
    """

    path: Path

    @property
    def token(self) -> str:
        """The API token, made by whoever built the lab."""
        file = self.path / "api-token"
        try:
            token = file.read_text().strip()
        except OSError as error:
            raise SetupError(f"{file}: the API token cannot be read: {error.strerror}.") from None
        if not token:
            raise SetupError(f"{file}: the API token is empty; write one line into it.")
        return token

    @property
    def password(self) -> str:
        """The administrator's password, made if missing."""
        file = self.path / "admin-password"
        if not file.exists():
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as handle:
                handle.write(secrets.token_urlsafe(18) + "\n")
        return file.read_text().strip()

    @property
    def viewer_password(self) -> str:
        """Of who may only look, made by whoever built the lab; empty where there is nobody."""
        file = self.path / "gui-password"
        return file.read_text().strip() if file.exists() else ""


class Device:
    """The gateway without its listeners.

    Args:
        folder: holds state, keys and log.
        identity: serial number and version.
        address: management address; the API user is trusted from its network.
        data_plane: what brings the configuration into force.
        port: management port of a gateway with no state yet.
        delivered: FortiOS script applied to a gateway with no state yet.

    Attributes:
        on_settings_changed: called when system/global may have changed.
        on_restart: called when it was told to restart.
        restarts: whether it was.
        updates: of FortiGuard, that change the configuration by themselves.
        banned: hosts that are cut off, as monitor/user/banned shows them, by address.
        config_errors: what of the configuration that was restored last it did not understand.

    Raises:
        SetupError: a file is missing or wrong.
    """

    def __init__(self, folder: Folder, identity: Identity, address: str, port: int,
                 data_plane: DataPlane, delivered: Path | None = None) -> None:
        self.folder = folder
        self._identity = identity
        self.address = address
        self.vault = Vault(folder.path / "device.key")
        self.store = Store(folder.path / "state.sqlite")
        self.faults = Faults(self.store)
        self.banned: dict[str, dict[str, Any]] = {}
        self.config_errors: list[str] = []
        self.applier = Applier(data_plane, self._snapshot)
        tables = schema.tables(identity.version.release, identity.memory_mib)
        self.database = Database(
            tables, self.store, Builder(self.vault), self._changed,
            lambda: "evaluation-licence" in self.faults, self._furnish,
            self.faults.loses_object)
        self.updates = Updates(self.database)
        self.resources = Resources(
            folder.path, lambda: self.applier.call(data_plane.session_counts),
            lambda: "memory-short" in self.faults)
        self.security_log = GatewayLog(folder.path / "security.jsonl")
        self.on_settings_changed: Callable[[], object] = lambda: None
        self.on_restart: Callable[[], object] = lambda: None
        self.restarts = False
        self._global: object = None
        self._is_ready = False
        if self.database.is_new:
            self._deliver(port, delivered)
        else:
            self._renew_token()
        self._is_ready = True

    @property
    def identity(self) -> Identity:
        """Who it says it is."""
        return self._identity.as_told(self.faults)

    def now(self) -> float:
        """What its clock shows, in seconds since 1970."""
        is_off = "clock-off" in self.faults
        return time.time() + (60 * self.faults.parameter("clock-off", "minutes") if is_off else 0)

    def _changed(self) -> None:
        if not self._is_ready:
            return
        self.applier.request()
        if self.database.state.singleton("system/global") is not self._global:
            self._global = self.database.state.singleton("system/global")
            self.on_settings_changed()

    def _snapshot(self) -> tuple[Config, Mapping[str, Mapping[str, Any]]]:
        database = self.database
        config: dict[str, Sequence[Mapping[str, Any]]] = {
            path: [database.builder.reveal(table, row)
                   for row in database.state.rows[path].values()]
            if table.secrets else list(database.state.rows[path].values())
            for path, table in database.tables.items()
        }
        return config, self.faults.active()

    def _deliver(self, port: int, delivered: Path | None) -> None:
        """Make a new gateway into what the provider's deployment leaves."""
        editor = self.database.editor()
        editor.update(Location("system/global"), {"admin-sport": port})
        self._add_administrators(editor)
        if delivered is not None:
            try:
                text = delivered.read_text()
            except OSError as error:
                raise SetupError(f"{delivered}: cannot be read: {error.strerror}.") from None
            failures = Script(editor).run(text)
            if failures:
                raise SetupError(f"{delivered}: {failures[0]}")
        self.store.replace(self.database.state)

    def _furnish(self, editor: Editor) -> None:
        """Give the device the certificate that it comes with, where it has none yet."""
        table = editor.table(_CERTIFICATES)
        if editor.state.find(table.path, _FACTORY_CERTIFICATE) is not None:
            return
        serial = self._identity.serial
        certificate, key = Authority(serial).server(serial, DNSName(serial))
        editor.install(table, {
            "name": _FACTORY_CERTIFICATE, "range": "global", "source": "factory",
            "comments": "This certificate is embedded in the hardware at the factory and is "
                        "unique to this unit. ",
            "certificate": certificate.decode(), "private-key": key.decode()})

    def _add_administrators(self, editor: Editor) -> None:
        editor.create(Location("system/admin"), {
            "name": ADMIN, "accprofile": "super_admin", "vdom": [{"name": "root"}],
            "password": self.folder.password})
        if self.folder.viewer_password:
            editor.create(Location("system/admin"), {
                "name": GUI_ADMINISTRATOR, "accprofile": "super_admin_readonly",
                "vdom": [{"name": "root"}], "password": self.folder.viewer_password})
        editor.create(Location("system/api-user"), {
            "name": API_USER, "accprofile": "super_admin", "vdom": [{"name": "root"}],
            "api-key": self.folder.token, "trusthost": [self._trusted_network()]})

    def _trusted_network(self) -> dict[str, Any]:
        version = ip_address(self.address).version
        network = ip_network(f"{self.address}/{24 if version == 4 else 64}", strict=False)
        if version == 4:
            return {"id": 1, "type": "ipv4-trusthost", "ipv4-trusthost": str(network)}
        return {"id": 1, "type": "ipv6-trusthost", "ipv6-trusthost": str(network)}

    def _renew_token(self) -> None:
        """Take over a token that was written anew since the last start."""
        row = self.database.state.find("system/api-user", API_USER)
        if row is None or self.vault.reveal(row["api-key"]) == self.folder.token:
            return
        with self.database.change() as editor:
            editor.update(Location("system/api-user", API_USER), {"api-key": self.folder.token})

    def restart(self) -> None:
        """Start anew, after the answer to the call that asked for it has gone out."""
        self.restarts = True
        self.on_restart()

    async def start(self) -> None:
        """Bring the configuration into force and begin to sample.

        Raises:
            SetupError: the data plane refuses what a new gateway has. One that was configured
                lives on, and tells what is not in force.
        """
        self.applier.start()
        await self.applier.settled(self.applier.request())
        if self.database.is_new and self.applier.last_error is not None:
            raise SetupError(f"The data plane is not in force: {self.applier.last_error}")
        self.resources.start()
        self.security_log.start()

    async def stop(self) -> None:
        """End in order; the state stays."""
        await self.security_log.stop()
        await self.resources.stop()
        await self.applier.stop()
        self.store.close()
