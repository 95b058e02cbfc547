from relationships.models import AuditEvent, Companion, Relationship
from relationships.services.relationships import change_relationship, get_or_create_relationship
from tests.unit.relationships.services.statements import updates_of_keys
from tests.wire import statements_sent
from web.actor import Actor

BY = Actor.policy("test")


def test_what_was_made_is_written_down_once(companion: Companion) -> None:
    for _ in range(2):
        get_or_create_relationship(project_id=companion.project_id, companion="ada", user="maya", by=BY)

    actions = AuditEvent.objects.order_by("id").values_list("action", flat=True)
    assert list(actions) == ["user.created", "relationship.created"]


def test_one_that_is_there_is_found_by_two_statements(relationship: Relationship) -> None:
    with statements_sent() as sent:
        found, made = get_or_create_relationship(
            project_id=relationship.project_id, companion="ada", user="maya", by=BY
        )

    assert (found, made, len(sent)) == (relationship, False, 2)
    assert (found.companion, found.user) == (relationship.companion, relationship.user)


def test_a_change_writes_no_key(relationship: Relationship) -> None:
    with updates_of_keys() as found:
        change_relationship(
            project_id=relationship.project_id,
            relationship_id=relationship.id,
            changes={"timezone": "Asia/Tokyo"},
            by=BY,
        )

    assert found == []
    relationship.refresh_from_db()
    assert (relationship.timezone, relationship.version) == ("Asia/Tokyo", 2)
