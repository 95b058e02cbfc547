"""What can be wrong with a document.

RapportError
├── UnknownKind              no kind of document that can be read; names those that can
├── EmptyDocument            a file of no bytes
├── TooManyDocuments         the companion has as many as its configuration allows
└── DocumentBusy             it is being read: only a failed or a ready one can be read again

UnreadableDocument           inside the worker only: why a document failed; its `code` stands on the document

DocumentLost                 inside the worker only: deleted meanwhile, or another worker has taken it over
"""

from web.errors import Conflict, InvalidInput, Unsupported


class UnknownKind(Unsupported):
    code = "unknown_document_kind"


class EmptyDocument(InvalidInput):
    code = "empty_document"


class TooManyDocuments(Conflict):
    code = "too_many_documents"


class DocumentBusy(Conflict):
    code = "document_busy"


class UnreadableDocument(Exception):
    """`code` is one of REASONS."""

    def __init__(self, code: str) -> None:
        super().__init__(REASONS[code])
        self.code = code


class DocumentLost(Exception):
    """Stop, and write nothing."""


# Why a document failed, beside the codes of providers.errors: what its page says, and the way out.
REASONS = {
    "encrypted": "The PDF is locked with a password. Upload it without one.",
    "broken": "The file is damaged, or not what it says it is: it can't be opened. Save it anew and upload that.",
    "no_text": "There is no text in it.",
    "scanned": "The PDF holds pictures of its pages and no text. Run it through a text recognition (OCR) first.",
    "too_many_pages": "It has too many pages. Split it, or raise RAPPORT_MAX_DOCUMENT_PAGES.",
    "too_much_text": "It holds too much text. Split it, or raise RAPPORT_MAX_DOCUMENT_CHARACTERS.",
    "too_large_unpacked": "Unpacked it is far larger than a document of its size would be, so it was left alone.",
    "too_slow": "Reading it took too long. Split it or save it anew, or raise RAPPORT_DOCUMENT_SECONDS.",
    "too_much_memory": "Reading it took too much memory. Split it or save it anew, or raise RAPPORT_DOCUMENT_MEMORY.",
    "crashed": "Reading it broke the reader off. Save it anew and upload that.",
    "worker_died": "Workers died, time and again, while they read it.",
    "too_many_chunks": "With it the companion's documents make more chunks than knowledge.max_chunks allows.",
    "internal_error": "Something broke on our side. It was logged.",
}
