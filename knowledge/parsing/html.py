import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml import etree, html

from knowledge.kinds import decode_text
from knowledge.parsing.base import Block, Headings, Limits, Unreadable, clean, paragraphs

_HIDDEN = "script style template noscript svg math iframe object head select button".split()
_BLOCKS = set(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody td tfoot th"
    " thead title tr ul".split()
)
_HEADING = re.compile(r"h[1-6]")
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def parse_html(content: bytes, limits: Limits) -> Iterator[Block]:
    """Yield the visible text of a page, a block for each paragraph, row of a table or item."""
    tree = _tree(content)
    headings, text = Headings(), ""
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        tag = element.tag if isinstance(element.tag, str) else ""
        if tag in _BLOCKS:
            yield from _paragraph(text, headings)
            text = ""
        if event == "start" and tag == "tr" and not _lays_out(element):
            text = " | ".join(filter(None, map(str.strip, map(_flat, _cells(element)))))
            walk.skip_subtree()
        elif event == "start":
            if _HEADING.fullmatch(tag):
                headings.enter(int(tag[1]), "".join(element.itertext()))
            text += "\n" if tag == "br" else _flat(element.text) if tag else ""
        else:
            text += _flat(element.tail)
    yield from _paragraph(text, headings)


def _lays_out(row: Any) -> bool:
    """Return whether a row holds parts of a page: a cell with a heading, or with more than one block."""
    for cell in row:
        blocks = list(islice((part.tag for part in cell.iter() if part.tag in _BLOCKS), 3))
        if len(blocks) > 2 or any(map(_HEADING.fullmatch, blocks)):
            return True
    return False


def _cells(row: Any) -> Iterator[str | None]:
    """The cells' texts, and what broken HTML has between them."""
    yield row.text
    for cell in row:
        yield "".join(_parts(cell))
        yield cell.tail


def _parts(cell: Any) -> Iterator[str]:
    """The pieces of a cell's text, with spaces where a block or line begins or ends."""
    for event, part in etree.iterwalk(cell, events=("start", "end")):
        if part.tag == "br" or part.tag in _BLOCKS:
            yield " "
        yield (part.text if event == "start" else part.tail if part is not cell else "") or ""


def _tree(content: bytes) -> Any:
    """Parse the page and remove what is not visible. Broken HTML is repaired as browsers do."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = decode_text(content).encode("utf-8", "replace")
    encoding = None if _CHARSET.search(content[:4096]) else _encoding(content)
    parser = html.HTMLParser(encoding=encoding, remove_comments=True, remove_pis=True, no_network=True)
    try:
        tree = html.document_fromstring(content.replace(b"\0", b"\xef\xbf\xbd"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, LookupError):
        raise Unreadable("no_text") from None
    etree.strip_elements(tree, *_HIDDEN, with_tail=False)
    return tree


def _encoding(content: bytes) -> str:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _flat(text: str | None) -> str:
    return _SPACE.sub(" ", text) if text else ""


def _paragraph(text: str, headings: Headings) -> Iterator[Block]:
    if text and not text.isspace():
        yield from paragraphs(clean(text), heading=headings.path)
