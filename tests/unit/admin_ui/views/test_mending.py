"""The form of a wish to forget or to correct."""

import pytest
from django.test import Client

from relationships.models import Relationship


@pytest.mark.parametrize(
    ("verb", "what", "status"),
    [("forget", "\x00", 422), ("forget", "a\x00b", 302), ("correct", "a\x00b", 422)],
)
def test_what_no_table_takes_breaks_no_page(
    editor: Client, relationship: Relationship, verb: str, what: str, status: int
) -> None:
    sent = {"what": what, "to": "\x00" + "c" * 9}

    assert editor.post(f"/admin-ui/relationships/{relationship.id}/{verb}/", sent).status_code == status
