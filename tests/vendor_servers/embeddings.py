"""The embeddings of the vendors' servers. Without a script, a text's vector counts its words at hashed positions, so
that equal texts have equal vectors and texts that share words are similar.
"""

import base64
import re
import struct
import zlib
from typing import Any

from tests.vendor_servers.script import Item, Seen, token_count
from tests.vendor_servers.server import Reply

GEMINI_PATH = re.compile(r"^/v1beta/models/(?P<model>[^/:]+):batchEmbedContents$")
OPENAI_PATH = "/v1/embeddings"
OWN_DIMENSIONS = 16


def vector_of(text: str, dimensions: int) -> list[float]:
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+|\S", text.casefold()) or [text]:
        vector[zlib.crc32(word.encode()) % dimensions] += 1.0
    return vector


def gemini_said(body: dict[str, Any]) -> list[str]:
    """The texts to embed. All parts of one content are one text."""
    return [
        " ".join(part.get("text", "") for part in request["content"]["parts"])
        for request in body.get("requests", [])
    ]


def gemini_embeddings(item: Item, seen: Seen) -> Reply:
    texts = gemini_said(seen.body)
    dimensions = [request.get("outputDimensionality", OWN_DIMENSIONS) for request in seen.body["requests"]]
    vectors = item.get("vectors") or [
        vector_of(text, size) for text, size in zip(texts, dimensions, strict=True)
    ]
    body: dict[str, Any] = {"embeddings": [{"values": vector} for vector in vectors]}
    if item.get("usage", True):
        body["usageMetadata"] = item.get("usage", {"promptTokenCount": token_count(seen.said)})
    return Reply(200, body)


def openai_said(body: dict[str, Any]) -> list[str]:
    given = body.get("input", [])
    return [given] if isinstance(given, str) else list(given)


def openai_embeddings(item: Item, seen: Seen) -> Reply:
    dimensions = seen.body.get("dimensions", OWN_DIMENSIONS)
    vectors = item.get("vectors") or [vector_of(text, dimensions) for text in openai_said(seen.body)]
    encoding = item.get("encoding", seen.body.get("encoding_format", "float"))
    numbers = item.get("numbers", range(len(vectors)))
    data = [
        {"object": "embedding", "index": number, "embedding": _encoded(vector, encoding)}
        for number, vector in zip(numbers, vectors, strict=True)
    ]
    used = token_count(seen.said)
    usage = item.get("usage", {"prompt_tokens": used, "total_tokens": used})
    return Reply(
        200, {"object": "list", "data": data, "model": item.get("model", seen.body["model"]), "usage": usage}
    )


def _encoded(vector: list[float], encoding: str) -> Any:
    if encoding != "base64":
        return vector
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
