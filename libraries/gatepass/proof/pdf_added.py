"""What was added to a PDF, object by object: one signature that shows on no page, and no more.

A signature covers whatever was added together with it, such as another page over the first. So a
PDF that begins with the certificate and is signed may still show something else than it.
"""

from __future__ import annotations

import re
from io import BytesIO

from pyhanko.pdf_utils.generic import (
    ArrayObject,
    DictionaryObject,
    IndirectObject,
    PdfObject,
    Reference,
    StreamObject,
)
from pyhanko.pdf_utils.reader import HistoricalResolver, PdfFileReader
from pyhanko.sign.validation import EmbeddedPdfSignature

_OBJECT = re.compile(rb"\d\s+\d+\s+obj\b")
"""As each object begins; a reader goes by these where the list of them is damaged."""
_CATALOG = frozenset({"/AcroForm", "/Extensions", "/Version"})
_DOCUMENT = frozenset({"/ModDate", "/Producer"})
_PAGE = frozenset({"/Annots"})
_FORM = frozenset({"/Fields", "/SigFlags"})
_FIELD = frozenset({"/FT", "/T", "/Type", "/Subtype", "/F", "/Rect", "/P", "/V"})
"""No looks (``/AP``, ``/MK``), nothing to be carried out (``/A``, ``/AA``), no ``/Kids``."""


def strange(content: bytes, signature: EmbeddedPdfSignature, original: bytes | None) -> str:
    """What there is beside the signature, in a few words; empty where there is nothing.

    Args:
        content: of the PDF.
        signature: in it.
        original: what it begins with, as it was before; None where that is not known.
    """
    reader = signature.reader
    revision = reader.xrefs.total_revisions - 1
    if revision < 1:
        return "it was written anew as a whole"
    if reader.encrypted or reader.xrefs.hybrid_xrefs_present:
        return "it can be read in two ways"
    old, new = (reader.get_historical_resolver(number) for number in (revision - 1, revision))
    found = _beside(signature.sig_field) or _changes(reader, old, new)
    return found or (_astray(content, original, new) if original is not None else "")


def _astray(content: bytes, original: bytes, new: HistoricalResolver) -> str:
    """What a reader may come upon that goes another way through the file, or searches it."""
    xrefs, before = new.reader.xrefs, PdfFileReader(BytesIO(original))
    place = xrefs.get_startxref_for_revision(new.revision - 1)
    if (before.xrefs.total_revisions, before.last_startxref) != (new.revision, place):
        return "it does not go by the objects of the certificate"
    listed = len(new.explicit_refs_in_revision())
    if len(_OBJECT.findall(content, len(original))) != listed:
        return "there are objects in it that it does not list"
    return ""


def _beside(field: DictionaryObject) -> str:
    if not field.keys() <= _FIELD:
        return f"its field has {', '.join(sorted(field.keys() - _FIELD))}"
    if any(field["/Rect"]):
        return "its field is visible"
    return ""


def _changes(reader: PdfFileReader, old: HistoricalResolver, new: HistoricalResolver) -> str:
    """The first object that is another, or that a signature does not need."""
    if new.refs_freed_in_revision():
        return "an object was taken away"
    if _named(old, "/Root") != _named(new, "/Root") or _named(old, "/Info") != _named(new, "/Info"):
        return "its trailer names other objects"
    form = new.root.raw_get("/AcroForm")
    fields = form.get_object().raw_get("/Fields")
    if not form.get_object().keys() <= _FORM or not isinstance(fields, ArrayObject):
        return "its form is no plain one"
    if len(fields) != 1:
        return f"its form has {len(fields)} fields"
    field = fields.raw_get(0)
    needed = (form, field, field.get_object().raw_get("/V"))
    known = {one.reference for one in needed if isinstance(one, IndirectObject)}
    known.add(reader.xrefs.get_xref_container_info(new.revision).stream_ref)
    for reference in sorted(new.explicit_refs_in_revision(), key=lambda one: one.idnum):
        if reader.xrefs.get_historical_ref(reference, old.revision) is not None:
            if not _may_change(reference, old, new, field):
                return f"its object {reference.idnum} is another"
        elif reference not in known:
            return f"its object {reference.idnum} is new"
    return ""


def _named(revision: HistoricalResolver, key: str) -> PdfObject | None:
    trailer = revision.trailer_view
    return trailer.raw_get(key) if key in trailer else None


def _may_change(
    reference: Reference, old: HistoricalResolver, new: HistoricalResolver, field: IndirectObject
) -> bool:
    before, after = old(reference), new(reference)
    if not (_plain(before) and _plain(after)):
        return False
    info = _named(old, "/Info")
    if reference == old.root_ref:
        free = _CATALOG
    elif isinstance(info, IndirectObject) and reference == info.reference:
        free = _DOCUMENT
    elif before.get("/Type") == "/Page" and _notes(after) == [*_notes(before), field]:
        free = _PAGE
    else:
        return False
    return all(
        key in before and key in after and before.raw_get(key) == after.raw_get(key)
        for key in (before.keys() | after.keys()) - free
    )


def _plain(one: PdfObject) -> bool:
    return isinstance(one, DictionaryObject) and not isinstance(one, StreamObject)


def _notes(page: DictionaryObject) -> list[PdfObject]:
    """What lies on a page, as far as the page itself lists it."""
    there = page.raw_get("/Annots") if "/Annots" in page else ArrayObject()
    return list(there.iterate()) if isinstance(there, ArrayObject) else [there]
