"""Parts that many pages have, each in a tag: a card, a field, a choice, a tab, and what a list without rows says."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.forms.utils import flatatt
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from admin_ui.templatetags import facts

register = template.Library()
_SELECTED = mark_safe(" selected")


@register.simple_tag
def field(name: str, label: str, value: str = "", *, wide: bool = False, **attributes: Any) -> str:
    """An input below its label. `attributes`: the input's own, with `_` for `-`; an empty one is left out."""
    own = {"id": name, "name": name, "value": value} | _given(attributes)
    return _labelled(own["id"], label, format_html("<input{}>", flatatt(own)), wide)


@register.simple_tag
def choice(
    name: str,
    label: str,
    options: Iterable[Any],
    chosen: Any = "",
    *,
    unset: str = "",
    wide: bool = False,
    **attributes: Any,
) -> str:
    """A list to choose from, below its label. `options`: values, or (value, words); `unset`: the words of the one that
    stands for none of them, if there is one; `attributes`: as of `field`.
    """
    pairs = [option if isinstance(option, tuple) else (option, option) for option in options]
    listed = (
        (value, _SELECTED if str(value) == str(chosen) else "", words)
        for value, words in ([("", unset)] * bool(unset) + pairs)
    )
    own = {"id": name, "name": name} | _given(attributes)
    shown = format_html_join("", '<option value="{}"{}>{}</option>', listed)
    return _labelled(own["id"], label, format_html("<select{}>{}</select>", flatatt(own), shown), wide)


def _given(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("_", "-"): value for name, value in attributes.items() if value}


def _labelled(id: str, label: str, shown: str, wide: bool) -> str:
    around = '<div class="field{}"><label for="{}">{}</label>{}</div>'
    return format_html(around, " wide" if wide else "", id, label, shown)


@register.simple_tag
def copied(text: Any, id: str) -> str:
    """A code with a button that copies it."""
    button = '<button class="quiet small copy" id="copy-{0}" aria-labelledby="copy-{0} {0}" data-copy="#{0}">'
    return format_html(f'<code id="{{0}}" dir="auto">{{1}}</code> {button}Copy</button>', id, text)


@register.simple_tag
def nothing(says: str, *, icon: str = "", element: str = "div", card: bool = False) -> str:
    """What stands where there are no rows."""
    shown = '<{0} class="{1}empty">{2}<p>{3}</p></{0}>'
    return format_html(shown, element, "card " if card else "", facts.icon(icon) if icon else "", says)


@register.simple_block_tag
def card(content: str, title: str, *, id: str = "") -> str:
    """A section below its heading. `id`: the heading's, which then names the section."""
    return format_html(
        '<section class="card"{}><header><h2{}>{}</h2></header>{}</section>',
        flatatt({"aria-labelledby": id or None}),
        flatatt({"id": id or None}),
        title,
        content,
    )


@register.simple_tag(takes_context=True)
def tab(context: Mapping[str, Any], name: str, label: str, page: str, of: Any) -> str:
    """A link to a page about the row `of`; it is the present one if the context's `tab` has its name."""
    present = ' aria-current="page"' if context.get("tab") == name else ""
    href = reverse(f"admin_ui:{page}", args=[of.id])
    return format_html(f'<a href="{{}}"{present}>{{}}</a>', href, label)
