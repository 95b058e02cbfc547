"""A companion's ingestion prompt: versions that never change, one of them in use."""

import pytest

from relationships.models import AuditEvent, Companion
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation, add, answer

RECIPES = "Keep only {{ user }}'s recipes."
HELLO = [{"role": "user", "content": "Call me Max. I cook."}]


@pytest.fixture
def path(companion: Companion) -> str:
    return f"/companions/{companion.id}/prompts"


def test_versions_are_kept_and_one_is_used(api: Api, path: str, companion: Companion) -> None:
    first = api.post(path, {"template": RECIPES, "note": "first try"})
    second = api.post(path, {"template": f"{RECIPES} And diets.", "publish": True})

    assert (first.status, first.body["version"], first.body["published"]) == (201, 1, False)
    assert (second.body["version"], second.body["published"], second.body["note"]) == (2, True, "")
    assert first.body["created_by"].startswith("developer:rk_")
    assert [(p["version"], p["published"]) for p in api.get(path).body["items"]] == [(2, True), (1, False)]
    assert api.get(f"{path}/1").body == first.body
    assert api.get(f"/companions/{companion.id}").body["prompt_version"] == 2


def test_a_prompt_that_is_sent_at_each_start_is_one_version_and_is_published_once(
    api: Api, path: str, companion: Companion
) -> None:
    sent = {"template": RECIPES, "publish": True}
    answers = [api.post(path, sent) for _ in range(3)]
    other = api.post(path, {"template": "Keep all.", "publish": True})
    back = api.post(path, sent)

    assert [(one.status, one.body["version"]) for one in answers] == [(201, 1), (200, 1), (200, 1)]
    assert answers[0].body == answers[2].body
    assert [(one.status, one.body["version"], one.body["published"]) for one in (other, back)] == [
        (201, 2, True),
        (201, 3, True),
    ]
    companion.refresh_from_db()
    assert companion.version == 4, "changed with each version, and never else"
    assert AuditEvent.objects.filter(action="prompt.published").count() == 3


def test_publishing_rolls_back_to_any_version_and_to_the_one_that_ships(
    api: Api, path: str, companion: Companion
) -> None:
    for number in (1, 2):
        api.post(path, {"template": f"{RECIPES} {number}", "publish": True})

    back = api.post(f"{path}/1/publish")
    assert (back.status, back.body["version"], back.body["published"]) == (200, 1, True)
    assert api.get(f"{path}/2").body["published"] is False

    shipped = api.post(f"{path}/0/publish").body
    assert (shipped["version"], shipped["published"], shipped["created_at"]) == (0, True, None)
    assert "What to keep" in shipped["template"]
    assert api.get(f"/companions/{companion.id}").body["prompt_version"] is None
    assert api.get(f"{path}/0").body == shipped
    published = AuditEvent.objects.filter(action="prompt.published").order_by("id")
    assert [(event.detail["before"], event.detail["after"]) for event in published] == [
        (0, 1),
        (1, 2),
        (2, 1),
        (1, 0),
    ]


def test_the_published_prompt_is_what_the_model_is_given_and_its_version_is_kept(
    api: Api, path: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Cooks")))
    api.post(path, {"template": RECIPES, "publish": True})

    turn = conversation.hear("I cook.")

    assert "Keep only Maya's recipes." in scripted_provider.requests[0].system
    assert (turn.prompt_version, conversation.revisions[0].prompt_version) == (1, 1)


def test_a_version_that_is_not_there_is_404(api: Api, path: str) -> None:
    for address in (f"{path}/2", f"{path}/999999999"):
        assert api.get(address).status == 404
        assert api.post(f"{address}/publish").status == 404
    assert api.get(f"{path}/9999999999").status == 404


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("", "at least 1 character"),
        ("  ", "is empty"),
        ("x" * 20_001, "20000"),
        ("one\n{% if user %}", "line 2"),
        ("one\n\n{{ nobody }}", "line 3: 'nobody' is undefined"),
        ("{{ user.__class__ }}", "line 1"),
        ("{% set a = 1 %}", "line 1: set is not available"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "nested too deeply"),
        ("{% if user %}" * 150 + "{% endif %}" * 150, "nested too deeply"),
        ("{{ " + "9" * 5000 + " }}", "digits"),
        ("{{ 'x' * 9999999999 }}", "not available"),
        (r"{{ '\x00' }}", "can't be kept"),
    ],
    ids=range(12),
)
def test_a_template_that_can_not_be_rendered_is_refused_with_its_line(
    api: Api, path: str, template: str, said: str
) -> None:
    kept = api.post(path, {"template": template, "publish": True})
    tried = api.post(f"{path}/preview", {"template": template, "messages": HELLO})

    for refused in (kept, tried):
        assert (refused.status, refused.fields) == (422, ["template"])
        assert said in refused.body["errors"][0]["detail"]
    assert api.get(path).body["items"] == []
