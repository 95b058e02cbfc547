"""A search can say that nothing fits."""

from relationships.models import Relationship
from tests.fixtures.api import Api


def test_of_three_entries_none_has_to_fit(api: Api, relationship: Relationship) -> None:
    path = f"/relationships/{relationship.id}"
    for content in ("Noor plays the violin on Fridays", "Drinks green tea", "Works as a nurse"):
        api.post(f"{path}/entries", {"content": content, "type": "other"})

    asked = {"query": "What does everybody know about tea ceremonies in Kyoto?"}
    items = api.post(f"{path}/entries/search", asked).body["items"]
    fitting = api.post(f"{path}/entries/search", {"query": "When does Noor play the violin?", "min_fit": 0.5})
    wrong = api.post(f"{path}/entries/search", asked | {"min_fit": 1.5})

    assert items[0]["content"] == "Drinks green tea" and items[0]["score"] >= 1 and items[0]["fit"] < 0.25
    assert found(api, path, **asked, min_fit=0.25) == []
    assert found(api, path, "When does Noor play the violin?", min_fit=0.5) == [
        "Noor plays the violin on Fridays"
    ]
    assert (
        api.post(f"{path}/entries/search", asked | {"min_fit": 1.5}).body["errors"][0]["field"] == "min_fit"
    )
