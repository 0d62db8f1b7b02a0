"""Reads a certificate back as its reader sees it."""

import xml.etree.ElementTree as ET

from certificate_examples import DIGEST
from gatepass.report.certificate import render
from gatepass.results.outcome import Outcome


def parsed(outcome: Outcome) -> ET.Element:
    """The page as a tree; the parser refuses what is not well-formed."""
    return ET.fromstring(render(outcome, DIGEST))


def text(element: ET.Element) -> str:
    """What a reader sees of an element, on one line."""
    return " ".join("".join(element.itertext()).replace("\u202f", " ").split())


def body(outcome: Outcome) -> str:
    return text(parsed(outcome).find("body"))


def rows(outcome: Outcome, table: str) -> dict[str, list[str]]:
    """The rows of all tables of a class by their heading, without the note below it."""
    found = parsed(outcome).iterfind(f".//table[@class='{table}']/tbody/tr")
    return {_heading(row[0]): [text(cell) for cell in row[1:]] for row in found}


def _heading(cell: ET.Element) -> str:
    strong = cell.find("strong")
    return text(cell if strong is None else strong)


def reasons(outcome: Outcome) -> list[str]:
    return [text(item) for item in parsed(outcome).iterfind(".//section/ol/li")]
