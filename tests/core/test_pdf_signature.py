"""The certificate signed as readers of PDF show it: pyHanko signs, poppler looks at it too."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from pdf_keys import PASSWORD, Holder, certificates, new_authority, new_holder
from pyhanko.pdf_utils.generic import pdf_name
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.fields import SigFieldSpec, append_signature_field
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner, sign_pdf
from pyhanko.sign.validation import SignatureCoverageLevel, validate_pdf_signature
from pyhanko_certvalidator import ValidationContext
from sealed_run import new_key, unpacked
from stamping_authority import Authority

from gatepass import cli
from gatepass.base.chromium import chromium
from gatepass.base.errors import InputError
from gatepass.proof import pdf_signature, signed_pdf
from gatepass.proof.findings import Findings, Trust
from gatepass.proof.folder import CERTIFICATE, SIGNED_PDF, SUMS, seal
from gatepass.proof.pdf_key import PdfKey, certificates_of
from gatepass.proof.pdf_signature import NotSigned, Words, judged
from gatepass.proof.signed_pdf import look, look_alone
from gatepass.proof.verify import verify
from gatepass.report import certificate

pytestmark = pytest.mark.skipif(chromium() is None, reason="no Chromium is installed")

WORDS = Words("A test")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was sealed with a PDF."""
    run = unpacked(tmp_path_factory.mktemp("printed"))
    outcome = certificate.write(run / "output.xml", run / "certificate.html")
    assert certificate.write_pdf(outcome, run / "certificate.html").endswith(CERTIFICATE)
    seal(run)
    return run


@pytest.fixture
def run(printed: Path, tmp_path: Path) -> Path:
    """The same, in a folder of runs of its own."""
    return Path(shutil.copytree(printed, tmp_path / "results" / printed.name))


@pytest.fixture(scope="module")
def root() -> Holder:
    """Who vouches for the one who signs."""
    return new_authority("Root")


@pytest.fixture(scope="module")
def quality(root: Holder) -> Holder:
    """Who signs."""
    return new_holder("Quality", root)


def pdf_key(holder: Holder, *above: Holder) -> PdfKey:
    """What is signed with, without looking whether it may."""
    chain = tuple(one.certificate for one in above)
    return PdfKey(Path("key.p12"), holder.key, holder.certificate, chain)


def signed(run: Path, *holders: Holder, authority: str | None = None) -> Path:
    """Sign the certificate of a run by the first of the holders."""
    made = pdf_signature.sign(
        (run / CERTIFICATE).read_bytes(), pdf_key(*holders), WORDS, authority
    )
    path = run / SIGNED_PDF
    path.write_bytes(made)
    return path


def found(run: Path, signers: Path | None = None, authorities: Path | None = None) -> Findings:
    """What `verify` tells of the signed PDF."""
    there = Findings()
    look(run, Trust(authorities=authorities, pdf_signers=signers), there)
    return there


def pdfsig(pdf: Path) -> str:
    """What poppler tells of a signature."""
    return subprocess.run(["pdfsig", pdf], capture_output=True, text=True, check=False).stdout


def signature_of(pdf: Path) -> object:
    """What pyHanko finds in a PDF."""
    (one,) = PdfFileReader(BytesIO(pdf.read_bytes())).embedded_signatures
    return one


KEYS = {
    "rsa-2048": lambda: rsa.generate_private_key(65537, 2048),
    "p-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "p-384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "p-521": lambda: ec.generate_private_key(ec.SECP521R1()),
}


class TestSigned:
    @pytest.mark.parametrize("kind", KEYS)
    def test_two_readers_of_pdf_find_it_valid(self, run: Path, root: Holder, kind: str) -> None:
        pdf = signed(run, new_holder("Quality", root, key=KEYS[kind]()), root)
        told = pdfsig(pdf)
        assert "Signature Validation: Signature is Valid." in told
        assert "Total document signed" in told
        assert "CN=Quality,O=Example Networks" in told
        assert "Signature Type: ETSI.CAdES.detached" in told
        roots = certificates_of(certificates(run / "roots.pem", root), "--roots")
        trusting = ValidationContext(
            trust_roots=[pdf_signature._asn1(one) for one in roots], allow_fetching=False
        )
        status = validate_pdf_signature(signature_of(pdf), trusting)
        assert status.bottom_line and status.coverage == SignatureCoverageLevel.ENTIRE_FILE

    def test_the_sealed_one_stays_what_it_was(
        self, run: Path, quality: Holder, provider_key: Path, tmp_path: Path
    ) -> None:
        before = {path.name: path.read_bytes() for path in (run / CERTIFICATE, run / SUMS)}
        key = quality.pem(tmp_path / "key.pem")
        words = ["--pdf-key", str(key)]
        words += ["--pdf-certificate", str(certificates(tmp_path / "own.pem", quality))]
        assert cli.main(["sign", str(run), "--key", str(provider_key), *words]) == 0
        assert {name: (run / name).read_bytes() for name in before} == before
        assert (run / SIGNED_PDF).read_bytes().startswith(before[CERTIFICATE])
        check = ["sha256sum", "--check", "--quiet", SUMS]
        assert subprocess.run(check, cwd=run, check=False).returncode == 0
        assert verify(run, Trust()).wrong == []
        assert not [one for one in run.iterdir() if one.name.startswith(".")]

    def test_it_shows_on_no_page(self, run: Path, quality: Holder) -> None:
        looks = []
        for pdf in (run / CERTIFICATE, signed(run, quality)):
            command = ["pdftoppm", "-r", "40", pdf]
            looks.append(subprocess.run(command, capture_output=True, check=True).stdout)
        assert looks[0] and looks[0] == looks[1]

    def test_what_the_standard_asks_for(
        self, run: Path, quality: Holder, authority: tuple[str, Path]
    ) -> None:
        """ETSI EN 319 142-1, levels B-B and B-T."""
        for address in (None, authority[0]):
            one = signature_of(signed(run, quality, authority=address))
            assert one.sig_object["/SubFilter"] == "/ETSI.CAdES.detached"
            assert "/M" in one.sig_object and "/Cert" not in one.sig_object
            kinds = {part["type"].native for part in one.signer_info["signed_attrs"]}
            assert kinds >= {"content_type", "message_digest", "signing_certificate_v2"}
            assert "signing_time" not in kinds
            unsigned = one.signer_info["unsigned_attrs"]
            stamps = [part["type"].native for part in unsigned] if unsigned else []
            assert stamps == (["signature_time_stamp_token"] if address else [])

    def test_where_and_what_for(self, run: Path, quality: Holder) -> None:
        words = Words("For the customer", "Helsinki", "quality@example.net")
        content = (run / CERTIFICATE).read_bytes()
        made = run / SIGNED_PDF
        made.write_bytes(pdf_signature.sign(content, pdf_key(quality), words, None))
        told = signature_of(made).sig_object
        assert (told["/Reason"], told["/Location"]) == ("For the customer", "Helsinki")
        assert told["/ContactInfo"] == "quality@example.net"

    def test_what_the_record_says(
        self, run: Path, quality: Holder, provider_key: Path, tmp_path: Path
    ) -> None:
        key = quality.pkcs12(tmp_path / "key.p12", password="")
        words = ["--key", str(provider_key), "--pdf-key", str(key)]
        assert cli.main(["sign", str(run), *words]) == 0
        told = signature_of(run / SIGNED_PDF).sig_object
        assert re.fullmatch(rf"Acceptance certificate: order \S+, run {run.name}", told["/Reason"])
        assert "a lab" in told["/ContactInfo"] and "/Location" not in told

    @pytest.mark.parametrize("place", ["env:PDF_PASSWORD", "file:{folder}/password"])
    @pytest.mark.parametrize("form", ["pkcs12", "pem"])
    def test_the_command(
        self, run: Path, root: Holder, quality: Holder, provider_key: Path, signers: Path,
        authority: tuple[str, Path], tmp_path: Path, place: str, form: str, same_program: None,
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("PDF_PASSWORD", PASSWORD)
        kept = tmp_path / "password"
        kept.write_text(f"{PASSWORD}\n")
        kept.chmod(0o600)
        words = ["--pdf-password", place.format(folder=tmp_path), "--timestamp", authority[0]]
        if form == "pkcs12":
            words += ["--pdf-key", str(quality.pkcs12(tmp_path / "key.p12", [root]))]
        else:
            words += ["--pdf-key", str(quality.pem(tmp_path / "key.pem", PASSWORD))]
            chain = certificates(tmp_path / "chain.pem", root, quality)
            words += ["--pdf-certificate", str(chain)]
        assert cli.main(["sign", str(run), "--key", str(provider_key), *words]) == 0
        told = capsys.readouterr()
        assert f"Signed: {run / SIGNED_PDF}" in told.out
        assert PASSWORD not in told.out + told.err
        trust = ["--signers", str(signers), "--authorities", str(authority[1])]
        trust += ["--pdf-signers", str(certificates(tmp_path / "roots.pem", root))]
        assert cli.main(["verify", str(run), *trust]) == 0
        told = capsys.readouterr().out
        assert re.match(r"Signed by quality@example.net, stamped 20\d\d-\d\d-\d\d .* UTC: ", told)
        assert f"{CERTIFICATE}, made again" in told or "its words were not compared" in told
        assert f"{SIGNED_PDF}, signed by CN=Quality,O=Example Networks, certificate" in told
        assert re.search(r"that signature, stamped at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", told)

    def test_a_file_with_all_of_it(
        self, run: Path, quality: Holder, provider_key: Path, tmp_path: Path
    ) -> None:
        key = quality.pem(tmp_path / "key.pem")
        key.write_bytes(certificates(tmp_path / "own.pem", quality).read_bytes() + key.read_bytes())
        words = ["--key", str(provider_key), "--pdf-key", str(key)]
        assert cli.main(["sign", str(run), *words]) == 0
        assert found(run, tmp_path / "own.pem").wrong == []

    def test_a_later_signature_replaces_it(
        self, run: Path, root: Holder, quality: Holder, provider_key: Path, tmp_path: Path
    ) -> None:
        """Also one that does not hold, which otherwise keeps a run from being signed."""
        (run / SIGNED_PDF).write_bytes(b"%PDF-1.4 none")
        words = ["sign", str(run), "--key", str(provider_key)]
        assert cli.main(words) == 64
        key = quality.pkcs12(tmp_path / "key.p12", password="")
        assert cli.main([*words, "--pdf-key", str(key)]) == 0
        assert found(run, certificates(tmp_path / "roots.pem", root)).wrong == []

    def test_without_its_run(
        self, run: Path, root: Holder, quality: Holder, tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        alone = Path(shutil.copy(signed(run, quality), tmp_path / "received.pdf"))
        words = ["verify", str(alone), str(run / "output.xml")]
        assert cli.main(words) == 3
        told = capsys.readouterr().out
        assert told.startswith("Consistent, and nobody vouches for it: ")
        assert "received.pdf and output.xml belong together" in told
        assert "signed by a key that nobody here knows" in told
        roots = certificates(tmp_path / "roots.pem", root)
        assert cli.main([*words, "--pdf-signers", str(roots)]) == 0
        assert capsys.readouterr().out.startswith("Signed by CN=Quality,O=Example Networks, ")
        others = certificates(tmp_path / "others.pem", new_authority("Other"))
        assert cli.main([*words, "--pdf-signers", str(others)]) == 1
        assert cli.main(["verify", str(run / CERTIFICATE), "--pdf-signers", str(roots)]) == 1
        assert "it bears no signatures" in capsys.readouterr().out

    def test_what_signs_is_loaded_only_where_it_is_needed(self) -> None:
        code = "import sys, gatepass.proof.command\nsys.exit('pyhanko' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestTrusted:
    def test_who_signs_alone_or_anybody_above(self, run: Path, tmp_path: Path) -> None:
        root = new_authority("Root")
        middle = new_authority("Middle", root)
        quality = new_holder("Quality", middle)
        signed(run, quality, middle, root)
        for one in (root, middle, quality):
            trusted = certificates(tmp_path / "trusted.pem", one)
            assert found(run, trusted).wrong == []
            assert f"{SIGNED_PDF}, signed by CN=Quality" in found(run, trusted).seen[0]

    def test_a_certificate_that_does_not_say_what_it_is_for(
        self, run: Path, root: Holder, tmp_path: Path
    ) -> None:
        """As `openssl req -x509` makes them."""
        alone = new_holder("Alone", uses=None)
        for holder, trusted in ((alone, alone), (new_holder("Below", root, uses=None), root)):
            signed(run, holder)
            assert found(run, certificates(tmp_path / "trusted.pem", trusted)).wrong == []

    def test_nobody_was_named(self, run: Path, quality: Holder) -> None:
        signed(run, quality)
        there = found(run)
        (told,) = there.open
        assert not there.wrong and not there.seen
        assert "by a key that nobody here knows" in told and "--pdf-signers FILE" in told

    def test_a_certificate_that_has_ended_since(
        self, run: Path, root: Holder, quality: Holder, authority: tuple[str, Path],
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A time stamp of somebody who counts tells that it was signed before."""

        class Later(datetime):
            @classmethod
            def now(cls, tz=None):
                return datetime.now(tz) + timedelta(days=60)

        monkeypatch.setattr(pdf_signature, "datetime", Later)
        trusted = certificates(tmp_path / "trusted.pem", root)
        signed(run, quality, authority=authority[0])
        assert found(run, trusted, authority[1]).wrong == []
        (told,) = found(run, trusted).wrong
        assert "no time stamp of an authority that is named tells that it was signed" in told
        signed(run, quality)
        (told,) = found(run, trusted, authority[1]).wrong
        assert "is valid until 20" in told

    def test_a_certificate_that_had_ended_before(
        self, run: Path, root: Holder, authority: tuple[str, Path], tmp_path: Path
    ) -> None:
        signed(run, new_holder("Former", root, days=(-9, -2)), authority=authority[0])
        (told,) = found(run, certificates(tmp_path / "trusted.pem", root), authority[1]).wrong
        assert "CN=Former" in told and "was not valid when it was signed" in told

    def test_a_stamp_by_nobody_whose_stamps_count(
        self, run: Path, root: Holder, quality: Holder, authority: tuple[str, Path], tmp_path: Path
    ) -> None:
        signed(run, quality, authority=authority[0])
        trusted = certificates(tmp_path / "trusted.pem", root)
        (told,) = found(run, trusted, trusted).wrong
        assert told == (
            f"The time stamp in {SIGNED_PDF} does not hold: it is of nobody whose time stamps "
            "count."
        )
        there = found(run, trusted)
        assert not there.wrong and "bears a time stamp of 20" in there.open[0]

    @pytest.mark.parametrize("option", ["--pdf-signers", "--authorities"])
    def test_a_file_of_certificates_that_is_none(
        self, run: Path, quality: Holder, tmp_path: Path, option: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        signed(run, quality)
        for content in (None, "none", "-----BEGIN CERTIFICATE-----\nAAAA\n"):
            path = tmp_path / "trusted.pem"
            if content is not None:
                path.write_text(content)
            assert cli.main(["verify", str(run), option, str(path)]) == 64
            assert f"{option} {path}: " in capsys.readouterr().err


def forged_byte(run: Path, **_: Holder) -> None:
    """A figure of the certificate, or whatever stands there."""
    content = bytearray((run / SIGNED_PDF).read_bytes())
    content[len(content) // 3] ^= 1
    (run / SIGNED_PDF).write_bytes(content)


def forged_reason(run: Path, **_: Holder) -> None:
    """What the signature says."""
    content = (run / SIGNED_PDF).read_bytes()
    (run / SIGNED_PDF).write_bytes(content.replace(b"/Reason (A test)", b"/Reason (A jest)"))


def forged_room(run: Path, **_: Holder) -> None:
    """Where the signature left room, which it does not cover."""
    content = (run / SIGNED_PDF).read_bytes()
    at = content.rindex(b"0000>")
    (run / SIGNED_PDF).write_bytes(content[:at] + b"4A4A" + content[at + 4 :])


def of_another_run(run: Path, quality: Holder, **_: Holder) -> None:
    """The certificate of another run, signed by the same."""
    made = pdf_signature.sign(other_pdf(), pdf_key(quality), WORDS, None)
    (run / SIGNED_PDF).write_bytes(made)


def other_pdf(before: bytes = b"") -> bytes:
    """An empty page, in a file that may begin with something else."""
    content, places = before + b"%PDF-1.7\n", []
    for number, one in enumerate(
        (
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> >>",
            "<< /Title (Another run) >>",
        ),
        start=1,
    ):
        places.append(len(content))
        content += f"{number} 0 obj\n{one}\nendobj\n".encode()
    at = len(content)
    content += b"xref\n0 5\n0000000000 65535 f \n"
    content += b"".join(b"%010d 00000 n \n" % place for place in places)
    content += b"trailer\n<< /Size 5 /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n" % at
    return content


def appended(run: Path, **_: Holder) -> None:
    """A title of somebody else's after the signature."""
    writer = IncrementalPdfFileWriter(BytesIO((run / SIGNED_PDF).read_bytes()))
    writer.root["/Lang"] = pdf_name("/fi")
    writer.update_root()
    made = BytesIO()
    writer.write(made)
    (run / SIGNED_PDF).write_bytes(made.getvalue())


def countersigned(run: Path, unknown: Holder, **_: Holder) -> None:
    """A second signature."""
    writer = IncrementalPdfFileWriter(BytesIO((run / SIGNED_PDF).read_bytes()))
    made = PdfSignatureMetadata(field_name="Second")
    signer = pdf_signature._signer(pdf_key(unknown))
    (run / SIGNED_PDF).write_bytes(sign_pdf(writer, made, signer).getvalue())


def by_nobody_known(run: Path, unknown: Holder, **_: Holder) -> None:
    """A signature by somebody of the same name."""
    signed(run, unknown)


def unsigned(run: Path, **_: Holder) -> None:
    """The sealed certificate itself."""
    shutil.copy(run / CERTIFICATE, run / SIGNED_PDF)


def gone(run: Path, **_: Holder) -> None:
    """There was one."""
    (run / SIGNED_PDF).unlink()


def no_pdf(run: Path, **_: Holder) -> None:
    """It begins as one."""
    (run / SIGNED_PDF).write_bytes((run / CERTIFICATE).read_bytes() + b"\nstartxref\n7\n%%EOF\n")


def _with_signature(
    run: Path, quality: Holder, change: Callable[[IncrementalPdfFileWriter], None],
    box: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> None:
    """Sign the certificate together with something else, as who signs could."""
    writer = IncrementalPdfFileWriter(BytesIO((run / CERTIFICATE).read_bytes()))
    change(writer)
    signer = PdfSigner(
        PdfSignatureMetadata(field_name="Gatepass"),
        pdf_signature._signer(pdf_key(quality)),
        new_field_spec=SigFieldSpec("Gatepass", box=box),
    )
    (run / SIGNED_PDF).write_bytes(signer.sign_pdf(writer).getvalue())


def another_page(run: Path, quality: Holder, **_: Holder) -> None:
    """The second sheet in place of the first, signed together with it."""

    def exchange(writer: IncrementalPdfFileWriter) -> None:
        pages = writer.root["/Pages"]["/Kids"]
        page, other = pages[0], pages[len(pages) - 1]
        page["/Contents"] = other.raw_get("/Contents")
        writer.mark_update(pages.raw_get(0))

    _with_signature(run, quality, exchange)


def another_object(run: Path, quality: Holder, **_: Holder) -> None:
    """What the first sheet shows, changed where it lies."""

    def blank(writer: IncrementalPdfFileWriter) -> None:
        page = writer.root["/Pages"]["/Kids"][0]
        page["/Contents"]._data = b"q Q"
        page["/Contents"]._encoded_data = None
        writer.mark_update(page.raw_get("/Contents"))

    _with_signature(run, quality, blank)


def visible(run: Path, quality: Holder, **_: Holder) -> None:
    """A mark over the figures."""
    _with_signature(run, quality, lambda writer: None, box=(100, 100, 300, 300))


def two_fields(run: Path, quality: Holder, **_: Holder) -> None:
    """A second field, which bears no signature and may show anything."""
    _with_signature(
        run,
        quality,
        lambda writer: append_signature_field(writer, SigFieldSpec("Mark", box=(0, 0, 500, 500))),
    )


def opens_something(run: Path, quality: Holder, **_: Holder) -> None:
    """What a reader carries out when it opens the file."""

    def action(writer: IncrementalPdfFileWriter) -> None:
        writer.root["/OpenAction"] = writer.root["/Pages"]["/Kids"].raw_get(0)
        writer.update_root()

    _with_signature(run, quality, action)


def hidden_object(run: Path, quality: Holder, **_: Holder) -> None:
    """A page's content that no list names: for a reader that searches the file."""
    before = (run / CERTIFICATE).read_bytes()
    place = before[before.rindex(b"startxref") :].split()[1]
    hidden = b"16 0 obj\n<< /Length 3 >>\nstream\nq Q\nendstream\nendobj\n"
    content = before + hidden + b"startxref\n" + place + b"\n%%EOF\n"
    (run / SIGNED_PDF).write_bytes(pdf_signature.sign(content, pdf_key(quality), WORDS, None))


def behind_it(run: Path, quality: Holder, **_: Holder) -> None:
    """Begins with the certificate, and is another file that does not go by it."""
    content = other_pdf((run / CERTIFICATE).read_bytes())
    (run / SIGNED_PDF).write_bytes(pdf_signature.sign(content, pdf_key(quality), WORDS, None))


MORE = "more than a signature was added to certificate.pdf"
FORGERIES: dict[str, tuple[Callable[..., None], str]] = {
    "a byte of the certificate": (forged_byte, "does not begin with this run's certificate.pdf"),
    "a byte of the signature": (forged_reason, "it was changed after it was signed"),
    "the room of the signature": (forged_room, "something was added to it beside the signature"),
    "another run's": (of_another_run, "so it is another run's, or was changed"),
    "an update after the signature": (appended, "something was added to it after it was signed"),
    "a second signature": (countersigned, "it bears 2 signatures, and must bear one"),
    "an unknown signer": (by_nobody_known, "CN=Quality,O=Example Networks, for whom nobody"),
    "no signature": (unsigned, "it bears no signatures, and must bear one"),
    "no file": (gone, f"There is no {SIGNED_PDF}, or no longer"),
    "no PDF": (no_pdf, "it cannot be read as a signed PDF: "),
    "another page signed with it": (another_page, f"{MORE}: its object 2 is another"),
    "another object signed with it": (another_object, f"{MORE}: its object "),
    "a mark on the page": (visible, f"{MORE}: its field has /AP"),
    "a second field": (two_fields, f"{MORE}: its form has 2 fields"),
    "an action": (opens_something, f"{MORE}: its object "),
    "a hidden object": (hidden_object, f"{MORE}: there are objects in it that it does not list"),
    "another file behind it": (behind_it, f"{MORE}: it does not go by the objects of"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_named(run: Path, root: Holder, quality: Holder, name: str) -> None:
    signed(run, quality, root)
    trusted = certificates(run.parent / "trusted.pem", root)
    assert found(run, trusted).wrong == []
    forge, sentence = FORGERIES[name]
    forge(run, quality=quality, unknown=new_holder("Quality"))
    (told,) = found(run, trusted).wrong
    assert sentence in told and told.endswith("."), told
    assert SIGNED_PDF in told and "Traceback" not in told


def test_a_forgery_is_named_by_the_command(
    run: Path, quality: Holder, capfd: pytest.CaptureFixture[str]
) -> None:
    """In one sentence: the library's own words, of which there are more, are not shown."""
    signed(run, quality)
    appended(run)
    assert cli.main(["verify", str(run)]) == 1
    told = capfd.readouterr()
    (line,) = [line for line in told.out.splitlines() if SIGNED_PDF in line]
    assert "something was added to it after it was signed" in line
    assert told.err == ""


@pytest.mark.parametrize("forge", [of_another_run, another_page, opens_something, behind_it])
def test_what_verify_names_a_reader_of_pdf_may_find_valid(
    run: Path, quality: Holder, forge: Callable[..., None]
) -> None:
    """It cannot know what the run's certificate is."""
    forge(run, quality=quality)
    assert "Signature Validation: Signature is Valid." in pdfsig(run / SIGNED_PDF)
    assert found(run).wrong != []


def test_one_without_its_run_that_shows_more(run: Path, quality: Holder) -> None:
    another_page(run, quality)
    there = Findings()
    look_alone(run / SIGNED_PDF, Trust(), there)
    (told,) = there.wrong
    assert "more than a signature was added" in told


def test_what_another_reader_of_pdf_finds(
    run: Path, quality: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed(run, quality)
    monkeypatch.setattr(signed_pdf, "page_text", lambda pdf: pdf.name)
    (told,) = found(run).wrong
    assert "another reader of PDF finds other words in it than in certificate.pdf" in told


def test_a_broken_stamp(run: Path, quality: Holder, authority: tuple[str, Path]) -> None:
    pdf = signed(run, quality, authority=authority[0])
    content = pdf.read_bytes()
    stamps = [one.start() for one in re.finditer(b"7374616D70732E6578616D706C65", content)]
    room = content.index(b"000000000000000000000000", stamps[-1])
    at = room - 40  # in the stamp's own signature, its last part
    digit = b"1" if content[at : at + 1] != b"1" else b"2"
    pdf.write_bytes(content[:at] + digit + content[at + 1 :])
    (told,) = found(run).wrong
    assert told.startswith(f"The time stamp in {SIGNED_PDF} does not hold")


BAD: dict[str, tuple[Callable[[Path, Holder, Holder], list[str]], str]] = {
    "no key": (lambda to, *_: ["--pdf-key", f"{to}/none"], "this file does not exist"),
    "a folder": (lambda to, *_: ["--pdf-key", str(to)], "is not a regular file"),
    "an empty name": (lambda *_: ["--pdf-key", ""], "the name of the file is empty"),
    "no certificate": (
        lambda to, one, _: ["--pdf-key", str(one.pem(to / "k"))],
        "there is no certificate with the key. Name its file, PEM, with --pdf-certificate",
    ),
    "a certificate that is not there": (
        lambda to, one, _: ["--pdf-key", str(one.pem(to / "k")), "--pdf-certificate", f"{to}/no"],
        "/no: this file does not exist",
    ),
    "a certificate that is none": (
        lambda to, one, _: [
            *("--pdf-key", str(one.pem(to / "k")), "--pdf-certificate", str(to / "k")),
        ],
        "--pdf-certificate {to}/k: this file holds no certificates",
    ),
    "somebody else's certificate": (
        lambda to, one, other: [
            *("--pdf-key", str(one.pem(to / "k"))),
            *("--pdf-certificate", str(certificates(to / "c", other))),
        ],
        "no certificate fits the key; there is CN=Root,O=Example Networks",
    ),
    "a password that is missing": (
        lambda to, one, _: ["--pdf-key", str(one.pkcs12(to / "k"))],
        "the file is behind a password, or the file damaged. Name where that is kept: "
        "--pdf-password env:NAME or file:PATH",
    ),
    "a password that is wrong": (
        lambda to, one, _: ["--pdf-key", str(one.pkcs12(to / "k")), "--pdf-password", "env:WRONG"],
        "the password is wrong",
    ),
    "a password of PEM that is missing": (
        lambda to, one, _: ["--pdf-key", str(one.pem(to / "k", PASSWORD))],
        "the key is behind a password. Name where",
    ),
    "a password of PEM that is wrong": (
        lambda to, one, _: [
            *("--pdf-key", str(one.pem(to / "k", PASSWORD)), "--pdf-password", "env:WRONG"),
        ],
        "the password is wrong",
    ),
    "a password where there is none": (
        lambda to, one, _: ["--pdf-key", str(one.pem(to / "k")), "--pdf-password", "env:WRONG"],
        "the key has no password. Leave --pdf-password out",
    ),
    "a password in the call": (
        lambda to, one, _: ["--pdf-key", str(one.pkcs12(to / "k")), "--pdf-password", "geheim99"],
        "--pdf-password: this is no place of a secret",
    ),
    "a password in the call, with the wrong word": (
        lambda to, one, _: [
            *("--pdf-key", str(one.pkcs12(to / "k")), "--pdf-password", "env:geheim99"),
        ],
        "--pdf-password: this is no place of a secret",
    ),
    "a variable that is not set": (
        lambda to, one, _: ["--pdf-key", str(one.pkcs12(to / "k")), "--pdf-password", "env:NO_ONE"],
        "--pdf-password: the environment variable NO_ONE is not set or empty",
    ),
    "a password's file that is not there": (
        lambda to, one, _: ["--pdf-key", str(one.pkcs12(to / "k")), "--pdf-password", "file:/no/1"],
        "--pdf-password: the secret's file, sought in /no, does not exist",
    ),
    "a password that is no text": (
        lambda to, one, _: ["--pdf-key", str(one.pkcs12(to / "k")), "--pdf-password", "env:BYTES"],
        "--pdf-password: the secret is not one line of text",
    ),
    "a password without a key": (
        lambda *_: ["--pdf-password", "env:WRONG"],
        "--pdf-password belongs to --pdf-key, which is not named",
    ),
    "a certificate without a key": (
        lambda *_: ["--pdf-certificate", "c.pem"],
        "--pdf-certificate belongs to --pdf-key, which is not named",
    ),
    "a key that everybody may read": (
        lambda to, one, _: ["--pdf-key", str(_open(one.pem(to / "k")))],
        "it may be read by others. Make it yours alone with `chown` and `chmod 600`",
    ),
    "no key at all": (
        lambda to, *_: ["--pdf-key", str(_private(to / "k", b"none"))],
        "this is neither PKCS#12 nor PEM",
    ),
    "PEM without a key": (
        lambda to, one, _: ["--pdf-key", str(_closed(certificates(to / "k", one)))],
        "there is no private key in it that can be used",
    ),
    "not yet valid": (
        lambda to, _, root: _own(to, new_holder("Early", root, days=(2, 9))),
        "the certificate of CN=Early,O=Example Networks is not valid before 20",
    ),
    "no longer valid": (
        lambda to, _, root: _own(to, new_holder("Late", root, days=(-9, -2))),
        "the certificate of CN=Late,O=Example Networks is no longer valid since 20",
    ),
    "for something else": (
        lambda to, _, root: _own(to, new_holder("Tls", root, uses=("key_encipherment",))),
        "is not meant for signing: its key usage has neither digitalSignature nor nonRepudiation",
    ),
    "an authority's own": (lambda to, _, root: _own(to, root), "is not meant for signing"),
    "a short key": (
        lambda to, _, root: _own(
            to, new_holder("Short", root, key=rsa.generate_private_key(65537, 1024))
        ),
        "Take one of RSA with at least 2048 bits",
    ),
    "a key of another kind": (
        lambda to, _, root: _own(
            to, new_holder("Coin", root, key=ec.generate_private_key(ec.SECP256K1()))
        ),
        "readers of PDF do not trust a key of this kind",
    ),
}


def _own(to: Path, holder: Holder) -> list[str]:
    return ["--pdf-key", str(holder.pkcs12(to / "k", password=""))]


def _private(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return _closed(path)


def _closed(path: Path) -> Path:
    path.chmod(0o600)
    return path


def _open(path: Path) -> Path:
    path.chmod(0o644)
    return path


class TestBadCalls:
    @pytest.mark.parametrize("name", BAD)
    def test_a_mistake_is_one_sentence(
        self, sealed: Path, provider_key: Path, root: Holder, quality: Holder, tmp_path: Path,
        name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
    ) -> None:
        """And nothing was signed by then."""
        monkeypatch.setenv("WRONG", "another word")
        monkeypatch.setenv("BYTES", os.fsdecode(b"a\xffb"))
        words, sentence = BAD[name]
        given = words(tmp_path, quality, root)
        assert cli.main(["sign", str(sealed), "--key", str(provider_key), *given]) == 64
        told = capfd.readouterr()
        assert sentence.format(to=tmp_path) in told.err and told.err.count("\n") == 1, told.err
        assert "--pdf-" in told.err and told.out == ""
        for secret in ("geheim99", "another word", PASSWORD):
            assert secret not in told.err
        assert not (sealed / f"{SUMS}.sig").exists() and not (sealed / SIGNED_PDF).exists()

    def test_a_run_without_a_pdf(
        self, sealed: Path, provider_key: Path, quality: Holder, tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        words = ["sign", str(sealed), "--key", str(provider_key), *_own(tmp_path, quality)]
        assert cli.main(words) == 64
        told = capsys.readouterr().err
        assert f"--pdf-key: {sealed} holds no certificate.pdf" in told
        assert "apt-get install chromium" in told
        assert not (sealed / f"{SUMS}.sig").exists()

    @pytest.mark.parametrize(
        ("answer", "sentence"),
        [(b"<html>Sign in first</html>", "no time stamp"), (b"", "no time stamp")],
    )
    def test_an_authority_that_does_not_stamp(
        self, run: Path, quality: Holder, authority: tuple[str, Path], answer: bytes,
        sentence: str, monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(Authority, "answer", answer)
        with pytest.raises(InputError, match=f"--timestamp {authority[0]}: .*{sentence}"):
            signed(run, quality, authority=authority[0])
        assert not (run / SIGNED_PDF).exists()

    def test_an_old_answer(
        self, run: Path, quality: Holder, authority: tuple[str, Path],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A stamp of something else, which somebody has kept."""
        kept: list[bytes] = []
        ask = pdf_signature.timestamp.ask

        def asked(address: str, query: bytes) -> bytes:
            kept.append(ask(address, query))
            return kept[0]

        monkeypatch.setattr(pdf_signature.timestamp, "ask", asked)
        with pytest.raises(InputError, match="its answer is no time stamp"):
            signed(run, quality, authority=authority[0])

    def test_an_authority_that_is_not_there(self, run: Path, quality: Holder) -> None:
        with pytest.raises(InputError, match=r"cannot be asked \(ConnectionError\)"):
            signed(run, quality, authority="http://127.0.0.1:9/")

    def test_what_the_library_cannot_sign(self, quality: Holder) -> None:
        for content in (b"", b"none", b"%PDF-1.4\n%%EOF\n"):
            with pytest.raises(InputError, match=r"--pdf-key key\.p12: certificate\.pdf cannot"):
                pdf_signature.sign(content, pdf_key(quality), WORDS, None)
            with pytest.raises(NotSigned):
                judged(content)

    def test_a_folder_that_nobody_may_write_to(
        self, run: Path, provider_key: Path, quality: Holder, tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        (run / SIGNED_PDF).mkdir()
        words = ["sign", str(run), "--key", str(provider_key), *_own(tmp_path, quality)]
        assert cli.main(words) == 64
        assert f"{run / SIGNED_PDF}: this file cannot be written" in capsys.readouterr().err
        assert not [one for one in run.iterdir() if one.name.startswith(".")]


def test_keys_of_openssh_are_none_for_a_pdf(
    sealed: Path, tmp_path: Path, provider_key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = new_key(tmp_path / "ssh")
    words = ["sign", str(sealed), "--key", str(provider_key), "--pdf-key", str(key)]
    assert cli.main(words) == 64
    assert f"--pdf-key {key}: there is no private key in it" in capsys.readouterr().err
