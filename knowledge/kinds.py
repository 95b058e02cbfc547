"""Detects the kind of a document from its bytes, not from what the sender calls it."""

import io
import re
import zipfile
from pathlib import PurePath

from knowledge.errors import UnknownKind

PDF, DOCX, HTML, MARKDOWN, TEXT = "pdf", "docx", "html", "markdown", "text"
MEDIA_TYPES = {
    PDF: "application/pdf",
    DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    HTML: "text/html",
    MARKDOWN: "text/markdown",
    TEXT: "text/plain",
}
KNOWN = "PDF, DOCX, HTML, Markdown and plain text"

_ENDINGS = {".pdf": PDF, ".docx": DOCX, ".html": HTML, ".htm": HTML, ".md": MARKDOWN, ".markdown": MARKDOWN}
_LOOK = 4096  # bytes at the beginning that are examined
_PDF_WITHIN = 1024  # where readers look for a PDF's mark, according to its specification
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_HTML = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--(?>.{0,2000}?-->)\s*)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(r"<(?:p|div|h[1-6]|span|article|section|table|ul|ol|a|main)\b[^>]*>", re.I)
# Other files that people send, by their first bytes.
_OTHERS = {
    b"\xd0\xcf\x11\xe0": "an old Office file (DOC, XLS, PPT); save it as DOCX",
    b"{\\rtf": "RTF; save it as DOCX",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"RIFF": "a picture or a sound",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"%!PS": "PostScript; save it as PDF",
    b"\x7fELF": "a program",
    b"MZ": "a program",
}
_CONTROLS = bytes(sorted(set(range(1, 32)) - set(b"\t\n\v\f\r\x1b")))
_MOST_CONTROLS, _MOST_NULS = 0.01, 0.1  # largest shares of bytes in a text


def names_kind(name: str) -> bool:
    """Return whether a file name has a known ending."""
    return _ending(name) is not None


def kind_of(content: bytes, *, name: str) -> str:
    """Return the kind, a key of MEDIA_TYPES. `name` only decides between kinds of text. Raises UnknownKind."""
    ending = _ending(name)
    found = _sniff(content, ending)
    if ending in (PDF, DOCX) and found != ending:
        raise UnknownKind(
            f"{name[:80]!r} is not {ending.upper()}, although its name says so. Supported are {KNOWN}."
        )
    return found


def _ending(name: str) -> str | None:
    return _ENDINGS.get(PurePath(name).suffix.lower())


def _sniff(content: bytes, ending: str | None) -> str:
    head = content[:_LOOK]
    if b"%PDF-" in head[:_PDF_WITHIN]:
        return PDF
    if head.startswith(_ZIP):
        return _in_zip(content)
    for mark, what in _OTHERS.items():
        if head.startswith(mark):
            raise UnknownKind(f"The file is {what}. Supported are {KNOWN}.")
    if not _is_text(content):
        raise UnknownKind(f"The file is of no known kind. Supported are {KNOWN}.")
    text = decode_text(head)
    if _HTML.match(text) or (ending == HTML and _TAG.search(text)):
        return HTML
    return MARKDOWN if ending == MARKDOWN else TEXT


def _in_zip(content: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        names = set()
    if "word/document.xml" in names and "[Content_Types].xml" in names:
        return DOCX
    raise UnknownKind(f"The file is a ZIP archive without a Word document in it. Supported are {KNOWN}.")


def _is_text(content: bytes) -> bool:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True  # UTF-16, by its byte order mark
    sample = content[:65_536] + content[-4096:]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls <= _MOST_CONTROLS * len(sample) and sample.count(0) <= _MOST_NULS * len(sample)


def decode_text(content: bytes) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark, or else cp1252."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(content) - error.start < 4 and len(content) >= _LOOK:  # cut in the middle of a character
            return content[: error.start].decode("utf-8-sig")
        return content.decode("cp1252", "replace")
