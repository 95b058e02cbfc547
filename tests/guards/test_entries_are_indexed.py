"""Who writes entries also writes their history, and whoever rests on entries hears of it: record_changes does both."""

import ast
from pathlib import Path

from memory.entries.history import change_listeners
from memory.retrieval.index.write import index_changes
from tests.guards.sources import DOMAIN, ROOT, calls, imported, named, python_files, tree_of

WRITES = {"update", "bulk_create", "bulk_update", "delete", "save", "create"}
# Each with the reason why what it writes is no change of what an entry says.
ELSEWHERE = {
    "memory/entries/access.py": "counts how often an entry was shown",
    "upkeep/importing.py": "brings the history along, and rebuilds the index of all of it",
}


def writes_entries(path: Path) -> bool:
    tree = tree_of(path)
    written = any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr in WRITES
        and "ScratchpadEntry" in ast.unparse(call.func)
        for _, call in calls(tree)
    )
    return written or any(name == "save_change" for name, _ in calls(tree))


def records_changes(path: Path) -> bool:
    return any(name == "record_changes" for name, _ in calls(tree_of(path)))


def writers() -> list[Path]:
    paths = [path for path in python_files(*DOMAIN) if "migrations" not in path.parts]
    return [path for path in paths if writes_entries(path)]


def test_whoever_writes_entries_records_the_change() -> None:
    silent = {named(path) for path in writers() if not records_changes(path)}

    assert silent <= ELSEWHERE.keys(), (
        f"Call record_changes in the transaction of the change: {silent - ELSEWHERE.keys()}"
    )
    assert len(writers()) >= 4


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
        if module.startswith(("memory.ingestion", "memory.entries")) and module != "memory.entries.history"
    ]
    assert not above


def test_what_writes_the_index_knows_nothing_of_what_reads_it() -> None:
    reading = [
        f"{named(path)}: {module}"
        for path in python_files("memory/retrieval/index")
        for module, _ in imported(tree_of(path))
        if module.startswith("memory.retrieval")
        and not module.startswith(("memory.retrieval.index", "memory.retrieval.configuration"))
    ]
    assert not reading
