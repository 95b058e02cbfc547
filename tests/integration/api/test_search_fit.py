"""A search can say that nothing fits."""

from relationships.models import Relationship
from tests.fixtures.api import Api


def test_of_three_entries_none_has_to_fit(api: Api, relationship: Relationship) -> None:
    path = f"/relationships/{relationship.id}/entries"
    for content in ("Noor plays the violin on Fridays", "Drinks green tea", "Works as a nurse"):
        api.post(path, {"content": content, "type": "other"})
    asked = {"query": "What does everybody know about tea ceremonies in Kyoto?"}
    known = {"query": "When does Noor play the violin?", "min_fit": 0.4}

    best = api.post(f"{path}/search", asked).body["items"][0]
    wrong = api.post(f"{path}/search", asked | {"min_fit": 1.5})

    assert best["content"] == "Drinks green tea" and best["score"] >= 1 and best["fit"] < 0.25
    assert api.post(f"{path}/search", asked | {"min_fit": 0.25}).body["items"] == []
    found = api.post(f"{path}/search", known).body["items"]
    assert [item["content"] for item in found] == ["Noor plays the violin on Fridays"]
    assert wrong.status == 422 and wrong.body["errors"][0]["field"] == "min_fit"
