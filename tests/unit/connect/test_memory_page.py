"""The memory page's answer, and its texts in each language."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

import connect

STATIC = Path(connect.__path__[0]) / "static" / "memory_page"
TEXTS: dict[str, dict[str, str]] = json.loads((STATIC / "texts.json").read_text())
PLACEHOLDER = re.compile(r"\{\w+\}")


def test_it_loads_only_our_own_files_and_asks_nothing(client: Client, settings: Any) -> None:
    settings.CORS_ALLOWED_ORIGINS = ["https://app.example"]
    answer = client.get("/memory")  # without a database: a statement would fail this test
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert answer.status_code == 200 and not answer.cookies
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert policy["default-src"] == "'none'" and policy["script-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'self' https://app.example"
    assert client.post("/memory").status_code == 405


@pytest.mark.parametrize("language", TEXTS)
def test_each_language_has_the_texts_of_english(language: str) -> None:
    for key, text in TEXTS["en"].items():
        translated = TEXTS[language][key]
        assert set(PLACEHOLDER.findall(translated)) == set(PLACEHOLDER.findall(text)), key
    assert list(TEXTS[language]) == list(TEXTS["en"])


def test_each_text_is_used_and_each_used_text_exists() -> None:
    page = (Path(connect.__path__[0]).parent / "templates" / "memory_page.html").read_text()
    script = (STATIC / "page.js").read_text()
    used = set(re.findall(r'data-(?:text|label)="(\w+)"', page))
    quoted = set(re.findall(r'"(\w+)"', script))
    assert used <= set(TEXTS["en"])
    assert set(TEXTS["en"]) <= used | quoted
    assert set(re.findall(r'\bt\("(\w+)"', script)) <= set(TEXTS["en"])
