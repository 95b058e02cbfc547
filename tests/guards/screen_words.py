"""The words that the screen doesn't use (any more), as docs/reference/screen-words.md lists them."""

import re
from functools import cache

from tests.guards.sources import ROOT

_ROW = re.compile(r"^\| [^|]+ \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    cells = _ROW.findall((ROOT / "docs" / "reference" / "screen-words.md").read_text())[
        1:
    ]  # without the heading
    words = [word.strip() for cell in cells for word in cell.split(",")]
    assert len(words) > 20, "The table of docs/reference/screen-words.md can't be read."
    spaced = {word: r"\s+".join(map(re.escape, word.split())) for word in words}
    return {word: re.compile(rf"(?<!\w){said}(?!\w)", re.IGNORECASE) for word, said in spaced.items()}


def old_words_in(text: str) -> list[str]:
    return [word for word, pattern in _patterns().items() if pattern.search(text)]
