"""What an operator may read says it in the words of docs/reference/screen-words.md, on pages that no test opens too."""

import ast
import re
from pathlib import Path

from tests.guards.screen_words import old_words_in
from tests.guards.sources import ROOT

_MARKUP = re.compile(r"{[%#{].*?[%#}]}|<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
_PART = re.compile(r"{% (?:card|choice|empty_state|field|tab) .*?%}")
_SAID = re.compile(r'\b(?:title|aria-label|placeholder|data-confirm|alt)="([^"]*)"')


def of_template(text: str) -> str:
    """What stands between the tags, and what some of their attributes and the tags of whole parts say."""
    parts = re.findall(r'"([^"]*)"', "".join(_PART.findall(text)))
    return "\n".join([_MARKUP.sub("\n", text), *_SAID.findall(text), *parts])


def of_module(text: str) -> str:
    """Its sentences: strings of several words that are not its docstrings."""
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
    said = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return "\n".join(text for text in said if isinstance(text, str) and " " in text and text not in docs)


def test_templates_and_messages_use_no_word_of_before() -> None:
    templates, modules = sorted(ROOT.glob("templates/**/*.html")), sorted(ROOT.glob("admin_ui/**/*.py"))
    assert len(templates) > 50 and len(modules) > 30

    def found(file: Path, text: str) -> list[str]:
        return [f"{file.relative_to(ROOT)}: {word}" for word in old_words_in(text)]

    wrong = [line for file in templates for line in found(file, of_template(file.read_text()))]
    wrong += [line for file in modules for line in found(file, of_module(file.read_text()))]
    assert not wrong, "\n".join(wrong)


def test_they_are_found_where_they_stand() -> None:
    assert of_template('<p title="two">{% if one %}three{{ four }}</p>').split() == ["three", "two"]
    assert of_template('{% empty_state "No turns." icon="turns" %}').split() == ["No", "turns.", "turns"]
    assert of_module('"""A doc of it."""\nfail("Not so well.", "name")') == "Not so well."
