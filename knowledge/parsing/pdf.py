import re
from bisect import bisect_right
from collections.abc import Iterator

import pypdfium2 as pdfium
from pypdfium2 import raw

from knowledge.parsing.base import Block, Headings, Limits, Unreadable, clean, paragraphs

MOST_BOOKMARKS = 5000
_PASSWORD = 4  # FPDF_ERR_PASSWORD
# PDFium's marks for a word that was hyphenated at the end of a line.
_HYPHENATED = re.compile(r"(?:\x02|\ufffe)(?:\r?\n)?")


def parse_pdf(content: bytes, limits: Limits) -> Iterator[Block]:
    """Yield a PDF's text by page, with the page's bookmark as heading, and an empty block for a page that has only
    pictures. Raises Unreadable; `scanned` if it has no text.
    """
    try:
        document = pdfium.PdfDocument(content)
        pages = len(document)
    except pdfium.PdfiumError as error:
        raise Unreadable("encrypted" if getattr(error, "err_code", 0) == _PASSWORD else "broken") from None
    if not pages:
        raise Unreadable("broken")
    if pages > limits.pages:
        raise Unreadable("too_many_pages")
    starts, paths = _bookmarks(document)
    nothing = True
    for number in range(pages):
        heading = paths[bisect_right(starts, number)]
        text, has_picture = _read(document, number)
        blocks = list(paragraphs(clean(text), page=number + 1, heading=heading))
        nothing = nothing and not blocks
        yield from blocks or [Block("", number + 1)] * has_picture
    if nothing:
        raise Unreadable("scanned")


def page_count(content: bytes) -> int:
    """The number of pages of a valid PDF."""
    return len(pdfium.PdfDocument(content))


def _read(document: pdfium.PdfDocument, number: int) -> tuple[str, bool]:
    """A page's text in reading order, and whether it has pictures instead; "" and no for a broken page.

    It is read letter by letter: of PDFium's two functions for whole texts, one drops what is between a table's cells,
    so that 33 and 0 become 330, and the other has no letters beyond U+FFFF.
    """
    try:
        page = document[number]
        letters = page.get_textpage()
        codes = [raw.FPDFText_GetUnicode(letters.raw, index) for index in range(letters.count_chars())]
        units = "".join([chr(code) for code in codes if code])  # 0: a letter without a code
        # Only without text, as a drawing may have many thousand other objects.
        has_picture = not units.strip() and any(
            True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE])
        )
        page.close()
    except pdfium.PdfiumError:
        return "", False
    text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # pairs become letters
    return _HYPHENATED.sub("", text), has_picture


def _bookmarks(document: pdfium.PdfDocument) -> tuple[list[int], list[str]]:
    """The pages at which sections start, and the headings: before the first start, after it, after the second, ..."""
    begins: dict[int, str] = {}
    headings = Headings()
    try:
        for count, bookmark in enumerate(document.get_toc(max_depth=6)):
            if count == MOST_BOOKMARKS:
                break
            destination = bookmark.get_dest()
            place = destination.get_index() if destination else None
            headings.enter(bookmark.level + 1, bookmark.get_title() or "")
            if place is not None:
                begins.setdefault(place, headings.path)
    except pdfium.PdfiumError:
        pass
    starts = sorted(begins)
    return starts, ["", *(begins[start] for start in starts)]
