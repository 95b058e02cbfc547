"""What lists say of their rows at a glance: an icon, an age. As tags, since an include for each takes far longer."""

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
from admin_ui.words import NARROW, grouped, in_words, lasting
from relationships.models import EndUser
from web.actor import AGENT, ActorKind

register = template.Library()

# Named beside the details, with a link; or of no interest to a reader.
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
    """One of the sprite's, hidden from who listens: the text beside it says the same."""
    address = f"{static('admin_ui/icons.svg')}#{name}"
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"></use></svg>', address)


register.filter("grouped", grouped)
register.filter("words", in_words)
register.filter("lasting", lasting)


@register.filter
def spelt(date: str) -> str:
    """Each 2026-11-22 or 2026-11 in a text as 22 Nov 2026 or Nov 2026."""
    return _ISO_DATE.sub(_spelt, date.replace("/", " to "))


def _spelt(found: re.Match[str]) -> str:
    year, month, day, time = found.groups()
    spelt_out = filter(None, ((day or "").lstrip("0"), month_abbr[int(month)], year))
    return " ".join(spelt_out) + (", " if time else "")


@register.filter
def tone(state: str, otherwise: str = "") -> str:
    """The class of a badge that says this state; `otherwise` where it is neither good nor bad."""
    return next((name for name, states in _TONES.items() if state in states), otherwise)


@register.filter
def with_id(person: EndUser) -> str:
    """A person's name with the application's own ID, where there is a name."""
    return f"{person} ({person.external_id})" if person.display_name else str(person)


@register.filter
def committer(author: str) -> str:
    """Who wrote a commit: the name without the address, and without a session's or a policy's ID."""
    kind, _, name = author.partition(" <")[0].partition(" ")
    return {"session": "agent session", "policy": "Rapport"}.get(kind) or f"{in_words(kind)} {name}".strip()


@register.simple_tag
def actor(kind: str, name: str) -> str:
    """Who did something: "the person", "Rapport", "the agent", "API key rk_1"."""
    if kind == ActorKind.MODEL:
        return "the agent" if name == AGENT.id else format_html("the model <bdi>{}</bdi>", name)
    if kind in (ActorKind.END_USER, ActorKind.POLICY):
        return "the person" if kind == ActorKind.END_USER else in_words(kind)
    return format_html("{} <bdi>{}</bdi>", in_words(kind), name)


@register.filter
def pairs(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names and values. In a template `values.items` is what stands under the name "items", where there is one."""
    return list(values.items())


@register.filter
def details(values: Mapping[str, Any]) -> str:
    """An audit event's details on one line; what is empty is left out, and of a long list all but the beginning."""
    shown = {name.replace("_", " "): _shown(value) for name, value in values.items() if name not in _LEFT_OUT}
    return "; ".join(f"{name}: {value}" for name, value in shown.items() if value not in ("", None))


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in value.items())
    if not isinstance(value, list):
        return value
    more = f" and {len(value) - MOST_LISTED} more" if len(value) > MOST_LISTED else ""
    return ", ".join(map(str, value[:MOST_LISTED])) + more


@register.filter
def codes(text: str) -> str:
    """A text in which `names` stand between backticks, as they do in the configuration's descriptions."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return text
    return _each_second(parts, "<code>{}</code>")


@register.simple_tag(takes_context=True)
def column(context: Mapping[str, Any], name: str, label: str, number: bool = False) -> str:
    """A table's heading that sorts by its column; `name` begins with a `-` where the first click means downwards."""
    order = context["order"] if "order" in context else context["page"].order
    query = context["request"].GET.copy()
    present = order.removeprefix("-") == name.removeprefix("-")
    down = order.startswith("-")
    query["order"] = name if not present else order[1:] if down else f"-{order}"
    query.pop("page", None)
    return format_html(
        '<th scope="col"{}{}><a href="?{}">{}</a></th>',
        mark_safe(' class="number"') if number else "",
        format_html(' aria-sort="{}"', "descending" if down else "ascending") if present else "",
        query.urlencode(),
        label,
    )


@register.simple_tag
def counted(page: Page, noun: str) -> str:
    """How many a list has, as in "3 turns"; or, where a column is sorted among the newest alone, that it is."""
    total = page.total
    if page.bounded and total == f"{MOST_SORTED:,}":
        return f"Sorted among the newest {total.replace(',', NARROW)} {noun}s"
    return f"{total.replace(',', NARROW)} {noun}{'' if total == '1' else 's'}"


@register.simple_tag
def marked(text: str, sought: str) -> str:
    """A whole text with each place where `sought` stands in it, in any case, marked."""
    parts = re.split(f"({re.escape(sought)})", text, flags=re.IGNORECASE) if sought else [text]
    return _each_second(parts, "<mark>{}</mark>")


def _each_second(parts: Sequence[str], markup: str) -> str:
    shown = (format_html(markup, part) if place % 2 else part for place, part in enumerate(parts))
    return format_html_join("", "{}", ((part,) for part in shown))


@register.simple_tag
def diff(pieces: Sequence[Piece]) -> str:
    """What `word_diff` told apart: what is gone struck out, what is new underlaid."""
    shown = {"gone": "<del>{}</del>", "new": "<ins>{}</ins>"}
    return mark_safe("".join(format_html(shown.get(piece.kind, "{}"), piece.text) for piece in pieces))  # noqa: S308 -- each is escaped


@register.simple_tag
def patch(unified: str) -> str:
    """The lines of a file's change, each told by colour and by its sign; without the heading, which names the file.

    Of a long one the first, and how many more there are.
    """
    kinds = {"+": "<ins>{}</ins>", "-": "<del>{}</del>", "@": '<span class="soft">{}</span>'}
    lines = unified.splitlines(keepends=True)[2:]
    shown = (format_html(kinds.get(line[:1], "{}"), line) for line in lines[:MOST_LINES])
    more = len(lines) - MOST_LINES
    left = (
        format_html('<p class="pad soft small">{} more lines are not shown.</p>', f"{more:,}")
        if more > 0
        else ""
    )
    return format_html(
        '<pre class="block patch" dir="auto" tabindex="0">{}</pre>{}',
        format_html_join("", "{}", ((line,) for line in shown)),
        left,
    )


@register.simple_tag
def when(at: datetime) -> str:
    """A day, with the moment itself for who points at it."""
    at = timezone.localtime(at)
    shown = '<time datetime="{}" title="{}">{}</time>'
    return format_html(shown, at.isoformat(), f"{at:%-d %B %Y, %H:%M:%S} UTC", f"{at:%-d %b %Y}")


@register.simple_tag
def moment(at: datetime) -> str:
    """A day and the time of it, where several things happen on one day."""
    at = timezone.localtime(at)
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), f"{at:%-d %b %Y, %H:%M}")


@register.simple_tag
def age(at: datetime) -> str:
    """How long ago in words, with the moment itself for who points at it."""
    title = f"{at:%-d %B %Y, %H:%M} UTC"
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), title, _ago(at))


def _ago(at: datetime) -> str:
    seconds = int((timezone.now() - at).total_seconds())
    for name, length in _UNITS:
        count = seconds // length
        if count:
            return f"{count} {name}{'' if count == 1 else 's'} ago" if count > 0 else "in the future"
    return "just now"
