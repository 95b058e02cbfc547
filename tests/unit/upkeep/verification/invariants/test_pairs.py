from uuid import uuid4

from relationships.models import Companion, EndUser, Project, Relationship
from tests.unit.upkeep.verification.damage import check_left


def test_a_relationship_with_another_id_than_its_pair_makes_is_named(
    companion: Companion, end_user: EndUser
) -> None:
    Relationship.objects.create(
        id=uuid4(), project_id=companion.project_id, companion=companion, user=end_user
    )

    check_left(["pairs/other_id"])


def test_a_relationship_across_two_projects_is_named(relationship: Relationship) -> None:
    other = Project.objects.create(name="Another")
    Companion.objects.filter(id=relationship.companion_id).update(project=other)

    check_left(["pairs/two_projects"])
