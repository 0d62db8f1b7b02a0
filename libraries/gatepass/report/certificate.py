"""The certificate: one page that a service manager decides from and a customer keeps.

A function of ``output.xml`` alone. No clock and nothing of the environment goes into it, so the
same results make the same bytes, years later as well.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from gatepass.report.page import page
from gatepass.report.page_template import template
from gatepass.report.pdf import print_pdf
from gatepass.report.wording import wording
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome, read


def render(outcome: Outcome, digest: str) -> str:
    """The certificate of a run as one self-contained HTML page.

    Args:
        outcome: what ``output.xml`` tells; facts may be missing where the run ended early.
        digest: SHA-256 of that ``output.xml``, hexadecimal.
    """
    words = wording(page_language(outcome))
    return template("certificate.html").render(
        page=page(outcome, digest, words), t=words.texts, digest=digest
    )


def write(output_xml: Path, target: Path) -> Outcome:
    """Make the certificate of an ``output.xml``.

    Args:
        output_xml: of robot, rebot or pabot.
        target: the HTML file; an older one is replaced.

    Returns:
        The outcome that the certificate tells.

    Raises:
        robot.api.DataError: the file is missing or is no output of Robot Framework.
        OSError: the certificate cannot be written.
    """
    outcome = read(output_xml)
    digest = sha256(Path(output_xml).read_bytes()).hexdigest()
    Path(target).write_text(render(outcome, digest), encoding="utf-8", newline="\n")
    return outcome


def write_pdf(outcome: Outcome, page: Path) -> str:
    """Print a certificate, as a PDF beside its HTML file.

    Args:
        outcome: that it tells.
        page: the HTML file.

    Returns:
        The path of the PDF; or why there is none, in a sentence.
    """
    pdf = Path(page).with_suffix(".pdf")
    return print_pdf(page, pdf, outcome.run.get("started")) or str(pdf)


def page_language(outcome: Outcome) -> object:
    """The language that the order asks for; None where the order is not known."""
    return group(outcome.run, "order").get("language")
