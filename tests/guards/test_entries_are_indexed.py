"""Entries are written in one place, `change_entries`, which writes their history and tells whoever rests on them."""

import ast
from pathlib import Path

from memory.entries.history import change_listeners
from memory.retrieval.index.write import index_changes
from tests.guards.sources import DOMAIN, ROOT, calls, imported, named, python_files, tree_of

WRITES = {"update", "bulk_create", "bulk_update", "delete", "save", "create"}
# Each with the reason why it need not go by change_entries.
ELSEWHERE = {
    "memory/entries/history.py": "is change_entries itself",
    "memory/entries/access.py": "counts how often an entry was shown",
    "upkeep/importing.py": "brings the history along, and rebuilds the index of all of it",
}


def writes_entries(path: Path) -> bool:
    tree = tree_of(path)
    return any(_writes(call, "ScratchpadEntry") for _, call in calls(tree))


def _writes(call: ast.Call, model: str) -> bool:
    """By the ORM, or by a statement of its own."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in WRITES and model in ast.unparse(call.func)
    return ast.unparse(call.func) == "insert_of" and model in ast.unparse(call)


def test_entries_are_written_by_change_entries_alone() -> None:
    paths = [path for path in python_files(*DOMAIN) if "migrations" not in path.parts]
    writers = {named(path) for path in paths if writes_entries(path)}

    assert writers <= ELSEWHERE.keys(), (
        f"Make Changes of it, for change_entries: {writers - ELSEWHERE.keys()}"
    )
    assert "memory/entries/history.py" in writers


def test_the_index_is_written_in_its_own_package_alone() -> None:
    outside = [
        named(path)
        for path in python_files(*DOMAIN)
        if "index" not in path.parts
        for _, call in calls(tree_of(path))
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in WRITES
        and "SearchText" in ast.unparse(call.func)
    ]
    assert not outside


def test_search_hears_of_every_change_and_history_knows_nothing_of_search() -> None:
    assert index_changes in change_listeners

    written = (ROOT / "memory/entries/history.py").read_text()
    assert "memory.retrieval" not in written


def test_retrieval_rests_on_entries_and_nothing_above_them() -> None:
    above = [
        f"{named(path)}: {module}"
        for path in python_files("memory/retrieval")
        for module, _ in imported(tree_of(path))
        if module.startswith(("memory.ingestion", "memory.entries"))
        and module not in ("memory.entries.history", "memory.entries.happens")
    ]
    assert not above


def test_what_writes_the_index_knows_nothing_of_what_reads_it() -> None:
    settings = "memory.retrieval.configuration"
    reading = [
        f"{named(path)}: {module}"
        for path in python_files("memory/retrieval/index")
        for module, _ in imported(tree_of(path))
        if module.startswith("memory.retrieval")
        and not module.startswith(("memory.retrieval.index", settings))
    ]
    assert not reading
