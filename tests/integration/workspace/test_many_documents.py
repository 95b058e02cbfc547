"""A companion's documents as files: whole, and read with as many statements however many there are."""

from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from relationships.models import Relationship
from tests.fixtures.documents import learn
from tests.fixtures.workspaces import whole
from workspace.generated import CUT, generated_files


def test_many_documents_are_read_with_as_many_statements_as_one(
    relationship: Relationship, settings: Settings
) -> None:
    texts = {
        f"{number}.md": " ".join(f"Word {number} {place}." for place in range(2500)) for number in range(4)
    }

    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            generated_files(whole(relationship))
        return len(asked)

    learn(relationship.companion, texts["0.md"], "0.md")
    one = statements()
    for name in ("1.md", "2.md", "3.md"):
        learn(relationship.companion, texts[name], name)
    files = generated_files(whole(relationship))

    assert statements() == one
    assert {name: files[f"knowledge/documents/{name}"].decode() for name in texts} == texts
    settings.MAX_FILE_BYTES = 5000
    cut = generated_files(whole(relationship))["knowledge/documents/2.md"].decode()
    assert (len(cut), cut.endswith(CUT), cut[:4000]) == (5000, True, texts["2.md"][:4000])
