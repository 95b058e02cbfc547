"""The navigation and the theme of every page."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

THEMES = ("light", "dark")
THEME_COOKIE = "rapport_theme"
PAGES = (  # view name, icon, label
    ("overview", "chart", "Overview"),
    ("relationships", "people", "Relationships"),
    ("companions", "chat", "Companions"),
    ("playground", "play", "Playground"),
    ("turns", "turns", "Turns"),
    ("keys", "lock", "API keys"),
    ("operators", "person", "Operators"),
    ("audit", "history", "Audit log"),
)


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Context processor: add `navigation` and `theme` on pages of the admin UI."""
    match = request.resolver_match
    if match is None or match.app_name != "admin_ui":
        return {}
    section = (match.url_name or "").split("_", 1)[0]
    theme = request.COOKIES.get(THEME_COOKIE)
    return {
        "theme": theme if theme in THEMES else None,
        "navigation": [
            (reverse(f"admin_ui:{name}"), icon, label, section in (name, name.rstrip("s")))
            for name, icon, label in PAGES
        ],
    }
