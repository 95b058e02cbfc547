"""Template tags for components that many pages use: cards, form fields, tabs, empty lists."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.forms.utils import flatatt
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from admin_ui.templatetags import formatting

register = template.Library()
_SELECTED = mark_safe(" selected")


@register.simple_tag
def field(
    name: str, label: str, value: str = "", *, wide: bool = False, error: str = "", **attributes: Any
) -> str:
    """Return an input with its label. `error`: what is wrong with its value, shown beside it, with the focus on it;
    `attributes`: of the input, with `_` for `-`; empty ones are left out.
    """
    own = {"id": name, "name": name, "value": value} | _given(attributes)
    control, about = format_html("<input{}>", flatatt(own)), f"{own['id']}-error"
    if error:
        wrong = {"aria-invalid": "true", "aria-describedby": about, "autofocus": True}
        markup = '<input{}><span class="error" role="alert" id="{}">{}</span>'
        control = format_html(markup, flatatt(own | wrong), about, error)
    return _labelled(own["id"], label, control, wide)


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
    """Return a select with its label. `options`: values, or (value, label); `unset`: the label of the option without a
    value, if there is one; `attributes`: as of `field`.
    """
    pairs = [option if isinstance(option, tuple) else (option, option) for option in options]
    listed = (
        (value, _SELECTED if str(value) == str(chosen) else "", words)
        for value, words in ([("", unset)] * bool(unset) + pairs)
    )
    own = {"id": name, "name": name} | _given(attributes)
    markup = format_html_join("", '<option value="{}"{}>{}</option>', listed)
    return _labelled(own["id"], label, format_html("<select{}>{}</select>", flatatt(own), markup), wide)


def _given(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("_", "-"): value for name, value in attributes.items() if value}


def _labelled(id: str, label: str, control: str, wide: bool) -> str:
    markup = '<div class="field{}"><label for="{}">{}</label>{}</div>'
    return format_html(markup, " wide" if wide else "", id, label, control)


@register.simple_tag
def copyable(text: Any, id: str) -> str:
    """Return a code with a button that copies it."""
    button = '<button class="quiet small copy" id="copy-{0}" aria-labelledby="copy-{0} {0}" data-copy="#{0}">'
    return format_html(f'<code id="{{0}}" dir="auto">{{1}}</code> {button}Copy</button>', id, text)


@register.simple_tag
def empty_state(text: str, *, icon: str = "", element: str = "div", card: bool = False) -> str:
    """Return what a list without rows shows."""
    markup = '<{0} class="{1}empty">{2}<p>{3}</p></{0}>'
    return format_html(markup, element, "card " if card else "", formatting.icon(icon) if icon else "", text)


@register.simple_block_tag
def card(content: str, title: str, *, id: str = "") -> str:
    """Return a section with a heading. `id`: of the heading, which labels the section."""
    return format_html(
        '<section class="card"{}><header><h2{}>{}</h2></header>{}</section>',
        flatatt({"aria-labelledby": id or None}),
        flatatt({"id": id or None}),
        title,
        content,
    )


@register.simple_tag(takes_context=True)
def tab(context: Mapping[str, Any], name: str, label: str, page: str, of: Any) -> str:
    """Return a link to a page about the row `of`. It is the current one if the context's `tab` is `name`."""
    current = ' aria-current="page"' if context.get("tab") == name else ""
    href = reverse(f"admin_ui:{page}", args=[of.id])
    return format_html(f'<a href="{{}}"{current}>{{}}</a>', href, label)
