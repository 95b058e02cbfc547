"""What our pages point at is there: links, headings, files, tests."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.guards.sources import CODE, ROOT, named, python_files, text_files
from workspace.generated import ENTRIES, NOTES, PROFILE, RULES
from workspace.hot_context import PATH

PAGES = [path for path in text_files() if path.suffix == ".md" and "prompts" not in path.parts]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
MOST_WORDS_OF_A_DECISION = 400
IN_A_WORKSPACE = {ENTRIES, PROFILE, RULES, PATH, NOTES}  # paths of an agent, not of ours


def links(page: Path) -> Iterator[tuple[str, str]]:
    """Every link to a place of ours: the file and the heading, either may be empty."""
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if not re.match(r"[a-z]+:", target):
            file, _, heading = target.partition("#")
            yield file, heading


def headings(page: Path) -> set[str]:
    """The anchors of a page, as code hosts make them."""
    found = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in found}


def test_every_link_leads_somewhere() -> None:
    broken = []
    for page in PAGES:
        for file, heading in links(page):
            target = (page.parent / file).resolve() if file else page
            if not target.exists() or (heading and heading not in headings(target)):
                broken.append(f"{named(page)}: {file}#{heading}".rstrip("#"))
    assert not broken, f"These links lead nowhere: {broken}"


def test_every_page_can_be_found_from_the_index() -> None:
    pages = {path for path in PAGES if path.is_relative_to(ROOT / "docs")}
    reached = {ROOT / "docs" / "README.md", ROOT / "README.md"}
    waiting = list(reached)
    while waiting:
        page = waiting.pop()
        for file, _ in links(page):
            target = (page.parent / file).resolve()
            if file and target.suffix == ".md" and target.exists() and target not in reached:
                reached.add(target)
                waiting.append(target)
    assert not sorted(named(page) for page in pages - reached), "Link them from docs/README.md."


def test_every_page_that_the_code_points_at_is_there() -> None:
    pointed = {
        f"{named(path)}: {page}"
        for path in text_files()
        for page in re.findall(r"\bdocs/[\w/.-]+\.(?:md|json|svg)", path.read_text())
        if not (ROOT / page).exists()
    }
    # A decision may be named by its number alone.
    numbers = {
        f"{named(path)}: docs/adr/{number}"
        for path in text_files()
        for number in re.findall(r"\bdocs/adr/(\d{4})\b(?!-)", path.read_text())
        if not list((ROOT / "docs" / "adr").glob(f"{number}-*.md"))
    }
    assert not pointed | numbers, f"They point at pages that are not there: {sorted(pointed | numbers)}"


def test_every_test_that_a_page_names_is_there() -> None:
    tests = {
        name
        for path in python_files("tests")
        for name in re.findall(r"^ *(?:async )?def (\w+)\(", path.read_text(), re.MULTILINE)
    }
    named_tests = {
        (named(page), test)
        for page in PAGES
        for test in re.findall(r"`(test_\w+)`", page.read_text())
        if not test.startswith("test_rapport")
    }
    gone = sorted(f"{page}: {test}" for page, test in named_tests if test not in tests)
    assert not gone, f"These tests are not there (any more): {gone}"


def test_every_file_that_a_page_names_is_there() -> None:
    places = (ROOT, *(path for path in (ROOT / "docs").rglob("*") if path.is_dir()))
    folders = {path.parent for path in python_files(*CODE)}
    gone = []
    for page in PAGES:
        for file in set(re.findall(r"`([\w/.-]+/[\w.-]+\.(?:py|md|json|yaml))`", page.read_text())):
            near = [place / file for place in (*places, *(folder.parent for folder in folders))]
            if (
                not file.startswith(".data/")
                and file not in IN_A_WORKSPACE
                and not any(path.exists() for path in near)
            ):
                gone.append(f"{named(page)}: {file}")
    assert not gone, f"These files are not there (any more): {sorted(gone)}"


def test_a_decision_is_short_and_can_be_found() -> None:
    decisions = sorted((ROOT / "docs" / "adr").glob("0*.md"))
    index = (ROOT / "docs" / "adr" / "README.md").read_text()
    long = [path.name for path in decisions if len(path.read_text().split()) >= MOST_WORDS_OF_A_DECISION]
    unlisted = [path.name for path in decisions if f"({path.name})" not in index]
    assert not long, f"Under {MOST_WORDS_OF_A_DECISION} words each: {long}"
    assert not unlisted, f"List them in docs/adr/README.md: {unlisted}"
