import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from docx import Document
from docx.table import Table
from docx.text.paragraph import Paragraph

from knowledge.parsing.base import Block, Headings, Limits, Unreadable, clean, paragraphs

MOST_UNPACKED = 256 * 2**20  # bytes; a Word document of 1,000 pages unpacks to some 20 MB of XML
MOST_TIMES = 200  # largest ratio of unpacked to packed size; XML rarely exceeds 30
SMALL = 8 * 2**20  # unpacked bytes below which the ratio is not checked
DEEPEST_TABLE = 5
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)


def parse_docx(content: bytes, limits: Limits) -> Iterator[Block]:
    """Yield a Word document's paragraphs and tables in order. A table row becomes a line."""
    _look_inside(content)
    try:
        document = Document(io.BytesIO(content))
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
