"""Run by pytest of an interpreter that has LangGraph's PostgreSQL store: that store's own tests, on ours.

Left out are those about its tables, its time to live and its own embedder's scores.
"""

import importlib
import os
import sys
from collections.abc import Iterator
from uuid import uuid4

import pytest
from rapport_client import Rapport
from rapport_client.adapters.langgraph import RapportStore

sys.path.insert(0, os.environ["SOURCE"])
theirs = importlib.import_module("tests.test_store")

OURS = """
batch_order batch_get_ops batch_put_ops batch_search_ops batch_list_namespaces_ops basic_store_ops list_namespaces
search_namespace_segment_boundary search_empty_prefix_is_unconstrained search_namespace_like_metacharacters
list_namespaces_segment_boundary search namespace_labels_with_trailing_newline batch_rejects_invalid_namespace_labels
batch_allows_empty_search_prefix_and_listing_wildcards
vector_insert_with_auto_embedding vector_search_pagination vector_search_edge_cases
"""
globals().update({f"test_{name}": getattr(theirs, f"test_{name}") for name in OURS.split()})


@pytest.fixture
def store() -> Iterator[RapportStore]:
    with Rapport() as client:
        yield RapportStore(client, companion="ada", user=uuid4().hex)


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
