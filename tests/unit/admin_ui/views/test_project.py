import pytest
from django.test import Client

from relationships.models import Project

PAGE = "/admin-ui/project/configuration/"
SENT = {"name": "Coaches", "document": '{"retrieval": {"top_k": 5}}', "version": "1"}


def test_the_owner_changes_the_projects_own_level_of_the_configuration_which_all_see(
    owner: Client, editor: Client, viewer: Client, project: Project
) -> None:
    Project.objects.filter(id=project.id).update(config={"ingestion": {"max_batch": 2}})
    seen = viewer.get(PAGE).content.decode()

    refused = editor.post(PAGE, SENT)
    saved = owner.post(PAGE, SENT, follow=True).content.decode()
    late = owner.post(PAGE, SENT | {"document": "{}"})

    project.refresh_from_db()
    assert "&quot;max_batch&quot;: 2" in seen and '<button class="primary">' not in seen
    assert (refused.status_code, late.status_code) == (403, 409)
    assert "Project saved." in saved and "Somebody else changed this project" in late.content.decode()
    assert (project.name, project.config) == ("Coaches", {"retrieval": {"top_k": 5}})


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "a\nb"}, "This holds a control character."),
        ({"document": '{"retrieval": {"top_k": "five"}}'}, "retrieval.top_k"),
        ({"document": "["}, "is not JSON"),
    ],
)
def test_what_no_project_can_have_is_named(
    owner: Client, project: Project, sent: dict[str, str], said: str
) -> None:
    answer = owner.post(PAGE, SENT | sent)

    project.refresh_from_db()
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert (project.name, project.config) == ("Test project", {})
