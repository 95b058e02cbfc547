"""Templates can be read and compared line by line."""

from tests.guards.sources import ROOT, named

MOST_CHARACTERS = 140
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


def test_a_line_of_a_template_is_not_too_long() -> None:
    long = [
        f"{named(path)}:{number}: {len(line)}"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > MOST_CHARACTERS
    ]
    assert TEMPLATES
    assert not long, (
        f"Break these lines at {MOST_CHARACTERS} characters: each block element, and each tag that branches or loops,"
        " on a line of its own, two spaces deeper than what it is in; attributes one a line. Where a space would show,"
        f" between words and inline elements, break within a tag instead: {long}"
    )
