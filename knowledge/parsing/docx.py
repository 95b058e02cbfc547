import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from docx import Document
from docx.document import Document as WordDocument
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph

from knowledge.parsing.base import Block, Headings, Limits, Unreadable, clean, paragraphs

MOST_UNPACKED = 256 * 2**20  # bytes; a Word document of 1,000 pages unpacks to some 20 MB of XML
MOST_TIMES = 200  # largest ratio of unpacked to packed size; XML rarely exceeds 30
SMALL = 8 * 2**20  # unpacked bytes below which the ratio is not checked
DEEPEST_TABLE = 5
# python-docx reads what stands directly in a paragraph, cell or page, and nothing inside these elements.
_WRAPPERS = [
    qn(f"w:{name}") for name in ("sdt", "sdtContent", "ins", "moveTo", "smartTag", "customXml", "fldSimple")
]
# Deleted by the author, settings of a wrapper, and a text box again, for old programs.
_DROPPED = [qn(f"w:{name}") for name in ("del", "moveFrom", "sdtPr", "sdtEndPr")] + [
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
]
_NOTES = ("footnote", "endnote")
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)


def parse_docx(content: bytes, limits: Limits) -> Iterator[Block]:
    """Yield a Word document's paragraphs and tables in order. A table row becomes a line, a note stands in brackets
    where it is referred to, and a text box follows the paragraph that holds it.
    """
    _look_inside(content)
    try:
        document = Document(io.BytesIO(content))
        _flatten(document)
    except MemoryError:
        raise
    except Exception:  # zipfile, lxml and python-docx raise many kinds for broken files
        raise Unreadable("broken") from None
    headings = Headings()
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            yield from paragraphs(clean("\n".join(_rows(part, 1))), heading=headings.path)
            continue
        if level := _level(part):
            headings.enter(level, part.text)
        yield from paragraphs(clean(part.text), heading=headings.path)


def _look_inside(content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise Unreadable("broken") from None
    if unpacked > MOST_UNPACKED or (unpacked > SMALL and unpacked > MOST_TIMES * len(content)):
        raise Unreadable("too_large_unpacked")


def _flatten(document: WordDocument) -> None:
    """Make all of the document's words, and only what is in force, direct children of its paragraphs and cells."""
    body = document.element.body
    for element in list(body.iter(*_DROPPED)):
        element.getparent().remove(element)
    for element in list(body.iter(*_WRAPPERS)):
        for child in list(element):
            element.addprevious(child)
        element.getparent().remove(element)
    for box in list(body.iter(qn("w:txbxContent"))):
        for around in list(box.iterancestors(qn("w:p")))[:1]:
            for child in reversed(box):
                around.addnext(child)
    for kind in _NOTES:
        notes = _notes(document, kind)
        for reference in list(body.iter(qn(f"w:{kind}Reference"))):
            if text := notes.pop(reference.get(qn("w:id")), ""):
                words = OxmlElement("w:t")
                words.text = f" [{text}]"
                reference.addprevious(words)


def _notes(document: WordDocument, kind: str) -> dict[str | None, str]:
    """The footnotes or endnotes by their IDs."""
    for relation in document.part.rels.values():
        if relation.reltype.endswith(f"/{kind}s") and not relation.is_external:
            return {
                note.get(qn("w:id")): " ".join(
                    "".join(text.text or "" for text in note.iter(qn("w:t"))).split()
                )
                for note in parse_xml(relation.target_part.blob).iter(qn(f"w:{kind}"))
            }
    return {}


def _level(paragraph: Paragraph) -> int:
    """The level of a heading, 1 to 9; 1 for the title, 0 for other text."""
    style: Any = paragraph.style
    name = (style.name or "") if style is not None else ""
    if found := _HEADING.match(name):
        return int(found[1])
    return 1 if name.lower() == "title" else 0


def _rows(table: Table, depth: int) -> Iterator[str]:
    for row in table.rows:
        seen: list[Any] = []  # a merged cell is listed once for each column it spans
        texts = []
        for cell in row.cells:
            if cell._tc not in seen:
                seen.append(cell._tc)
                texts.append(" ".join(cell.text.split()))
                if depth < DEEPEST_TABLE:
                    texts += [line for inner in cell.tables for line in _rows(inner, depth + 1)]
        yield " | ".join(text for text in texts if text)
