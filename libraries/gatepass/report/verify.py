"""Do a certificate and an ``output.xml`` belong together, and is neither changed?

The certificate names the check sum of its ``output.xml``, and is a function of it: made again, it
has to be the same, byte for byte. A PDF is compared by its check sum and its words, and as a
picture with one that is printed again, where browser and fonts are those it was printed with.
"""

from __future__ import annotations

import re
import subprocess
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import gatepass
from gatepass.base.environment import without_secrets
from gatepass.base.errors import InputError
from gatepass.base.files import contents
from gatepass.report.certificate import render
from gatepass.report.printed import compared
from gatepass.results.outcome import NoResults, Outcome, read

_NAMED = re.compile(r'<meta name="gatepass-output-sha256" content="([^"]*)"/>')
_DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_MARGIN = re.compile(r"content: (.*);")
_WORD = re.compile(r"[−+]?\d+(?:[.,]\d+)+\w*|[−+]\d\w*|\w+")
"""A figure with its sign and its decimals is one."""
_JOINT = re.compile(r"\w[-\u2010\u00ad][^\W\d]|\d\s+[^\W\d]")
_LONG = 12
"""Letters; a shorter word fits into every line, so it is never printed in parts."""
_HIDDEN = {"title", "desc"}
_FOR_THE_EAR = {"lab-mark", "unseen"}
"""Classes of what is not printed as text of the page, or only with some browsers."""


@dataclass(frozen=True)
class Finding:
    """What came out.

    Attributes:
        unchanged: whether the two belong together, and neither was changed.
        sentence: that, in words.
        left: what was not looked at and why, in a sentence without its period; may be empty.
    """

    unchanged: bool
    sentence: str
    left: str = ""


def verify(certificate: Path, output: Path) -> Finding:
    """Hold a certificate against an ``output.xml``.

    Args:
        certificate: HTML or PDF.
        output: the raw results that it is said to be made of.

    Raises:
        InputError: a file cannot be read, or the first is no certificate of Gatepass.
    """
    content, results = _bytes(certificate), _bytes(output)
    pdf = content.startswith(b"%PDF")
    text = page_text(certificate) if pdf else content.decode("utf-8", errors="replace")
    named = set(_DIGEST.findall("".join(text.split()) if pdf else text))
    digests = {found[1]} if (found := _NAMED.search(text)) else named
    if not (named if pdf else found):
        raise InputError(
            f"{certificate}: this is no certificate of Gatepass: it names no check sum of an "
            "output.xml. Name a certificate.html or certificate.pdf."
        )
    if digests != named or len(named) != 1:
        return Finding(
            False, f"{certificate.name} was changed: its check sum of the raw results is damaged."
        )
    digest = sha256(results).hexdigest()
    if named != {digest}:
        return Finding(False, _other_results(certificate, output, text, named.pop(), digest))
    outcome = _outcome(output)
    again = render(outcome, digest)
    if not pdf and content == again.encode():
        return Finding(True, _unchanged(certificate, output, outcome, "every byte"))
    difference = changed_word(text, again) if pdf else _changed_line(text, again)
    if pdf and not difference:
        picture = compared(certificate, again, outcome.run.get("started"))
        difference = picture.difference and f"{picture.difference}."
    if pdf and not difference:
        what = "the check sum, every word and figure, and the look of each page"
        if picture.skipped:
            what = "the check sum and every word and figure, though not the layout,"
        left = f"{certificate.name} was not compared as a picture: {picture.skipped}"
        sentence = _unchanged(certificate, output, outcome, what)
        return Finding(True, sentence, left if picture.skipped else "")
    made_by = str(outcome.run.get("gatepass"))
    if made_by != gatepass.__version__:
        return Finding(
            False,
            f"{certificate.name} was made by Gatepass {made_by}, and this is "
            f"{gatepass.__version__}, which may write it otherwise. The check sum is that of "
            f"{output.name}; use version {made_by} to compare the rest.",
        )
    return Finding(False, f"{certificate.name} was changed: {difference}")


def _unchanged(certificate: Path, output: Path, outcome: Outcome, what: str) -> str:
    order = outcome.run.get("order", {}).get("order", "not known")
    return (
        f"{certificate.name} and {output.name} belong together; {what} of it follows "
        f"from these results. Order {order}: {outcome.verdict}."
    )


def _other_results(
    certificate: Path, output: Path, text: str, named: str, digest: str
) -> str:
    sums = f"{certificate.name} names the check sum {named[:12]}…, the file has {digest[:12]}…."
    try:
        run_id = str(_outcome(output).run.get("run_id") or "")
    except InputError:
        run_id = ""
    if not run_id:
        return f"{output.name} holds no results of a run, or no longer, as it was changed. {sums}"
    squeezed = "".join(text.split())
    if "".join(run_id.split()) in squeezed:
        return f"{output.name} was changed after the certificate was made: {sums}"
    return f"{output.name} is of another run ({run_id}): {sums}"


def _changed_line(text: str, again: str) -> str:
    """The first line that is not what it must be."""
    is_there, must_be = text.splitlines(), again.splitlines()
    for number, (one, other) in enumerate(zip(is_there, must_be, strict=False), start=1):
        if one != other:
            at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            start = max(0, at - 30)
            return (
                f"line {number} reads “…{one[start : at + 30]}…” and must read "
                f"“…{other[start : at + 30]}…”."
            )
    return f"it has {len(is_there)} lines and must have {len(must_be)}."


def changed_word(text: str, again: str) -> str:
    """A word of the page that the PDF lacks, or one too many; empty where there is none.

    What stands in its margins, the heads of tables and the mark across the page may come on every
    sheet again. A reader of PDF joins words over a line's end and parts long ones.
    """
    page = ElementTree.fromstring(again)
    body = page.find("body")
    visible = " ".join(_visible(body))
    must_be, joints = _words(visible), _joints(visible)
    printed: list[str] = []
    known = set(must_be)
    for word in _words(text):
        printed += [word] if word in known else _joined(word, must_be, joints) or [word]
    missing = list((Counter(must_be) - Counter(printed)).elements())
    between = range(len(printed))
    parted = [word for word in missing if len(word) >= _LONG and _joined(word, printed, between)]
    if lost := [word for word in missing if word not in parted]:
        return f"it lacks “{lost[0]}”."
    heads = " ".join(" ".join(head.itertext()) for head in page.iter("thead"))
    margins = " ".join(_MARGIN.findall("".join(page.find("head/style").itertext())))
    unseen = " ".join(one.text or "" for one in body.iter() if one.get("class") in _FOR_THE_EAR)
    repeated = set(_words(f"{heads} {_unescaped(margins)} {unseen}"))
    repeated |= {str(number) for number in range(1, text.count("\f") + 2)}
    for word in (Counter(printed) - Counter(must_be)).elements():
        in_parts = any(word in parts for parts in (*parted, *_words(unseen)))
        if word not in repeated and not in_parts:
            return f"it holds “{word}”, which the page does not."
    return ""


def _joined(word: str, among: Sequence[str], joints: Container[int]) -> Sequence[str]:
    """The neighbours among these words that make this one; empty where none do.

    Args:
        word: that is looked for.
        among: words in their order.
        joints: behind which of them, by their places, the next one may be joined.
    """
    for start, part in enumerate(among):
        end, joined = start + 1, part
        while word.startswith(joined) and joined != word and end < len(among):
            if end - 1 not in joints:
                break
            joined += among[end]
            end += 1
        if joined == word and end > start + 1:
            return among[start:end]
    return []


def _joints(text: str) -> set[int]:
    """Behind which words a reader of PDF may join the next: at a hyphen, or a figure to its unit.

    Nowhere else, as what is joined where a point or an apostrophe stood is another word.
    """
    found = list(_WORD.finditer(unicodedata.normalize("NFKC", text)))
    return {
        number
        for number, (one, other) in enumerate(pairwise(found))
        if _JOINT.fullmatch(one.string, max(one.start(), one.end() - 1), other.start() + 1)
    }


def _visible(element: ElementTree.Element) -> Iterator[str]:
    """The texts that a reader sees, in their order."""
    if element.tag not in _HIDDEN and element.get("class") not in _FOR_THE_EAR:
        yield element.text or ""
        for child in element:
            yield from _visible(child)
            yield child.tail or ""


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def _unescaped(css: str) -> str:
    """What the strings of a style sheet say."""
    return re.sub(r"\\([0-9a-f]+) ", lambda found: chr(int(found[1], 16)), css)


def page_text(pdf: Path) -> str:
    """The text of a PDF, a form feed after each page.

    Raises:
        InputError: it cannot be read.
    """
    try:
        done = subprocess.run(
            ["pdftotext", "-enc", "UTF-8", str(pdf), "-"],
            env=without_secrets(),
            capture_output=True,
            timeout=60,
            check=False,
        )
    except FileNotFoundError:
        raise InputError(
            f"{pdf}: to read a PDF, pdftotext is needed (apt-get install poppler-utils). Or name "
            "the certificate.html."
        ) from None
    if done.returncode:
        raise InputError(f"{pdf}: this PDF cannot be read. Name a certificate of Gatepass.")
    return done.stdout.decode("utf-8", errors="replace")


def _outcome(output: Path) -> Outcome:
    try:
        return read(output)
    except NoResults as error:
        raise InputError(
            f"{output}: these are no results of a run: {str(error).splitlines()[0]}. Name the "
            "output.xml of the certificate's run."
        ) from None


def _bytes(path: Path) -> bytes:
    try:
        return contents(path)
    except OSError as error:
        raise InputError(f"{path}: this file cannot be read: {error.strerror}.") from None
