"""A text that has the wrong form is answered with the form, not with a regular expression."""

import pytest

from relationships.models import Relationship
from tests.fixtures.api import Api

WRONG = [
    ("GET", "/relationships/{r}/events?after=yesterday", None, "the `id` of an event"),
    ("GET", "/relationships/{r}/entries?tag=blue", None, "has to be name=value"),
    ("GET", "/relationships/{r}/entries?type=My Type", None, "1 to 60 of a-z"),
    ("GET", "/relationships/{r}/entries?text=a%0Ab", None, "a control character"),
    ("GET", "/relationships/{r}/files?branch=trunk", None, "has to be main, or session/"),
    ("POST", "/relationships/{r}/entries", {"type": "a b", "content": "Has a dog."}, "1 to 60 of a-z"),
    (
        "POST",
        "/relationships/{r}/turns",
        {"messages": [{"role": "user", "content": "Hi"}], "session": "a/b"},
        "or a /",
    ),
    ("PATCH", "/companions/{c}", {"config": {"events": {"webhook": {"url": "ftp://x"}}}}, "such as https://"),
    (
        "PATCH",
        "/companions/{c}",
        {"config": {"events": {"webhook": {"url": "https://a.example:99999/"}}}},
        "a port that can't be called",
    ),
    ("GET", "/relationships?companion=A B", None, "has to be a slug or an ID"),
]


@pytest.mark.parametrize(("method", "path", "body", "sentence"), WRONG, ids=[each[1] for each in WRONG])
def test_it_says_the_form(
    method: str, path: str, body: object, sentence: str, api: Api, relationship: Relationship
) -> None:
    refused = api.send(method, path.format(r=relationship.id, c=relationship.companion_id), body)

    assert refused.status == 422, refused
    [problem] = refused.body["errors"]
    assert sentence in problem["detail"]
    assert "^" not in problem["detail"]
