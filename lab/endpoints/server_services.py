"""What the lab's server offers besides iperf3: files over HTTP, HTTPS (nginx) and FTP (vsftpd)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lab.base.errors import LabError
from lab.base.process import wait_until
from lab.nodes.node import Node, program, tail
from lab.nodes.topology import ENDPOINT_DATA

if TYPE_CHECKING:
    from lab.base.certificates import Authority

DOCROOT = "/srv/gatepass"
"""The folder of the files, as the server sees it; whoever logs in there may write to it."""
EMPTY = "/run/vsftpd/empty"
FTP_HOME = "/srv/ftp"
"""Home of Debian's user ftp, where vsftpd looks in before it goes to its folder of files."""
HTTP_PORT, HTTPS_PORT, FTP_PORT = 80, 443, 21
HOST_NAMES = ("server-data", "allowed.lab", "blocked.lab", "neighbour-of-blocked.lab")
"""Names that the server's certificate carries. No resolver knows them: a client is told where they
are, as by `curl --resolve allowed.lab:443:198.18.2.10`."""

_NGINX = """\
daemon off;
# One process: it ends whole, however it ends.
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 8192; }}
http {{
    types {{ text/html html; text/plain txt; }}
    default_type application/octet-stream;
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    client_max_body_size 0;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    ssl_session_cache off;
    server {{
        listen [::]:{http} ipv6only=off backlog=4096;
        listen [::]:{https} ipv6only=off ssl backlog=4096;
        root {docroot};
    }}
}}
"""
_VSFTPD = """\
background=NO
listen=NO
listen_ipv6=YES
listen_port={port}
anonymous_enable=YES
no_anon_password=YES
anon_root={docroot}
local_enable=NO
write_enable=NO
port_enable=YES
pasv_enable=YES
pasv_min_port=40000
pasv_max_port=49999
connect_from_port_20=YES
use_localtime=NO
xferlog_enable=NO
vsftpd_log_file={folder}/vsftpd.log
secure_chroot_dir={empty}
seccomp_sandbox=NO
isolate=NO
isolate_network=NO
max_clients=1000
"""


def nginx_configuration(folder: Path, docroot: str, certificate: Path, key: Path) -> str:
    """The configuration of nginx.

    Args:
        folder: for its own files.
        docroot: what it serves.
        certificate: of the server, in PEM form.
        key: the certificate's.
    """
    return _NGINX.format(
        folder=folder,
        docroot=docroot,
        certificate=certificate,
        key=key,
        http=HTTP_PORT,
        https=HTTPS_PORT,
    )


def vsftpd_configuration(folder: Path, docroot: str, empty: Path) -> str:
    """The configuration of vsftpd: read only, for anybody.

    Args:
        folder: for its own files.
        docroot: what it serves; may not be writable for the user ftp.
        empty: an empty folder, where it gives up its privileges.
    """
    return _VSFTPD.format(folder=folder, docroot=docroot, empty=empty, port=FTP_PORT)


class Services:
    """The services of a lab's server.

    Args:
        folder: the lab's folder.
    """

    _START_SECONDS = 10
    _INSIDE = Path("/run/endpoint/services")

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "server" / "services"

    def prepare(self, authority: Authority) -> None:
        """Write certificate and configuration, before the server exists."""
        self._folder.mkdir(mode=0o755)
        authority.issue(self._folder, ENDPOINT_DATA["server"], HOST_NAMES)
        inside = self._INSIDE
        (self._folder / "nginx.conf").write_text(
            nginx_configuration(inside, DOCROOT, inside / "server.pem", inside / "server.key")
        )
        (self._folder / "vsftpd.conf").write_text(
            vsftpd_configuration(inside, DOCROOT, Path(EMPTY))
        )

    def start(self, node: Node) -> None:
        """Start them and wait until they listen.

        Raises:
            LabError: one did not.
        """
        inside = self._INSIDE
        for name, options in (("nginx", ["-c"]), ("vsftpd", [])):
            log = self._folder / f"{name}.out"
            command = [program(name) or name, *options, f"{inside}/{name}.conf"]
            process = node.spawn(command, log)
            ports = (FTP_PORT,) if name == "vsftpd" else (HTTP_PORT, HTTPS_PORT)

            def decided(ports=ports, process=process) -> bool:
                return _listens(node, ports) or not process.alive(node.proc)

            wait_until(decided, self._START_SECONDS)
            if not _listens(node, ports):
                raise LabError(f"{name} of the lab's server does not start: {tail(log)}")


def _listens(node: Node, ports: tuple[int, ...]) -> bool:
    """Whether something listens on these ports, by the node's table of sockets."""
    table = Path(f"/proc/{node.init.pid}/net/tcp6").read_text()
    return all(f":{port:04X} 00000000000000000000000000000000:0000 0A" in table for port in ports)
