"""Whether two texts say exactly the same: the only case in which entries are merged without asking."""

import hashlib

from providers.normal_form import normal_form, plain_digits

# Punctuation that may end a sentence without changing its meaning. A question mark is not among it.
_CLOSING = " \t\n.!;,…。！；،؛۔।"


def normalise(content: str) -> str:
    """NFKC, with case, digits and white space folded, without final punctuation: `Likes tea.` is `likes  TEA`."""
    folded = plain_digits(normal_form("NFKC", content).casefold())
    line = " ".join(normal_form("NFKC", folded).split())
    return line.rstrip(_CLOSING) or line


def content_hash(content: str) -> bytes:
    """SHA-256 of the normalised content, 32 bytes."""
    return hashlib.sha256(normalise(content).encode()).digest()
