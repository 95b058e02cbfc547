"""Template tags and filters that format values: dates, states, actors, differences. Tags are faster than includes."""

import re
from calendar import month_abbr
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from admin_ui.paging import MOST_SORTED, Page
from admin_ui.word_diff import Piece
from admin_ui.words import NARROW, counted, duration, grouped, in_words
from relationships.models import EndUser
from web.actor import AGENT, ActorKind

register = template.Library()

# Details of an audit event that are shown as links beside the details, or not at all.
_LEFT_OUT = ("operator", "relationship_id", "companion_id", "summary", "version")
MOST_LISTED = 12  # of a list in an audit event
MOST_LINES = 1000  # of a file's change
_ISO_DATE = re.compile(r"\b(\d{4})-(0[1-9]|1[0-2])(?!\d)(?:-(\d\d)(?!\d)(T(?=\d))?)?")
_TONES = {
    "good": {"added", "applied", "done", "ready"},
    "warn": {"erased", "held", "hidden", "needs_review"},
    "bad": {"failed", "refused"},
    "info": {"updated"},
}
_UNITS = (("year", 365 * 86400), ("month", 30 * 86400), ("day", 86400), ("hour", 3600), ("minute", 60))


@register.simple_tag
@lru_cache(maxsize=100)
def icon(name: str) -> str:
    """Return an icon of the sprite. It is hidden from screen readers, as the text beside it says the same."""
    address = f"{static('admin_ui/icons.svg')}#{name}"
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"></use></svg>', address)


register.filter("grouped", grouped)
register.filter("words", in_words)
register.filter("duration", duration)


@register.filter
def spelled_dates(text: str) -> str:
    """Write ISO dates in words: 22 Nov 2026 for 2026-11-22, Nov 2026 for 2026-11, "to" for the slash of a range."""
    return _ISO_DATE.sub(_spelled, text.replace("/", " to "))


def _spelled(found: re.Match[str]) -> str:
    year, month, day, time = found.groups()
    parts = filter(None, ((day or "").lstrip("0"), month_abbr[int(month)], year))
    return " ".join(parts) + (", " if time else "")


@register.filter
def tone(state: str, otherwise: str = "") -> str:
    """Return the CSS class of a state's badge; `otherwise` if the state is neither good nor bad."""
    return next((name for name, states in _TONES.items() if state in states), otherwise)


@register.filter
def with_id(person: EndUser) -> str:
    """Return a person's name with their external ID; the ID alone if there is no name."""
    return f"{person} ({person.external_id})" if person.display_name else str(person)


@register.filter
def committer(author: str) -> str:
    """Return the author of a commit in words, without the email address and without IDs of sessions and policies."""
    kind, _, name = author.partition(" <")[0].partition(" ")
    return {"session": "agent session", "policy": "Rapport"}.get(kind) or f"{in_words(kind)} {name}".strip()


@register.simple_tag
def actor(kind: str, name: str) -> str:
    """Return an actor in words: "the person", "Rapport", "the agent", "API key rk_1"."""
    if kind == ActorKind.MODEL:
        return "the agent" if name == AGENT.id else format_html("the model <bdi>{}</bdi>", name)
    if kind in (ActorKind.END_USER, ActorKind.POLICY):
        return "the person" if kind == ActorKind.END_USER else in_words(kind)
    return format_html("{} <bdi>{}</bdi>", in_words(kind), name)


@register.filter
def pairs(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return names and values. A template's `values.items` fails for a mapping with the key "items"."""
    return list(values.items())


@register.filter
def details(values: Mapping[str, Any]) -> str:
    """Return an audit event's details on one line, without empty ones. Long lists are shortened."""
    texts = {
        name.replace("_", " "): _detail(value) for name, value in values.items() if name not in _LEFT_OUT
    }
    return "; ".join(f"{name}: {value}" for name, value in texts.items() if value not in ("", None))


def _detail(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in value.items())
    if not isinstance(value, list):
        return value
    more = f" and {len(value) - MOST_LISTED} more" if len(value) > MOST_LISTED else ""
    return ", ".join(map(str, value[:MOST_LISTED])) + more


@register.filter
def with_code(text: str) -> str:
    """Mark up `names` in backticks as code. A text with an odd number of backticks stays as it is."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return text
    return _mark_up_odd(parts, "<code>{}</code>")


@register.simple_tag(takes_context=True)
def column(context: Mapping[str, Any], name: str, label: str, number: bool = False) -> str:
    """Return a table heading that sorts by its column. `name`: with a `-` if the first click sorts descending."""
    order = context["order"] if "order" in context else context["page"].order
    query = context["request"].GET.copy()
    sorted_by = order.removeprefix("-") == name.removeprefix("-")
    descending = order.startswith("-")
    query["order"] = name if not sorted_by else order[1:] if descending else f"-{order}"
    query.pop("page", None)
    return format_html(
        '<th scope="col"{}{}><a href="?{}">{}</a></th>',
        mark_safe(' class="number"') if number else "",
        format_html(' aria-sort="{}"', "descending" if descending else "ascending") if sorted_by else "",
        query.urlencode(),
        label,
    )


@register.simple_tag
def row_count(page: Page, noun: str) -> str:
    """Return how many rows a list has, as "3 turns"; or that only the newest rows are sorted."""
    total = page.total
    if page.bounded and total == f"{MOST_SORTED:,}":
        return f"Sorted among the newest {total.replace(',', NARROW)} {noun}s"
    return f"{total.replace(',', NARROW)} {noun}{'' if total == '1' else 's'}"


@register.simple_tag
def highlighted(text: str, query: str) -> str:
    """Return the text with every occurrence of `query`, in any case, in a <mark>."""
    parts = re.split(f"({re.escape(query)})", text, flags=re.IGNORECASE) if query else [text]
    return _mark_up_odd(parts, "<mark>{}</mark>")


def _mark_up_odd(parts: Sequence[str], markup: str) -> str:
    """Join the parts, with `markup` around the second, the fourth, and so on."""
    marked = (format_html(markup, part) if place % 2 else part for place, part in enumerate(parts))
    return format_html_join("", "{}", ((part,) for part in marked))


@register.simple_tag
def diff(pieces: Sequence[Piece]) -> str:
    """Return the pieces of `word_diff`, with <del> for removed and <ins> for new text."""
    markup = {"removed": "<del>{}</del>", "added": "<ins>{}</ins>"}
    return mark_safe("".join(format_html(markup.get(piece.kind, "{}"), piece.text) for piece in pieces))  # noqa: S308 -- each is escaped


@register.simple_tag
def patch(unified: str) -> str:
    """Return the first lines of a unified diff, marked up, without its heading, which names the file."""
    markup = {"+": "<ins>{}</ins>", "-": "<del>{}</del>", "@": '<span class="soft">{}</span>'}
    lines = unified.splitlines(keepends=True)[2:]
    marked = (format_html(markup.get(line[:1], "{}"), line) for line in lines[:MOST_LINES])
    more = len(lines) - MOST_LINES
    note = '<p class="pad soft small">{} more lines are not shown.</p>'
    return format_html(
        '<pre class="block patch" dir="auto" tabindex="0">{}</pre>{}',
        format_html_join("", "{}", ((line,) for line in marked)),
        format_html(note, f"{more:,}") if more > 0 else "",
    )


@register.simple_tag
def day(at: datetime) -> str:
    """Return the date, with the time in a tooltip."""
    at = timezone.localtime(at)
    markup = '<time datetime="{}" title="{}">{}</time>'
    return format_html(markup, at.isoformat(), f"{at:%-d %B %Y, %H:%M:%S} UTC", f"{at:%-d %b %Y}")


@register.simple_tag
def moment(at: datetime) -> str:
    """Return the date and the time."""
    at = timezone.localtime(at)
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), f"{at:%-d %b %Y, %H:%M}")


@register.simple_tag
def age(at: datetime) -> str:
    """Return how long ago this was, with the date and time in a tooltip."""
    title = f"{at:%-d %B %Y, %H:%M} UTC"
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), title, _ago(at))


def _ago(at: datetime) -> str:
    seconds = int((timezone.now() - at).total_seconds())
    for name, length in _UNITS:
        count = seconds // length
        if count:
            return f"{counted(count, name)} ago" if count > 0 else "in the future"
    return "just now"
