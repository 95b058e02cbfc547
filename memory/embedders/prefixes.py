"""What some models want to stand before a text, so that a question and what answers it come near each other.

Each pair is from the model's own page; without it such a model finds noticeably less.
"""

from typing import NamedTuple

from memory.embedders.base import Purpose


class Prefixes(NamedTuple):
    query: str
    document: str

    def before(self, text: str, purpose: Purpose) -> str:
        return (self.query if purpose == "query" else self.document) + text


NONE = Prefixes("", "")
# Part of a model's name, in lower case: the first that fits counts.
KNOWN = {
    "gemini-embedding-2": Prefixes("task: search result | query: ", "title: none | text: "),
    "embeddinggemma": Prefixes("task: search result | query: ", "title: none | text: "),
    "nomic-embed": Prefixes("search_query: ", "search_document: "),
    "e5-mistral": NONE,  # it wants an instruction of its own
    "-e5-": Prefixes("query: ", "passage: "),
    "e5-small": Prefixes("query: ", "passage: "),
    "e5-base": Prefixes("query: ", "passage: "),
    "e5-large": Prefixes("query: ", "passage: "),
    "snowflake-arctic-embed": Prefixes("query: ", ""),
    "mxbai-embed-large": Prefixes("Represent this sentence for searching relevant passages: ", ""),
    "bge-small-en": Prefixes("Represent this sentence for searching relevant passages: ", ""),
    "bge-base-en": Prefixes("Represent this sentence for searching relevant passages: ", ""),
    "bge-large-en": Prefixes("Represent this sentence for searching relevant passages: ", ""),
}


def prefixes_of(model: str, *, query: str | None = None, document: str | None = None) -> Prefixes:
    """The prefixes of a model; what is stated as `query` or `document` wins, also when it is empty."""
    name = model.lower()
    known = next((pair for part, pair in KNOWN.items() if part in name), NONE)
    return Prefixes(known.query if query is None else query, known.document if document is None else document)
