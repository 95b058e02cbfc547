"""What lists say of their rows at a glance: an icon, an age. As tags, since an include for each takes far longer."""

from datetime import datetime
from functools import lru_cache

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html

register = template.Library()

_UNITS = (("year", 365 * 86400), ("month", 30 * 86400), ("day", 86400), ("hour", 3600), ("minute", 60))


@register.simple_tag
@lru_cache(maxsize=100)
def icon(name: str) -> str:
    """One of the sprite's, hidden from who listens: the text beside it says the same."""
    address = f"{static('admin_ui/icons.svg')}#{name}"
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"></use></svg>', address)


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
            return f"{count} {name}{'' if count == 1 else 's'} ago" if count > 0 else "still to come"
    return "just now"
