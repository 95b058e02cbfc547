import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from relationships.models import Companion
from tests.fixtures.behaviours import behave, runs_of, work
from tests.fixtures.turns import Conversation
from tests.unit.admin_ui.test_config_form import sent_by

DRAFT = {"when": {"keywords": ["hungry"]}, "text": "Feed {{ user }}: {{ message }}"}


@pytest.fixture
def page(conversation: Conversation) -> str:
    return reverse("admin_ui:companion_behaviours", args=[conversation.relationship.companion_id])


def send(owner: Client, page: str, companion: Companion, do: str, draft: Any, **more: Any) -> Any:
    text = draft if isinstance(draft, str) else json.dumps(draft)
    sent = {"do": do, "name": "feed", "draft": text, "version": companion.version, **more}
    return owner.post(page, sent)


def named(companion: Companion) -> Any:
    companion.refresh_from_db()
    return companion.config.get("behaviours", {}).get("named")


def test_one_is_saved_as_it_was_written_and_taken_away(
    owner: Client, page: str, conversation: Conversation
) -> None:
    companion = conversation.relationship.companion

    assert send(owner, page, companion, "save", {**DRAFT, "order": 3}).status_code == 302
    assert named(companion) == {"feed": {**DRAFT, "order": 3}}
    assert send(owner, page, companion, "save", DRAFT).status_code == 302
    assert named(companion) == {"feed": DRAFT}, "what was taken out of it is out of it"
    assert "feed" in owner.get(f"{page}?name=feed").content.decode()

    assert send(owner, page, companion, "remove", "").status_code == 302
    assert named(companion) == {}


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "JSON object"),
        ('{"text": "x", "text": "y"}', "twice"),
        (r'{"text": "x", "when": {"keywords": ["a\u0000"]}}', "NUL"),
        (r'{"text": "a\ud800"}', "surrogate"),
        ({"text": "x", "order": 10**30}, "too large"),
        ({"order": 1}, "exactly one"),
        ({"text": "{{ x( }}"}, "line 1"),
    ],
    ids=str,
)
def test_what_can_not_be_is_refused_and_kept_in_the_form(
    draft: Any, said: str, owner: Client, page: str, conversation: Conversation
) -> None:
    companion = conversation.relationship.companion

    refused = send(owner, page, companion, "save", draft)

    assert refused.status_code == 422
    assert said in refused.content.decode()
    assert named(companion) is None


@pytest.mark.parametrize("name", ["", "Hello World", "9lives"])
def test_a_name_that_can_not_be_is_refused_in_words(
    owner: Client, page: str, conversation: Conversation, name: str
) -> None:
    refused = send(owner, page, conversation.relationship.companion, "save", DRAFT, name=name)

    shown = refused.content.decode()
    assert refused.status_code == 422
    assert "Name must be lower-case letters, digits and _, and begin with a letter." in shown
    assert "New behaviour" in shown


def test_nobodys_change_is_overwritten_unseen(owner: Client, page: str, conversation: Conversation) -> None:
    companion = conversation.relationship.companion
    behave(conversation.relationship, other={"text": "Hi"})

    refused = owner.post(
        page, {"do": "save", "name": "feed", "draft": "{}", "version": companion.version - 1}
    )
    stale = owner.post(
        page, {"do": "save", "name": "feed", "draft": json.dumps(DRAFT), "version": companion.version - 1}
    )

    assert (refused.status_code, stale.status_code) == (422, 409)
    assert named(companion) == {"other": {"text": "Hi"}}


def test_a_draft_is_tried_and_nothing_is_saved(owner: Client, page: str, conversation: Conversation) -> None:
    conversation.say("I am hungry")
    conversation.say("Not any more")
    companion = conversation.relationship.companion

    tried = send(owner, page, companion, "try", DRAFT, relationship=conversation.relationship.id)

    shown = tried.content.decode()
    assert "Feed Maya: I am hungry" in shown
    assert "its condition does not hold" in shown
    assert named(companion) is None


def test_runs_are_shown_and_a_failed_one_is_tried_again(
    owner: Client, page: str, conversation: Conversation
) -> None:
    behave(conversation.relationship, call={"webhook": {"url": "http://127.0.0.1:9/"}})
    conversation.say("Hi")
    work(conversation)
    [run] = runs_of(conversation)
    person = conversation.relationship.id

    shown = owner.get(f"{page}?relationship={person}").content.decode()
    assert "1 run<" in shown
    assert "private network" in shown
    answer = owner.post(page, {"do": "retry", "relationship": person, "run": run.id})

    assert answer.status_code == 302
    assert runs_of(conversation)[0].state == "pending"


def test_the_configurations_form_leaves_them_as_they_are(owner: Client, conversation: Conversation) -> None:
    behave(conversation.relationship, feed=DRAFT)
    companion = conversation.relationship.companion
    form = reverse("admin_ui:companion", args=[companion.id])
    sent = sent_by(companion, summaries__at="100\n300") | {"version": str(companion.version), "do": "save"}

    answer = owner.post(form, sent)

    companion.refresh_from_db()
    assert answer.status_code == 302, answer.context["problems"]
    assert named(companion) == {"feed": DRAFT}
    assert companion.config["summaries"] == {"at": [100, 300]}
