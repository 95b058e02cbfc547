"""The OPTIONS of embedders, and what can be wrong with them. Knows no SDK.

Beside those of every endpoint (memory/providers/options.py):

dimensions        of a vector; 0 leaves it to the embedder
query_prefix      put before a question, document_prefix before a text that is searched: some models are trained
document_prefix   so. None: what the model's authors say, where it is known (prefixes.py)

Of `local`: `model`, a name on the model hub or a folder; `folder`, where downloads are kept; `hub`, another hub's
address; `threads` of one call, 0 for one a core.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from memory.providers.options import EndpointOptions

MOST_DIMENSIONS = 4000  # what an index over half precision can hold
LONGEST_MODEL_NAME = 120  # as Embedding.model
Prefix = Annotated[str, StringConstraints(strip_whitespace=False)]  # most end in a space


class HostedEmbedderOptions(EndpointOptions):
    """What every embedder over HTTP can be told."""

    model: str = Field(default="", max_length=LONGEST_MODEL_NAME)
    dimensions: int = Field(default=0, ge=0, le=MOST_DIMENSIONS)
    query_prefix: Prefix | None = None
    document_prefix: Prefix | None = None


class GeminiEmbedderOptions(HostedEmbedderOptions):
    api_version: str = "v1beta"


class OpenAIEmbedderOptions(HostedEmbedderOptions):
    pass


class LocalEmbedderOptions(BaseModel):
    """What the model on this machine can be told."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    model: str = ""
    folder: Path | None = None
    hub: str = "https://huggingface.co"
    threads: int = Field(default=0, ge=0, le=256)
    query_prefix: Prefix | None = None
    document_prefix: Prefix | None = None
