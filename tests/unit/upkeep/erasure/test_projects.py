import pytest
from django.db.models import Model

from relationships.models import (
    ApiKey,
    AuditEvent,
    Companion,
    EndUser,
    Membership,
    Message,
    Operator,
    Project,
    Relationship,
)
from relationships.services.api_keys import create_api_key
from relationships.services.projects import create_project
from relationships.services.relationships import get_or_create_relationship
from tests.fixtures.turns import Conversation
from upkeep.erasure.relationships import erase_project
from web.actor import Actor
from web.errors import NotFound

BY = Actor.policy("test")
MODELS: list[type[Model]] = [Project, Relationship, Companion, EndUser, Message, ApiKey, Membership]


@pytest.fixture
def furnished(conversation: Conversation, project: Project) -> Project:
    """A project with people, words, a key, an operator and a companion that nobody talks to."""
    conversation.say("I like tea.")
    EndUser.objects.create(project=project, external_id="nobody yet")
    lonely = Companion.objects.create(project=project, slug="bob", name="Bob")
    lonely.prompts.create(version=1, template="Keep what matters.", created_by_kind="policy")
    create_api_key(project_id=project.id, name="Key of the kitchen", scopes=["read"], by=BY)
    ana = Operator.objects.create_user("ana@example.org", "a password")
    Membership.objects.create(operator=ana, project=project, role="owner")
    return project


def test_a_project_goes_with_everything_in_it_and_no_other(furnished: Project) -> None:
    other = create_project(name="Another", by=BY)
    Companion.objects.create(project=other, slug="ada", name="Ada")
    get_or_create_relationship(project_id=other.id, companion="ada", user="maya", by=BY)
    told = AuditEvent.objects.filter(project_id=other.id).count()

    counts = erase_project(project_id=furnished.id, by=BY)

    left = {model: model._base_manager.count() for model in MODELS}
    assert left == {
        Project: 1,
        Relationship: 1,
        Companion: 1,
        EndUser: 1,
        Message: 0,
        ApiKey: 0,
        Membership: 0,
    }
    assert Operator.objects.count() == 1
    assert counts.items() >= {"project": 1, "api_key": 1, "companion": 2, "end_user": 2}.items()
    assert AuditEvent.objects.filter(project_id=other.id).count() == told == 3
    # the last word on it is that it was erased
    event = AuditEvent.objects.exclude(project_id=other.id).get()
    assert (event.action, event.project_id) == ("project.erased", furnished.id)
    assert event.detail == {"erased": counts}
    with pytest.raises(NotFound):
        erase_project(project_id=furnished.id, by=BY)
