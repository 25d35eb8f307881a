"""PDFs that keep a parser busy, fill its memory or lead it in circles; and one that can be read."""

import zlib
from collections.abc import Mapping, Sequence

__all__ = ["HOSTILE_PDFS", "pdf_of"]

_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
_PAGES = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def pdf_of(text: str) -> bytes:
    """A plain PDF with one line of text."""
    return _with_content(b"BT /F1 12 Tf 72 720 Td (%s) Tj ET" % text.encode())


def _file(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    body, places = b"%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), entries, content)


def _with_content(content: bytes, entries: bytes = b"") -> bytes:
    return _file((_CATALOG, _PAGES, _PAGE, _stream(content, entries), _FONT))


def _bomb() -> bytes:
    """Zeros that are packed twice: 100 KB, and gigabytes when unpacked."""
    packed = zlib.compress(zlib.compress(bytes(60 * 2**20), 9) * 1, 9)
    return _with_content(packed, b"/Filter[/FlateDecode/FlateDecode]")


def _many_pages() -> bytes:
    """One page, of one long stream, ten thousand times."""
    words = zlib.compress(b"BT /F1 12 Tf 72 720 Td (walrus) Tj ET\n" * 200_000, 9)
    pages = b"<</Type/Pages/Kids[%s]/Count 10000>>" % (b"3 0 R " * 10_000)
    return _file((_CATALOG, pages, _PAGE, _stream(words, b"/Filter/FlateDecode"), _FONT))


def _form(number: int) -> bytes:
    """Draws the next form ten times."""
    entries = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>" % (number + 1)
    return _stream(b"/X Do " * 10, entries)


def _forms_in_forms() -> bytes:
    """Each form draws the next one ten times, twelve levels deep: 10^12 drawings in 2 KB."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>"
    forms = [_form(number) for number in range(5, 17)]
    last = _stream(b"BT ET", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]")
    return _file((_CATALOG, _PAGES, page, _stream(b"/X Do"), *forms, last))


def _looping_xref() -> bytes:
    """A cross-reference table whose earlier one is itself, and tables that refer to each other."""
    whole = pdf_of("walrus")
    at = int(whole.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    return _file((_CATALOG, _PAGES, _PAGE, _stream(b""), _FONT), b"/Prev %d" % at)


HOSTILE_PDFS: Mapping[str, bytes] = {
    "a tree of pages that holds itself": _file((_CATALOG, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>")),
    "a tree of pages without end": _file(
        (_CATALOG, *(b"<</Type/Pages/Kids[%d 0 R %d 0 R]/Count 2>>" % (n + 1, n + 1) for n in range(2, 40)), _PAGE)
    ),
    "an xref that leads to itself": _looping_xref(),
    "objects that refer to each other": _file((b"2 0 R", b"1 0 R", _PAGE)),
    "arrays within arrays": _with_content(b"[" * 300_000),
    "dictionaries within dictionaries": _file((_CATALOG, b"<</A " * 100_000, _PAGE)),
    "a stream that unpacks to gigabytes": _bomb(),
    "one page ten thousand times": _many_pages(),
    "forms that draw forms": _forms_in_forms(),
    "no xref and many objects": b"%PDF-1.4\n" + b"1 0 obj\n<<>>\nendobj\n" * 60_000,
    "a text that is never closed": _with_content(b"BT (" + b"(" * 500_000),
    "operands without an operator": _with_content(b"1 " * 2_000_000),
    "numbers that are long": _with_content(b"BT " + b"9" * 1_000_000 + b" Td ET"),
}
