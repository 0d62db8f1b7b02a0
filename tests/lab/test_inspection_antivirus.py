"""Antivirus over real HTTP and FTP. Needs root, nginx, vsftpd, clamd and curl."""

from __future__ import annotations

import gzip
import io
import os
import zipfile

import pytest
from dataplane_rig import CLIENT, SERVER
from inspection_rig import EICAR, SERVER6_HOST, InspectionRig, av_config

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    rig = InspectionRig(tmp_path_factory.mktemp("av"))
    try:
        yield rig
    finally:
        rig.close()


@pytest.fixture(scope="module")
def files(rig):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("eicar.com", EICAR)
    return {
        "clean": rig.put("clean", os.urandom(3_000_000)),
        "empty": rig.put("empty", b""),
        "small": rig.put("small", os.urandom(16_384)),
        "eicar.com": rig.put("eicar.com", EICAR),
        "eicar.zip": rig.put("eicar.zip", archive.getvalue()),
        "eicar.gz": rig.put("eicar.gz", gzip.compress(EICAR)),
        "late": rig.put("late", os.urandom(5_000_000) + EICAR + os.urandom(1_000)),
    }


WAYS = [("http", SERVER), ("ftp", SERVER), ("http", SERVER6_HOST), ("ftp", SERVER6_HOST)]


@pytest.mark.parametrize(("scheme", "host"), WAYS)
@pytest.mark.parametrize("name", ["clean", "small", "empty"])
def test_what_is_clean_arrives_unchanged(rig, files, scheme, host, name):
    rig.apply(av_config())
    got = rig.get(name, host=host, scheme=scheme)
    assert got.exit == 0
    assert got.body == files[name]


@pytest.mark.parametrize(("scheme", "host"), WAYS)
@pytest.mark.parametrize("name", ["eicar.com", "eicar.zip", "eicar.gz", "late"])
def test_a_virus_never_arrives_whole_and_is_logged(rig, files, scheme, host, name):
    rig.apply(av_config())
    before = len(rig.events())
    got = rig.get(name, host=host, scheme=scheme)
    assert EICAR not in got.body
    assert len(got.body) < len(files[name]) or got.status == 403
    if scheme == "http" and name != "late":
        assert got.status == 403
        assert b"infected" in got.body
    if scheme == "ftp":
        assert got.exit != 0
    (event,) = rig.events()[before:]
    assert event["type"] == "virus"
    assert event["action"] == "blocked"
    assert event["virus"] == "Eicar-Test-Signature"
    assert event["policyid"] == 1
    assert event["service"] == scheme.upper()
    assert event["filename"] == name
    assert event["dstip"] == host.strip("[]")


def proxy_config(limit: int = 10, *options: str) -> dict:
    """Antivirus in proxy mode; `limit` in MB of what is held whole."""
    held = {"oversize-limit": limit, "options": " ".join(options)}
    rows = av_config(inspection_mode="proxy", profile_protocol_options="held")
    rows["firewall/profile-protocol-options"] = [{"name": "held", "http": held, "ftp": held}]
    return rows


@pytest.mark.parametrize(("scheme", "host"), WAYS[:2])
def test_a_proxy_lets_no_byte_of_a_virus_pass(rig, files, scheme, host):
    rig.apply(av_config())
    assert len(rig.get("late", host=host, scheme=scheme).body) > 1_000_000
    rig.apply(proxy_config())
    got = rig.get("late", host=host, scheme=scheme)
    assert files["late"][:100] not in got.body
    if scheme == "http":
        assert (got.status, b"infected" in got.body) == (403, True)
    else:
        assert (got.exit != 0, got.body) == (True, b"")
    got = rig.get("clean", host=host, scheme=scheme)
    assert (got.exit, got.body) == (0, files["clean"])


@pytest.mark.parametrize("scheme", ["http", "ftp"])
def test_what_is_too_large_for_a_proxy_passes_or_is_blocked(rig, files, scheme):
    before = len(rig.events())
    rig.apply(proxy_config(4))
    got = rig.get("late", scheme=scheme)
    assert (got.exit, got.body) == (0, files["late"])
    assert len(rig.events()) == before
    rig.apply(proxy_config(4, "oversize"))
    got = rig.get("late", scheme=scheme)
    assert got.status == 403 if scheme == "http" else got.exit != 0
    assert files["late"][:100] not in got.body
    (event,) = rig.events()[before:]
    assert (event["type"], event["subtype"], event["action"]) == ("virus", "oversize", "blocked")
    assert rig.get("clean", scheme=scheme).body == files["clean"]


@pytest.mark.parametrize("options", [("--disable-epsv",), ("--ftp-port", CLIENT)])
@pytest.mark.parametrize("nat", ["enable", "disable"])
def test_every_kind_of_data_connection_is_inspected(rig, files, options, nat):
    rig.apply(av_config(nat=nat))
    got = rig.ftp("clean", *options)
    assert (got.exit, got.body) == (0, files["clean"])
    got = rig.ftp("eicar.com", *options)
    assert got.exit != 0
    assert EICAR not in got.body
