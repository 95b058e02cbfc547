"""The content of the pages in the browser tests: a few people, with everything that a page can show."""

from datetime import timedelta
from typing import Any

import httpx
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils import timezone

from behaviours.models import BehaviourRun
from knowledge.documents import add_document
from knowledge.models import Document
from memory.entries.adding import add_entry
from memory.entries.editing import revise_entry
from memory.models import EntrySource, HeldDeletion, ScratchpadEntry
from relationships.ids import relationship_id
from relationships.models import Companion, EndUser, Membership, Operator, Relationship, Role, Turn
from relationships.services.companions import write_companion_config
from relationships.services.profiles import replace_profile
from relationships.services.sessions import patch_session
from summaries.editing import edit_summary
from summaries.models import Summary
from summaries.owed import ask_for_summary
from tests.acceptance.service import LiveService
from tests.fixtures.turns import hold_deletions
from tests.waiting import wait_until
from web.actor import Actor

PASSWORD = "a long pass phrase"
BY = Actor.policy("test")
# Hostile input, for every field that is shown.
NASTY = "<script>alert(1)</script> {{ 7|add:7 }} \u202e txet \u200b\u200d שלום " + "longword" * 20


class Stage:
    """The service with its people. A test that changes something makes its own relationship."""

    def __init__(self, service: LiveService) -> None:
        self.service, self.project = service, service.project
        self.ada = self._companion("ada", "Ada")
        # Its model is the scripted server.
        self.mole = self._companion("mole", "Mole", {"ingestion": {"provider": "openai"}})
        self.operators = {role: self._operator(role) for role in Role}

    @property
    def url(self) -> str:
        return f"{self.service.web.url}/admin-ui"

    def page_of(self, relationship: Relationship, part: str = "") -> str:
        return f"{self.url}/relationships/{relationship.id}/{part}"

    def relationship(self, name: str, companion: Companion | None = None) -> Relationship:
        """A relationship with a person of this name, who has said nothing yet."""
        companion = companion or self.ada
        person = EndUser.objects.create(
            project=self.project, external_id=f"id of {name[:60]}", display_name=name
        )
        return Relationship.objects.create(
            id=relationship_id(companion.id, person.id),
            project=self.project,
            companion=companion,
            user=person,
        )

    def remember(self, relationship: Relationship, *contents: str, **values: Any) -> list[ScratchpadEntry]:
        """Entries by hand."""
        return [
            add_entry(
                relationship=relationship,
                values={"content": content, "type": "other", **values},
                by=BY,
                source=EntrySource.MANUAL,
                reason="",
                limit=1000,
            )
            for content in contents
        ]

    def talk(self, relationship: Relationship, *texts: str, days_ago: int = 1) -> list[Turn]:
        """Add turns that begin `days_ago`, an hour apart, and let the worker read them."""
        began = timezone.now() - timedelta(days=days_ago)
        turns = [
            self.service.say(relationship, text, at=began + timedelta(hours=number))
            for number, text in enumerate(texts)
        ]
        self.service.wait_until_settled(turns)
        return self.service.turns(relationship)

    def chat(self, relationship: Relationship, text: str) -> str:
        """Say it by the chat endpoint; return the ID of the context that was shown before the reply."""
        said = {"model": relationship.companion.slug, "user": relationship.user.external_id}
        answer = httpx.post(
            f"{self.service.web.url}/v1/chat/completions",
            json={**said, "messages": [{"role": "user", "content": text}]},
            headers={"Authorization": f"Bearer {self.service.new_api_key()}"},
            timeout=60,
        )
        context_id: str = answer.json()["rapport"]["context_id"]
        return context_id

    def contents(self, relationship: Relationship) -> set[str]:
        """The texts that are remembered now."""
        entries = ScratchpadEntry.objects.for_relationship(relationship.id).active()
        return set(entries.values_list("content", flat=True))

    def everything(self) -> Relationship:
        """One relationship with something on each of its pages."""
        maya = self.relationship("Maya")
        replace_profile(relationship=maya, data={"plan": "gold", "coach": {"since": 2026}}, by=BY)
        self.talk(
            maya,
            "I live in Porto. I work as a nurse.",
            "I'm allergic to peanuts.",
            "I moved to Lisbon.",
            "What a day!",
        )
        self.remember(maya, NASTY, subject=NASTY[:150])
        self.remember(maya, "Prefers to be written to in the morning", pinned=True, type="preference")
        lisbon = ScratchpadEntry.objects.for_relationship(maya.id).get(content__contains="Lisbon")
        expires = timezone.now() + timedelta(days=90)
        more = {
            "tags": {"team": "red", "note": NASTY[:150]},
            "expires_at": expires,
            "metadata": {"from": NASTY},
        }
        revise_entry(relationship_id=maya.id, entry_id=lisbon.id, values=more, by=BY)
        self.remember(maya, "Her sister Ana is vegetarian", read_only=True, subject="Ana")
        patch_session(relationship=maya, session="current", patch={"mood": NASTY}, idle_minutes=60)
        self.act(maya)
        return maya

    def act(self, relationship: Relationship) -> None:
        """Behaviours that did something, well and badly, and a summary that a person has edited."""
        write_companion_config(
            project_id=self.project.id,
            companion_id=relationship.companion_id,
            config={
                "behaviours": {
                    "named": {
                        "greet": {
                            "message": f"You said: {{{{ message }}}} {NASTY.replace('{', '').replace('}', '')}"
                        },
                        "call": {"webhook": {"url": "http://127.0.0.1:9/"}},
                        "half": {"order": 3},
                        "recipe": {"ask": {"prompt": "A recipe for: {{ message }}"}},
                        "warn": {"text": "Mind the allergies."},
                    }
                }
            },
            merge=True,
            by=BY,
            expected_version=None,
        )
        relationship.refresh_from_db()
        self.talk(relationship, "And a good night.", days_ago=0)
        settled = BehaviourRun.objects.for_relationship(relationship.id).filter(state__in=["done", "failed"])
        wait_until(lambda: settled.count() == 2, timeout=30, what="both behaviours")
        ask_for_summary(relationship=relationship, by=BY)
        made = Summary.objects.for_relationship(relationship.id).ready()
        wait_until(made.exists, timeout=30, what="the summary")
        edit_summary(relationship=relationship, summary_id=made[0].id, text=NASTY, by=BY)

    def hold(self, relationship: Relationship, turn: Turn) -> HeldDeletion:
        """Hold deletions of everything, as if the model had proposed them."""
        entries = ScratchpadEntry.objects.for_relationship(relationship.id).active()
        return hold_deletions(turn, *entries.values_list("id", flat=True), reason="was told to")

    def document(self, companion: Companion) -> Document:
        document, _ = add_document(
            project_id=self.project.id,
            companion_id=companion.id,
            name="Refunds.md",
            content=b"# Refunds\n\nA parcel that was lost is paid back within a week.\n",
            by=BY,
        )
        wait_until(
            lambda: Document.objects.filter(id=document.id, state="ready").exists(),
            timeout=30,
            what="the document",
        )
        return document

    def sign_in_page(self) -> str:
        return f"{self.url}/sign-in/"

    def email(self, role: Role) -> str:
        return self.operators[role].email

    def _companion(self, slug: str, name: str, config: dict[str, Any] | None = None) -> Companion:
        return Companion.objects.create(project=self.project, slug=slug, name=name, config=config or {})

    def _operator(self, role: Role) -> Operator:
        # With few rounds, as these tests are not about hashing passwords.
        password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", iterations=1)
        operator = Operator.objects.create(email=f"{role}@example.org", password=password)
        Membership.objects.create(operator=operator, project=self.project, role=role)
        return operator
