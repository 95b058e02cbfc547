"""What the project's texts must not hold: others' servers in our pages, one machine's paths, anybody's secret."""

import re

from tests.guards.sources import named, text_files

FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.~-])/(?:work|home|Users)/[A-Za-z0-9._-]+"),
    "a package index": re.compile(r"--(?:extra-)?index-url|https?://[^\s/]+/[^\s]*simple/?(?=\s|$)"),
    "a Google API key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    "an OpenAI API key": re.compile(r"\bsk-(?:proj-)?[A-Za-z0-9]{32,}\b"),
    "a key of ours": re.compile(r"\brk_[a-z0-9]{8}_[A-Za-z0-9_-]{43}\b"),
    "a token of ours": re.compile(r"\brt_[0-9a-f]{32}_[A-Za-z0-9_-]{43}\b"),
    "a private key": re.compile(r"BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY"),
    "a mark of an unfinished merge": re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE),
}
LOADS = re.compile(
    r"""(?:src|href|action|srcset)\s*=\s*["']?\s*((?:https?:)?//[^\s"'>]+)"""
    r"""|(?:url\(|@import)\s*["']?((?:https?:)?//[^\s"')]+)"""
)


def test_a_text_holds_nothing_that_is_not_for_everybody() -> None:
    found = [
        f"{named(path)}: {what}"
        for path in text_files()
        for what, pattern in FORBIDDEN.items()
        if pattern.search(path.read_text())
    ]
    assert not found, f"Take it out: {found}"


def test_a_page_loads_nothing_from_elsewhere() -> None:
    """A self-hosted service works without the internet, and tells nobody who reads what."""
    loads = [
        f"{named(path)}: {''.join(match.groups(default=''))}"
        for path in text_files()
        if path.suffix in {".html", ".css", ".js"}
        for match in LOADS.finditer(path.read_text())
    ]
    assert not loads, f"Serve it ourselves: {loads}"
