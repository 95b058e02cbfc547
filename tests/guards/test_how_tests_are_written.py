"""Tests are honest: they wait for what happens, use the real code, and assert something."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.guards.sources import CODE, calls, dotted, imported, named, python_files, text_of, tree_of

FILES = python_files("tests")
# The bounded poll that everybody uses; and vendors' servers, which are slow where a timeout is tested.
MAY_SLEEP = ("tests/waiting.py", "tests/vendor_servers/")
# Calls that fail by themselves when something is not so.
ASSERTING = (
    "assert_",
    "raises",
    "fail",
    "wait_until",
    "expect",
    "check_",
    "require_",
    "django_assert",
    "validate",
)


def written_tests(path: Path) -> Iterator[ast.FunctionDef]:
    """The tests that stand in a file."""
    if path.name.startswith("test_"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node


def test_no_test_sleeps() -> None:
    sleeps = [
        f"{named(path)}:{call.lineno}"
        for path in FILES
        if not named(path).startswith(MAY_SLEEP)
        for name, call in calls(tree_of(path))
        if name in ("time.sleep", "sleep")
    ]
    assert not sleeps, f"Wait for what happens, with tests.waiting.wait_until: {sleeps}"


def test_nothing_of_ours_is_replaced() -> None:
    mocks = [
        f"{named(path)}: {module}"
        for path in FILES
        for module, _ in imported(tree_of(path))
        if module.split(".")[0] == "mock" or module == "unittest.mock"
    ]
    replaced = [f"{named(path)}:{call.lineno}" for path in FILES for call in _replacements(tree_of(path))]
    assert not mocks, f"Use offline, ScriptedProvider, or the real thing: {mocks}"
    assert not replaced, f"Break the world around our code, not the code: {replaced}"


def test_every_test_asserts_something() -> None:
    silent = [
        f"{named(path)}: {test.name}"
        for path in FILES
        for test in written_tests(path)
        if not _asserts(test, _asserting_helpers(tree_of(path)))
    ]
    assert not silent, f"What must be so when they end? {silent}"


def _replacements(tree: ast.Module) -> Iterator[ast.Call]:
    ours = {
        (alias.asname or alias.name).split(".")[0]
        for module, node in imported(tree)
        if module.split(".")[0] in CODE
        for alias in node.names
    }
    for name, call in calls(tree):
        if name.endswith(("monkeypatch.setattr", "monkeypatch.delattr", "mocker.patch")) and call.args:
            target = text_of(call.args[0]) or dotted(call.args[0])
            replaced = target.rsplit(".", 1)[-1] if len(call.args) == 2 else text_of(call.args[1]) or ""
            # A limit may be made small, so that a test reaches it: a constant is no code.
            if target.split(".")[0] in {*CODE, *ours} and not replaced.isupper():
                yield call


def _asserting_helpers(tree: ast.Module) -> set[str]:
    """Functions of a file that assert for its tests."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {function.name for function in functions if _asserts(function, set())}


def _asserts(function: ast.FunctionDef, helpers: set[str]) -> bool:
    return any(isinstance(node, ast.Assert) for node in ast.walk(function)) or any(
        name in helpers or name.rsplit(".", 1)[-1].startswith(ASSERTING) for name, _ in calls(function)
    )
