from collections.abc import Iterable

from context.knowledge.kinds import decode_text
from context.knowledge.parsing.base import Block, Limits, clean, paragraphs


def parse_text(content: bytes, limits: Limits) -> Iterable[Block]:
    """Plain text: an empty line ends a paragraph."""
    return paragraphs(clean(decode_text(content)))
