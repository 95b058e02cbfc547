"""Run by pytest of an interpreter that has LangGraph's PostgreSQL store: that store's own tests, on ours.

LEFT_OUT names those that are not run, each with its reason.
"""

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from rapport_client import Rapport
from rapport_client.adapters.langgraph import RapportStore

sys.path.insert(0, os.environ["SOURCE"])
pytestmark = pytest.mark.anyio

OF_SQL = "about the SQL that it writes"
OF_TIME = "about a time to live, which items have not"
OF_VECTORS = "about its own embedder: the fields it reads, and scores that are the same to three digits"
LEFT_OUT = {
    "escape_like_literal": OF_SQL,
    "namespace_match_pattern": OF_SQL,
    "nonnull_migrations": OF_SQL,
    "abatch_uses_single_pool_checkout": OF_SQL,
    "store_ttl": OF_TIME,
    "omit_expired_filters_read_paths": OF_TIME,
    "omit_expired_disabled_preserves_expired_rows": OF_TIME,
    "omit_expired_refresh_ttl_only_refreshes_live_rows": OF_TIME,
    "omit_expired_search_pagination": OF_TIME,
    "vector_store_initialization": OF_VECTORS,
    "embed_with_path_sync": OF_VECTORS,
    "embed_with_path_operation_config": OF_VECTORS,
    "embed_with_path": OF_VECTORS,
    "scores": OF_VECTORS,
    "search_sorting": "201 items for each of six kinds of vectors: a minute of the same",
    "large_batches": "6,000 calls, about the queue in which it bundles them",
    "large_batches_async": "60,000 calls, about that queue",
    "async_vector_search_edge_cases": "wants signs after a word to lower its score; ours of the best is always 1",
    "no_running_loop": "about its refusal to be called without await, which ours allows",
}


@contextmanager
def _store(*kinds: Any, **options: Any) -> Iterator[RapportStore]:
    with Rapport() as client:
        yield RapportStore(client, companion="ada", user=uuid4().hex)


for module, kind in (("test_store", ""), ("test_async_store", "async_")):
    theirs = vars(importlib.import_module(f"tests.{module}"))
    theirs["_create_vector_store"] = _store
    tests = {name.removeprefix("test_"): test for name, test in theirs.items() if name.startswith("test_")}
    run = {name for name in tests if not {name, kind + name} & set(LEFT_OUT)}
    globals().update({f"test_{kind}{name}": tests[name] for name in run})


@pytest.fixture
def store() -> Iterator[RapportStore]:
    with _store() as made:
        yield made


@pytest.fixture
def fake_embeddings() -> None:
    """Do without it, as the service has its own embedder."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def vector_store(store: RapportStore) -> RapportStore:
    return store


def test_each_person_has_a_store_of_their_own_and_a_namespace_that_names_nobody_none() -> None:
    with Rapport() as client:
        store = RapportStore(client, companion="ada", user=lambda names: names[1])
        store.put(("memories", "tom"), "tea", {"text": "Likes tea."})
        assert [item.key for item in store.search(("memories", "tom"))] == ["tea"]
        assert store.search(("memories", "noor"), query="tea") == []
        with pytest.raises(ValueError, match="does not name the person"):
            store.search(("memories",))


def test_an_item_is_an_entry_and_what_corrects_it_corrects_the_item(store: RapportStore) -> None:
    store.put(("facts",), "city", {"text": "Lives in Porto.", "sure": None})
    store.put(("notes",), "city", {"text": "Lives in Porto."})
    owner = store._owner(())
    kept = next(entry for entry in owner.entries() if entry["content"] == "Lives in Porto.")
    owner.client.entries_change(owner.id, kept["id"], content="Lives in Lisbon.")
    item = store.get(("facts",), "city")
    assert item is not None and item.value == {"text": "Lives in Lisbon.", "sure": None}
    other = store.get(("notes",), "city")
    assert other is not None and other.value == {"text": "Lives in Porto."}
    assert len(owner.entries()) == 2


def test_filters_compare(store: RapportStore) -> None:
    for key, cups in (("a", 1), ("b", 3), ("c", 5)):
        store.put(("tea",), key, {"cups": cups, "of": {"kind": "green"}})
    asked = {"cups": {"$gt": 1, "$lte": 5}, "of": {"kind": "green"}}
    assert {item.key for item in store.search(("tea",), filter=asked)} == {"b", "c"}
    store.put(("tea",), "b", {"cups": 3}, index=False)
    assert {item.key for item in store.search(("tea",), query="cups")} <= {"a", "c"}
