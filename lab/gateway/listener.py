"""The sockets on which the gateway is managed, and how faults bend them."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from lab.gateway.device import Device, SetupError
from lab.gateway.rest.server import Server

_HANDSHAKE_SECONDS = 10.0
_SHUTDOWN_SECONDS = 1.0
_OLD_CIPHERS = "ALL:@SECLEVEL=0"


class RestListener:
    """HTTPS on the management port, and plain HTTP while a fault asks for it.

    Args:
        device: the gateway.
        server: serves what comes.
    """

    def __init__(self, device: Device, server: Server) -> None:
        self._device = device
        self._server = server
        self._https: asyncio.Server | None = None
        self._elsewhere: asyncio.Server | None = None
        self._http: asyncio.Server | None = None
        self._https_as: tuple[object, ...] = ()
        self._http_port: int | None = None
        self._one_at_a_time = asyncio.Lock()

    async def start(self) -> None:
        """Listen."""
        await self.refresh()

    async def stop(self) -> None:
        """Listen no more and end all connections, once what is being answered is."""
        for listening in (self._https, self._elsewhere, self._http):
            if listening is not None:
                listening.close()
        await self._server.shutdown(_SHUTDOWN_SECONDS)

    async def _listen(
        self, port: int, tls: ssl.SSLContext | None, address: str | None = None
    ) -> asyncio.Server:
        return await asyncio.get_running_loop().create_server(
            self._server, address or self._device.address, port, reuse_address=True, ssl=tls,
            ssl_handshake_timeout=_HANDSHAKE_SECONDS if tls else None)

    async def refresh(self) -> None:
        """Bring the sockets in line with port and faults."""
        async with self._one_at_a_time:
            await self._refresh_https()
            await self._refresh_http()

    async def _refresh_https(self) -> None:
        faults = self._device.faults
        port = self._device.database.state.singleton("system/global")["admin-sport"]
        wanted = (port, "other-certificate" in faults, "tls-old" in faults, self._customers_port())
        if wanted == self._https_as:
            return
        if self._https is not None:
            self._https.close()
            self._drop_connections()
        if self._elsewhere is not None:
            self._elsewhere.close()
            self._elsewhere = None
        tls = self._tls(other=wanted[1], old=wanted[2])
        self._https = await self._listen(port, tls)
        if wanted[3]:
            self._elsewhere = await self._listen(port, tls, wanted[3])
        self._https_as = wanted

    def _customers_port(self) -> str:
        """The address of a customer's port at which a fault has it answer; mostly none."""
        faults = self._device.faults
        if "gui-on-customers-port" not in faults:
            return ""
        name = faults.parameter("gui-on-customers-port", "port")
        row = self._device.database.state.find("system/interface", name)
        return row["ip"].split()[0] if row else ""

    async def _refresh_http(self) -> None:
        faults = self._device.faults
        port = faults.parameter("http-open", "port") if "http-open" in faults else None
        if port == self._http_port:
            return
        if self._http is not None:
            self._http.close()
            self._http = None
            self._drop_connections()
        self._http_port = port
        if port is not None:
            self._http = await self._listen(port, None)

    def _drop_connections(self) -> None:
        """Make clients connect again, so that they meet what is offered now."""
        for connection in self._server.connections:
            connection.force_close()
            if connection.transport is not None:
                connection.transport.close()

    def _tls(self, *, other: bool, old: bool) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if old:
            context.set_ciphers(_OLD_CIPHERS)
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        folder = self._device.folder.path / "tls"
        certificate, key = folder / "server.pem", folder / "server.key"
        if other:
            certificate, key = self._foreign_certificate(folder)
        try:
            context.load_cert_chain(certificate, key)
        except (OSError, ssl.SSLError) as error:
            raise SetupError(
                f"{certificate}: certificate or key cannot be used: {error}.") from None
        return context

    def _foreign_certificate(self, folder: Path) -> tuple[Path, Path]:
        """A certificate that is right in everything but who signed it."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self._device.address)])
        now = datetime.datetime.now(datetime.UTC)
        address = x509.IPAddress(ipaddress.ip_address(self._device.address))
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=30))
            .add_extension(x509.SubjectAlternativeName([address]), critical=False)
            .sign(key, hashes.SHA256())
        )
        files = folder / "foreign.pem", folder / "foreign.key"
        files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        files[1].touch(mode=0o600)
        files[1].write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
        return files
