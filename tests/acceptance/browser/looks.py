"""What must be true of every page in every look: it doesn't scroll sideways nor past its end, no text is smaller than 12
pixels, and axe-core finds nothing serious.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.acceptance.browser.desk import PHONE, WIDE, Scheme

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
Look = tuple[int, Scheme]
LOOKS: tuple[Look, ...] = ((WIDE, "light"), (WIDE, "dark"), (PHONE, "dark"), (PHONE, "light"))
EACH_ONCE = LOOKS[::2]  # each width and each scheme: neither changes what the other shows
_OPTIONS = {"rules": {"target-size": {"enabled": True}}}  # axe leaves it out by default
_LOADED = "() => typeof axe !== 'undefined'"
_RUN = """async (options) => (await axe.run({resultTypes: ["violations"], ...options})).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => ({rule: found.id, nodes: found.nodes.map((node) => node.html.slice(0, 200))}))"""
_STICKS_OUT = """() => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  const scrolls = (part) => part && (getComputedStyle(part).overflowX !== "visible" || scrolls(part.parentElement));
  return [...document.querySelectorAll("body *")]
    .filter((part) => part.getBoundingClientRect().right > room + 1 && !scrolls(part.parentElement))
    .map((part) => part.outerHTML.slice(0, 120));
}"""

_TOO_LONG = """() => {
  const end = document.querySelector(".frame, .sign-in, main").getBoundingClientRect().bottom + scrollY;
  const more = Math.round(document.documentElement.scrollHeight - Math.max(end, innerHeight));
  return more > 1 ? [`${more} pixels`] : [];
}"""
_TOO_SMALL = """() => [...document.querySelectorAll("body *:not(svg *)")]
  .filter((part) => [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()))
  .filter((part) => part.checkVisibility() && parseFloat(getComputedStyle(part).fontSize) < 12)
  .map((part) => part.outerHTML.slice(0, 120))"""


def look(page: Page, name: str, folder: Path | None) -> Iterator[str]:
    """Take a screenshot in each look, if there is a folder for it, and yield what is wrong. In the second colour scheme of
    a width only colours are checked, as the rest of the page is the same.
    """
    seen: set[int] = set()
    for width, scheme in LOOKS if folder else EACH_ONCE:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        yield from glance(page, f"{name}-{width}-{scheme}", folder, colours_only=width in seen)
        seen.add(width)


def glance(page: Page, name: str, folder: Path | None, *, colours_only: bool = False) -> Iterator[str]:
    """The same in the look that the page has now."""
    if folder:
        page.screenshot(path=folder / f"{name}.png", full_page=True)
    yield from (f"{name}: sticks out: {part}" for part in page.evaluate(_STICKS_OUT))
    yield from (f"{name}: empty below its end: {found}" for found in page.evaluate(_TOO_LONG))
    yield from (f"{name}: too small: {part}" for part in page.evaluate(_TOO_SMALL))
    yield from (f"{name}: {found}" for found in examine(page, colours_only=colours_only))


def examine(page: Page, *, colours_only: bool = False) -> list[dict[str, Any]]:
    """The serious and critical findings of axe-core."""
    if not page.evaluate(_LOADED):
        page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate(
        _RUN, {"runOnly": ["color-contrast"]} if colours_only else _OPTIONS
    )
    return found
