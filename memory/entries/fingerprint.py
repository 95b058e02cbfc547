"""When two texts say exactly the same thing: the only ground on which entries are merged without asking."""

import hashlib
import unicodedata

# What may close a sentence without changing it. A question mark is not among them.
_CLOSING = " \t\n.!;,…。！；"


def normalise(content: str) -> str:
    """NFKC, case folded, white space folded, closing punctuation off. `Likes tea.` and `likes  TEA` are one."""
    folded = unicodedata.normalize("NFKC", content).casefold()
    line = " ".join(unicodedata.normalize("NFKC", folded).split())
    return line.rstrip(_CLOSING) or line


def content_hash(content: str) -> bytes:
    """SHA-256 of the normalised content, 32 bytes."""
    return hashlib.sha256(normalise(content).encode()).digest()
