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


@pytest.mark.parametrize("options", [("--disable-epsv",), ("--ftp-port", CLIENT)])
@pytest.mark.parametrize("nat", ["enable", "disable"])
def test_every_kind_of_data_connection_is_inspected(rig, files, options, nat):
    rig.apply(av_config(nat=nat))
    got = rig.ftp("clean", *options)
    assert (got.exit, got.body) == (0, files["clean"])
    got = rig.ftp("eicar.com", *options)
    assert got.exit != 0
    assert EICAR not in got.body
