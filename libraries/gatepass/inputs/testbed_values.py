"""The values of a testbed: addresses, ports, files, names; each refused in one sentence."""

import ipaddress
import re
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from gatepass.base.files import path_from, trouble_with
from gatepass.base.ownership import distrust, secret_trouble
from gatepass.inputs.private_key import UnusableKey, openssh_key
from gatepass.inputs.schema import Mistake, interface, text, whole

DIGITS_AND_DOTS = re.compile(r"[0-9.]+")
HOST_NAME = re.compile(r"(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*\.?")

A_HOST = "a host name or an IP address"
A_URL = "https:// with a host and, if need be, a port, such as https://192.0.2.1:8443"
AN_IPV4 = "an IPv4 address of one host, such as 198.18.1.10"
AN_IPV6 = 'an IPv6 address of one host, such as "2001:2:0:1::10"'
LEAST_PASSPHRASE = 12
"""So many characters of a passphrase."""
A_FILE = "the path of a file, from the folder of this file"
KEY_OF_HOST = "`ssh-keyscan`, then compare it with the host's own"
A_SHARE = "a name of letters, digits, spaces and '.', '_', ':', '/', '-', at most 64"


def host_name(value: str) -> str:
    """A host by name or address.

    Raises:
        Mistake: it is none.
    """
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        if DIGITS_AND_DOTS.fullmatch(value) or not HOST_NAME.fullmatch(value):
            raise Mistake(A_HOST) from None
        return value


def _address(version: int, allowed: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        try:
            address = ipaddress.ip_address(value)
        except ValueError:
            raise Mistake(allowed, "Write the address alone, without a mask.") from None
        if address.version != version:
            raise Mistake(
                allowed,
                "IPv4 stands in 'address' and 'direct_address', IPv6 in 'address6' and "
                "'direct_address6'.",
            )
        if address.is_unspecified or address.is_multicast or address.is_loopback:
            raise Mistake(allowed, "Write the address on the endpoint's test interface.")
        return str(address)

    return check


def _existing(value: Any, info: ValidationInfo) -> Path:
    if not isinstance(value, str) or not value:
        raise Mistake(A_FILE)
    path = path_from(info.context["folder"], value)
    if not used(info):
        return path
    if trouble := trouble_with(path):
        raise Mistake(A_FILE, f"The file, sought in {path.parent}, {trouble}.")
    if trouble := distrust(path):
        raise Mistake(
            "a file that nobody else can change",
            f"It {trouble}: make it your own with `chown` and `chmod go-w`.",
        )
    return path


def used(info: ValidationInfo) -> bool:
    """Whether anybody will be reached by what the testbed names."""
    return info.context.get("used", True)


def certificates(path: Path, info: ValidationInfo) -> Path:
    """The file of a CA's certificates.

    Raises:
        Mistake: it is none.
    """
    if not used(info):
        return path
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except (ssl.SSLError, OSError):
        raise Mistake(
            "a file of certificates in PEM form",
            "Export the CA's certificate as PEM (text that starts with BEGIN CERTIFICATE).",
        ) from None
    return path


def private_key(path: Path, info: ValidationInfo) -> Path:
    """The file of a private SSH key that can be used, and that nobody else may read.

    Raises:
        Mistake: it is none.
    """
    if not used(info):
        return path
    try:
        openssh_key(path)
    except UnusableKey as unusable:
        raise Mistake("the file of a private SSH key", f"It {unusable}.") from None
    if trouble := secret_trouble(path):
        raise Mistake(
            "a key that only its owner can read",
            f"It {trouble}: make it yours alone with `chown` and `chmod 600`.",
        )
    return path


HostName = Annotated[str, AfterValidator(host_name), Field(description=A_HOST)]
IPv4 = Annotated[str, AfterValidator(_address(4, AN_IPV4)), Field(description=AN_IPV4)]
IPv6 = Annotated[str, AfterValidator(_address(6, AN_IPV6)), Field(description=AN_IPV6)]
File = Annotated[Path, BeforeValidator(_existing)]
Port = Annotated[int, whole(1, 65_535, "for a TCP port")]
Share = Annotated[str, text(A_SHARE, r"^[A-Za-z0-9][A-Za-z0-9 ._:/-]{0,63}$")]
Interface = Annotated[str, interface()]
A_COMMAND = "a shell command in one line, at most 1,000 characters"
COMMANDS = "a group: begin and end, each a shell command"
ShellCommand = Annotated[
    str, Field(pattern=r"^[^\n]*\S[^\n]*$", max_length=1000, description=A_COMMAND)
]


Variable = Annotated[str, text("the name of an environment variable", r"^[A-Za-z_][A-Za-z0-9_]*$")]
