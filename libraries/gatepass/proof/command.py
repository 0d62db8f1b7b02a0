"""``./run.sh sign`` and ``./run.sh verify``: who vouches for a run, and whether it is unchanged."""

from __future__ import annotations

from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gatepass.base.arguments import Parser
from gatepass.base.arguments import file as path_of
from gatepass.base.errors import InputError
from gatepass.base.paths import RESULTS, run_folder
from gatepass.base.printable import shown
from gatepass.inputs.secret import SecretReference
from gatepass.proof import chain, signed_pdf, vouching
from gatepass.proof.findings import Code, Findings, Trust
from gatepass.proof.folder import SIGNED_PDF, SUMS
from gatepass.proof.signature import sign as make_signature
from gatepass.proof.timestamp import stamp
from gatepass.proof.verify import record
from gatepass.proof.verify import verify as look
from gatepass.report.verify import verify as of_certificate

if TYPE_CHECKING:
    from gatepass.proof.pdf_key import PdfKey

DONE = 0
_MOST = 20
"""Lines; more say nothing new."""
_CODES = """\
exit codes
  0 all of it holds, and somebody named with --signers or --pdf-signers vouches for it
  1 something was changed, does not follow, or is not signed by whom you named
  3 nothing is wrong, but nobody whom you named vouches for it, or another copy of Gatepass made
    it, so that not all of it could be made again
  64 there is nothing that can be looked at, or a mistake in the call
"""


def sign(arguments: Sequence[str]) -> int:
    """Sign the record of a run, after looking at it; the exit code.

    Raises:
        InputError: a mistake in the call, or something that must not be signed.
    """
    parser = Parser(
        prog="./run.sh sign",
        description="Signs the record of a run with a key of OpenSSH, so that anybody can tell who "
        "vouches for it; and, with --pdf-key, its certificate.pdf as readers of PDF show it, as "
        f"{SIGNED_PDF} beside it. See docs/verify.md.",
        allow_abbrev=False,
    )
    parser.add_argument("run", metavar="RUN", help="its folder, or that folder's name")
    parser.add_argument(
        "--key",
        metavar="FILE",
        type=path_of,
        required=True,
        help="private key, or the public one of a key that ssh-agent keeps",
    )
    parser.add_argument(
        "--timestamp",
        metavar="URL",
        help="a time stamping authority after RFC 3161; it stamps each signature",
    )
    _pdf_options(parser)
    args = parser.parse_args(arguments)
    pdf_key = _pdf_key(args)
    folder = _folder(args.run)
    found, outcome = record(folder)
    vouching.look_before_signing(folder, outcome, found)
    if not args.timestamp:  # what is made anew need not hold
        vouching.stamped(folder, Trust(), found)
    if not pdf_key:
        signed_pdf.look(folder, Trust(), found)
    if found.wrong:
        raise InputError(
            f"{folder}: what was changed is not signed. {found.wrong[0]} Take the run from a copy, "
            "or run again."
        )
    if pdf_key:
        signed_pdf.must_have_certificate(folder)
    _show_rest(found)
    print(f"Signed: {make_signature(folder, args.key)}")
    if args.timestamp:
        print(f"Stamped: {stamp(folder, args.timestamp)}")
    if pdf_key:
        print(f"Signed: {signed_pdf.sign(folder, pdf_key, args.timestamp)}")
    return DONE


def _pdf_options(parser: Parser) -> None:
    parser.add_argument(
        "--pdf-key",
        metavar="FILE",
        type=path_of,
        help="signs certificate.pdf too, after PAdES: a .p12 or .pfx file (PKCS#12), or a private "
        "key in PEM",
    )
    parser.add_argument(
        "--pdf-certificate",
        metavar="FILE",
        type=path_of,
        help="the certificate of that key and those above it, PEM, as far as its own file has not",
    )
    parser.add_argument(
        "--pdf-password",
        metavar="env:NAME|file:PATH",
        help="where the password of --pdf-key is kept; it never stands in a call itself",
    )


def _pdf_key(args: Namespace) -> PdfKey | None:
    """The key to sign the PDF with; None where that is not asked for."""
    if not args.pdf_key:
        for option in ("pdf_certificate", "pdf_password"):
            if getattr(args, option) is not None:
                name = f"--{option.replace('_', '-')}"
                raise InputError(f"{name} belongs to --pdf-key, which is not named. Name it too.")
        return None
    from gatepass.proof.pdf_key import PASSWORD, read

    place = args.pdf_password
    password = None if place is None else SecretReference.of_option(PASSWORD, place)
    return read(args.pdf_key, args.pdf_certificate, password)


def verify(arguments: Sequence[str], beside: Callable[[Path, Findings], None]) -> int:
    """Tell whether a run, a certificate, or the chain of all runs is unchanged; the exit code.

    Args:
        arguments: of the call.
        beside: looks at what lies beside the runs in the folder of all of them, and adds to what
            was found.

    Raises:
        InputError: a mistake in the call.
    """
    parser = Parser(
        prog="./run.sh verify",
        description="Tells who vouches for a run, whether its folder is as the run has left it, "
        "and whether all of it follows from its trials; or the same of a certificate and its "
        "output.xml; or of the folder of all runs, and whether one is missing there.",
        epilog=_CODES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "what",
        metavar="RUN|CERTIFICATE",
        type=path_of,
        help="the folder of a run or of all runs, or a certificate (HTML or PDF)",
    )
    parser.add_argument(
        "output",
        nargs="?",
        metavar="OUTPUT.XML",
        type=path_of,
        help="of a certificate; default: the one beside it",
    )
    parser.add_argument(
        "--signers",
        metavar="FILE",
        type=path_of,
        help="who may sign: an allowed_signers file of OpenSSH",
    )
    parser.add_argument(
        "--authorities",
        metavar="FILE",
        type=path_of,
        help="whose time stamps count, also those in the PDF: their certificates, PEM",
    )
    parser.add_argument(
        "--pdf-signers",
        metavar="FILE",
        type=path_of,
        help="who may sign the PDF: their certificates, or those of authorities above them, PEM",
    )
    args = parser.parse_args(arguments)
    for option in ("signers", "authorities", "pdf_signers"):
        path, name = getattr(args, option), f"--{option.replace('_', '-')}"
        if path and not path.is_file():
            raise InputError(f"{name} {path}: there is no such file. Correct the path.")
    trust = Trust(args.signers, args.authorities, args.pdf_signers)
    if not args.what.is_dir():
        return _certificate(args.what, args.output or args.what.with_name("output.xml"), trust)
    if not (args.what / SUMS).is_file() and not (args.what / "output.xml").is_file():
        found = _of_all(args.what, trust)
        beside(args.what, found)
        return _shown(args.what, found)
    return _shown(args.what, look(args.what, trust))


def _certificate(certificate: Path, output: Path, trust: Trust) -> int:
    finding, found = of_certificate(certificate, output), Findings()
    (found.seen if finding.unchanged else found.wrong).append(finding.sentence)
    found.open += [finding.left] * bool(finding.left)
    signed_pdf.look_alone(certificate, trust, found)
    return _shown(certificate, found)


def _folder(run: str) -> Path:
    given = Path(run)
    folder = given if given.is_dir() else run_folder(RESULTS, run)
    if not folder.is_dir():
        raise InputError(f"'{run[:60]}': there is no such run. Name a run's folder.")
    return folder


def _shown(what: Path, found: Findings) -> int:
    """Print what was found, who vouches or what is wrong first; the exit code."""
    if found.wrong:
        print(f"Wrong in {what}: {shown(found.wrong[0])}")
        for sentence in found.wrong[1:_MOST]:
            print(f"  {shown(sentence)}")
        if len(found.wrong) > _MOST:
            print(f"  … and {len(found.wrong) - _MOST} more.")
    else:
        print(f"{shown(found.headline)}: {what}")
    _show_rest(found)
    return found.code


def _show_rest(found: Findings) -> None:
    """Print what was looked at where nothing is wrong, and what nobody could tell."""
    if not found.wrong:
        print(f"  Looked at: {shown('; '.join(one.rstrip('.') for one in found.seen))}.")
    for sentence in found.open:
        print(f"  {shown(sentence)}.")


def _one(folder: Path, trust: Trust) -> Findings:
    """What is found of one run among others, also of one that cannot be looked at."""
    try:
        return look(folder, trust)
    except InputError as error:
        return Findings([str(error)])


def _of_all(results: Path, trust: Trust) -> Findings:
    """What is found of all runs together, and of their chain.

    Raises:
        InputError: there is none.
    """
    folders = sorted(path.parent for path in results.glob(f"**/{SUMS}"))
    if not folders:
        raise InputError(
            f"{results}: there is no run in it that was sealed. Name the folder of a run, that of "
            "all runs, or a certificate."
        )
    each = {folder.relative_to(results).as_posix(): _one(folder, trust) for folder in folders}
    runs = f"{len(each)} run{'' if len(each) == 1 else 's'}"
    found = Findings(list(chain.missing(results)), [f"{runs}, as those after them have seen them"])
    alike: dict[str, list[str]] = {}
    for name, one in each.items():
        found.wrong += [f"{name}: {sentence}" for sentence in one.wrong]
        if one.code is Code.UNVOUCHED:
            alike.setdefault(one.headline, []).append(name)
        found.program = found.program or one.program
    for headline, names in alike.items():
        more = f" and {len(names) - _MOST} more" * (len(names) > _MOST)
        found.open.append(f"{headline}: {', '.join(names[:_MOST])}{more}")
    if all(one.vouchers for one in each.values()):
        found.vouchers = [name for one in each.values() for name in one.vouchers]
    if all(one.stamped for one in each.values()):
        moments = sorted({one.stamped for one in each.values()})
        found.stamped = " to ".join(dict.fromkeys((moments[0], moments[-1])))
    return found
