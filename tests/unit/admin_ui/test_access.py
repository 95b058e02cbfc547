import re
from uuid import UUID, uuid4

from django.test import Client

from relationships.models import ApiKey, Membership, Operator, Project, Relationship, Role
from tests.fixtures.markup import squeezed
from tests.fixtures.people import meet_elsewhere

OVERVIEW = "/admin-ui/"


def page_of(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/"


def test_who_is_not_signed_in_is_led_to_the_sign_in_page_and_back(client: Client, db: None) -> None:
    answer = client.get(f"{OVERVIEW}turns/?state=failed", HTTP_HOST="localhost")

    assert answer.status_code == 302
    assert answer["Location"] == "/admin-ui/sign-in/?next=/admin-ui/turns/%3Fstate%3Dfailed"


def test_a_part_of_a_page_asked_for_after_the_session_ended_leads_its_page_there(
    client: Client, db: None
) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://localhost/admin-ui/turns/?state=failed"}

    answer = client.get(f"{OVERVIEW}turns/", HTTP_HOST="localhost", headers=headers)

    assert answer.status_code == 204
    assert answer["HX-Redirect"] == "/admin-ui/sign-in/?next=/admin-ui/turns/%3Fstate%3Dfailed"


def test_an_operator_whom_no_project_lets_in_is_told_so(client: Client, db: None) -> None:
    client.force_login(Operator.objects.create_user("new@example.org", "a long pass phrase"))

    answer = client.get(OVERVIEW, HTTP_HOST="localhost")

    assert answer.status_code == 403
    assert "No project yet" in answer.content.decode()


def test_a_membership_decides_which_project_is_seen(editor: Client, relationship: Relationship) -> None:
    assert editor.get(page_of(relationship)).status_code == 200
    refused = editor.get(page_of(meet_elsewhere()))
    assert refused.status_code == 404
    assert "<title>Not found" in squeezed(refused)


def test_an_operator_of_two_projects_chooses_between_them(editor: Client, project: Project) -> None:
    """The choice outlives the session, and is no access by itself."""
    other = meet_elsewhere()
    me = Operator.objects.get(email="editor@example.org")
    Membership.objects.create(operator=me, project=other.project, role=Role.VIEWER)

    editor.post("/admin-ui/project/", {"project": str(other.project_id)})

    assert editor.get(page_of(other)).status_code == 200
    assert f"<h1>{other.project.name}</h1>" in editor.get(OVERVIEW).content.decode()
    editor.post("/admin-ui/sign-out/")
    editor.force_login(me)
    assert f"<h1>{other.project.name}</h1>" in editor.get(OVERVIEW).content.decode()
    Membership.objects.filter(project=other.project).delete()
    assert f"<h1>{project.name}</h1>" in editor.get(OVERVIEW).content.decode()


def test_a_project_that_is_not_theirs_can_not_be_chosen(editor: Client) -> None:
    other = meet_elsewhere()

    editor.post("/admin-ui/project/", {"project": str(other.project_id)})

    assert editor.get(page_of(other)).status_code == 404


def test_a_refusal_leads_back_to_where_it_was_asked_for(editor: Client, relationship: Relationship) -> None:
    page = page_of(relationship)
    for origin, way in (
        ("http://localhost", f'href="{page}?type=other">Back<'),
        ("http://evil.example", "overview"),
        ("http://localhost//evil.example", 'href="/evil.example/'),
        ("http://localhost/\\evil.example", 'href="/evil.example/'),
    ):
        headers = {"Referer": f"{origin}{page}?type=other"}
        answer = editor.post(f"{page}bulk/", {"do": "merge"}, headers=headers)
        assert answer.status_code == 409 and way in squeezed(answer)


def test_a_link_leads_into_the_project_of_what_it_names(editor: Client, relationship: Relationship) -> None:
    """Of two tabs in two projects each goes on; with the role that holds there."""
    project = relationship.project
    other = meet_elsewhere()
    me = Operator.objects.get(email="editor@example.org")
    Membership.objects.create(operator=me, project=other.project, role=Role.VIEWER)

    shown = squeezed(editor.get(page_of(other), follow=True))

    assert f'<option value="{other.project_id}" selected>' in shown
    assert editor.get(f"{OVERVIEW}companions/{other.companion_id}/").status_code == 200
    editor.post(f"{OVERVIEW}project/", {"project": str(project.id)})
    said = {"content": "x", "type": "other"}
    assert editor.post(f"{page_of(other)}entries/", said).status_code == 403
    assert editor.post(f"{page_of(relationship)}entries/", said).status_code == 422  # let in, and too little
    elsewhere = editor.post(f"{page_of(other)}entries/", {**said, "project": str(project.id)})
    assert elsewhere.status_code == 404


def test_a_part_of_a_page_stays_in_its_project_and_leads_no_other_tab_away(
    editor: Client, relationship: Relationship
) -> None:
    other = meet_elsewhere()
    me = Operator.objects.get(email="editor@example.org")
    Membership.objects.create(operator=me, project=other.project, role=Role.VIEWER)
    named = re.search(r'"X-Project": "([^"]+)"', editor.get(page_of(relationship)).content.decode())
    part = {"HX-Request": "true", "X-Project": named[1] if named else ""}
    people = f"{OVERVIEW}relationships/"
    editor.get(page_of(other))  # the second tab

    shown = editor.get(people, headers={**part, "HX-Target": "found"}).content.decode()
    assert page_of(relationship) in shown and page_of(other) not in shown
    assert editor.get(page_of(relationship), headers=part).status_code == 200
    assert editor.get(page_of(other), headers=part).status_code == 404
    assert page_of(other) in editor.get(people).content.decode()


def test_what_is_new_belongs_to_the_project_of_the_page_that_it_was_made_on(
    owner: Client, project: Project
) -> None:
    other = meet_elsewhere()
    me = Operator.objects.get(email="owner@example.org")
    Membership.objects.create(operator=me, project=other.project, role=Role.OWNER)
    named = re.search(r'name="project" value="([^"]+)"', owner.get(f"{OVERVIEW}keys/").content.decode())
    assert named is not None
    behind = str(({project.id, other.project_id} - {UUID(named[1])}).pop())
    owner.post(f"{OVERVIEW}project/", {"project": behind})

    owner.post(f"{OVERVIEW}keys/", {"name": "x", "scope": "read", "project": named[1]})
    refused = owner.post(f"{OVERVIEW}keys/", {"name": "y", "scope": "read", "project": str(uuid4())})

    assert str(ApiKey.objects.get().project_id) == named[1]
    assert refused.status_code == 403
