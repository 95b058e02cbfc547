"""The admin UI speaks plain product English: none of the words that docs/reference/screen-words.md has put aside."""

import ast
import re
from collections.abc import Iterator

from tests.guards.screen_words import old_words_in
from tests.guards.sources import ROOT, named, python_files, tree_of

_CODE = re.compile(r"{%.*?%}|{#.*?#}|<(?:script|style).*?</(?:script|style)>", re.DOTALL)
_LITERAL = re.compile(r'"([^"\n]+)"')


def texts() -> Iterator[tuple[str, str]]:
    """What may come to the screen: each template without its code, each string of the views and of the script."""
    for path in sorted((ROOT / "templates").rglob("*.html")):
        yield named(path), _CODE.sub(" ", path.read_text())
    for path in python_files("admin_ui"):
        tree = tree_of(path)
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        strings = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in told)
        yield named(path), "\n".join(n.value for n in strings if isinstance(n.value, str) and " " in n.value)
    for path in sorted((ROOT / "admin_ui" / "static" / "admin_ui").glob("*.js")):
        code = re.sub(r"^\s*(?://|/\*).*$", "", path.read_text(), flags=re.MULTILINE)
        yield named(path), "\n".join(_LITERAL.findall(code))


def test_no_text_of_the_admin_ui_has_a_word_that_was_put_aside() -> None:
    found = [f"{name}: {word}" for name, text in texts() for word in old_words_in(text)]

    assert not found, f"Say it as docs/reference/screen-words.md does: {found}"


def test_the_list_finds_a_word_in_a_sentence_and_not_within_another() -> None:
    assert old_words_in("Tick what\n is to go for  good.") == ["tick what", "for good"]
    assert old_words_in("A history of sticky tickets.") == []
