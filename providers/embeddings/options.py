"""The OPTIONS of embedders and their checks. Imports no SDK.

In addition to those of every endpoint (providers/options.py):

dimensions        of a vector; 0: the embedder's default
query_prefix      put before a question; some models are trained with prefixes. None: as in KNOWN
document_prefix   put before a text to be searched. None: as in KNOWN

For `local`: `model`, a name on the model hub or a folder; `folder`, where downloads are kept; `hub`, another hub's URL;
`threads` of one call, 0 for one per core.
"""

from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from providers.embeddings.base import Purpose
from providers.options import EndpointOptions

MOST_DIMENSIONS = 4000  # the limit of an index on half-precision vectors
LONGEST_MODEL_NAME = 120  # as Embedding.model
Prefix = Annotated[str, StringConstraints(strip_whitespace=False)]  # most end in a space


class HostedEmbedderOptions(EndpointOptions):
    model: str = Field(default="", max_length=LONGEST_MODEL_NAME)
    dimensions: int = Field(default=0, ge=0, le=MOST_DIMENSIONS)
    query_prefix: Prefix | None = None
    document_prefix: Prefix | None = None


class GeminiEmbedderOptions(HostedEmbedderOptions):
    api_version: str = "v1beta"


class LocalEmbedderOptions(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    model: str = ""
    folder: Path | None = None
    hub: str = "https://huggingface.co"
    threads: int = Field(default=0, ge=0, le=256)
    query_prefix: Prefix | None = None
    document_prefix: Prefix | None = None


class Prefixes(NamedTuple):
    """The prefixes of a question and of a text to be searched.

    Each pair in KNOWN is from the model's own page; without it, such a model finds noticeably less.
    """

    query: str
    document: str

    def before(self, text: str, purpose: Purpose) -> str:
        return (self.query if purpose == "query" else self.document) + text


NONE = Prefixes("", "")
# By a part of the model's name, in lower case; the first match counts.
KNOWN = {
    "gemini-embedding-2": Prefixes("task: search result | query: ", "title: none | text: "),
    "embeddinggemma": Prefixes("task: search result | query: ", "title: none | text: "),
    "nomic-embed": Prefixes("search_query: ", "search_document: "),
    "e5-mistral": NONE,  # it needs its own instruction
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
    """The prefixes of a model. `query` and `document` override them, even if empty."""
    name = model.lower()
    known = next((pair for part, pair in KNOWN.items() if part in name), NONE)
    return Prefixes(known.query if query is None else query, known.document if document is None else document)
