"""The errors of documents.

RapportError
├── UnknownKind              the format can't be read; names those that can
├── EmptyDocument            the file has no bytes
├── TooManyDocuments         the companion has as many documents as its configuration allows
└── DocumentBusy             the document is being read; only failed and ready ones can be read again

DocumentLost                 only inside the worker: deleted meanwhile, or taken over by another worker
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


class DocumentLost(Exception):
    """The worker no longer holds the document: stop, and write nothing."""


# Why a document failed, besides the codes of providers.errors: the text for people, with what to do about it.
REASONS = {
    "encrypted": "The PDF is locked with a password. Upload it without one.",
    "broken": "The file is damaged, or not what it says it is: it can't be opened. Save it again and upload that.",
    "no_text": "There is no text in it.",
    "scanned": "The PDF holds pictures of its pages and no text. Run text recognition (OCR) on it first.",
    "too_many_pages": "It has too many pages. Split it, or raise RAPPORT_MAX_DOCUMENT_PAGES.",
    "too_much_text": "It holds too much text. Split it, or raise RAPPORT_MAX_DOCUMENT_CHARACTERS.",
    "too_large_unpacked": "Unpacked, it is far larger than a document of its size should be, so it was not read.",
    "too_slow": "Reading it took too long. Split it or save it again, or raise RAPPORT_DOCUMENT_SECONDS.",
    "too_much_memory": "Reading it took too much memory. Split it or save it again, or raise RAPPORT_DOCUMENT_MEMORY.",
    "crashed": "The reader crashed. Save it again and upload that.",
    "worker_died": "Workers died repeatedly while they read it.",
    "too_many_chunks": "With it, the companion's documents would have more chunks than knowledge.max_chunks allows.",
    "internal_error": "Something went wrong in Rapport. It was logged.",
}
