import unicodedata

import pytest

from workspace.paths import path_fault, twin_fault


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "1 to 1024"),
        ("a" * 255 + "/" + "b" * 2000, "1 to 1024"),
        ("../secret", "without empty parts"),
        ("a/../../b", "without empty parts"),
        ("a/./b", "without empty parts"),
        ("/etc/passwd", "without empty parts"),
        ("a//b", "without empty parts"),
        ("a/", "without empty parts"),
        ("a\x00b", "control"),
        ("a\nb", "control"),
        ("a\x85b", "control"),
        ("a\u202egpj.md", "order in which it is shown"),
        ("a/\u2066b", "order in which it is shown"),
        ("a\\..\\b", "backslash"),
        (unicodedata.normalize("NFD", "é.md"), "NFC"),
        ("\ud800.md", "half a character"),
        ("a\ufffd.md", "could not be read"),
        ("x" * 256, "longer than 255"),
        (".git/config", "git's own"),
        ("a/.GIT/hooks/x", "git's own"),
        (".g\u200cit/config", "git's own"),
        ("git~1/config", "git's own"),
        (".git. /config", "git's own"),
        ("a/.git::$INDEX_ALLOCATION/x", "git's own"),
        ("git~1 .:x", "git's own"),
    ],
)
def test_a_path_that_no_tree_takes_is_refused_with_its_rule(path: str, said: str) -> None:
    assert said in path_fault(path)


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "memory/hot_context.md",
        "é.md",
        ".gitignore",
        "日本/メモ.md",
        "a b/c..d",
        "12:30.md",
        "می\u200cخواهم.md",
    ],
)
def test_an_ordinary_path_is_taken(path: str) -> None:
    assert path_fault(path) == ""


@pytest.mark.parametrize(
    "paths",
    [
        ["Notes.md", "notes.md"],
        ["Docs/a", "docs/b"],
        ["ﬁle", "file"],
        ["a", "a/b"],
        ["a/b/c", "A/B"],
        ["notes.md", "no\u200btes.md"],
    ],
)
def test_two_files_that_some_system_would_take_for_one_are_refused(paths: list[str]) -> None:
    assert twin_fault(paths) != ""


def test_files_that_share_a_folder_are_no_twins() -> None:
    assert twin_fault(["a/b", "a/c", "ab", "b/a", "a/d/e/f", "a/d/e/g", "a/d/h"]) == ""


@pytest.mark.parametrize("twin", ["a", "a/B/c/e", "A/b/c/e", "a/b/C", "a/b/c/D", "a/b", "a/b/c/d/e"])
def test_a_twin_is_found_at_any_depth_whichever_comes_first(twin: str) -> None:
    assert twin_fault(["a/b/c/d", twin]) and twin_fault([twin, "a/b/c/d"])
