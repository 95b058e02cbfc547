"""Erasing for good. Of what `relationships` reads and changes, these views add DELETE to its own."""

from typing import ClassVar
from uuid import UUID

from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.answers import EntryAnswer
from memory.api.entries import EntryView
from memory.api.new_entries import get_entry
from memory.api.schemas import DeleteEntryQuery
from memory.entries.editing import delete_entry
from relationships.api.companions import CompanionView
from relationships.api.projects import ProjectView
from relationships.api.relationships import RelationshipView
from relationships.api.users import UserView
from relationships.api.views import ApiView
from relationships.models import Project
from upkeep.api.hiding import WhichMessages, which_messages
from upkeep.erasure.counts import Counts
from upkeep.erasure.entries import erase_entry
from upkeep.erasure.messages import redact_messages
from upkeep.erasure.relationships import erase_companion, erase_project, erase_relationship, erase_user
from web.errors import InvalidInput
from web.fields import Answer, Body, Name
from web.headers import expected_version
from web.operations import operation


class ErasedAnswer(Answer):
    """How many rows of each table are gone."""

    erased: dict[str, int]


class HoldingMessage(Answer):
    """A message that still contains words of the erased entry. Its text is not repeated: read it with GET
    .../messages.
    """

    id: UUID
    turn_id: UUID
    seq: int
    role: str
    words: list[str]
    """Which of the entry's words it contains, in lower case and without accents."""


class ErasedEntryAnswer(ErasedAnswer):
    """What was erased with an entry, and what a person has to decide about."""

    messages_redacted: list[UUID]
    """The messages that were emptied: those the entry rests on, and any in the same exchanges that said all of it,
    whoever said it.
    """
    messages_still_holding: list[HoldingMessage]
    """Messages of the whole relationship with some of its words, those with the most significant words first; at most
    500.
    """
    messages_still_holding_total: int
    """How many there are."""
    common_words: list[str]
    """Words of the entry that more than one message in twenty contains: no message is listed for these alone."""


class GoneEntryAnswer(RootModel[EntryAnswer | ErasedEntryAnswer]):
    """The deleted entry; with `permanent`, what was erased."""


class ProjectErasureBody(Body):
    confirm: Name
    """The project's name, as a safeguard."""


class RedactMessagesView(ApiView):
    tag = "Messages"
    open_to_tokens = True

    @operation("messages_redact", "Erase the words of messages", answers={200: ErasedAnswer})
    def post(self, request: Request, relationship_id: UUID, body: WhichMessages) -> Response:
        """Empties them permanently, with every copy: in the index, in prompts and answers of models, and in proposals
        made from them. The record that they were said, when and by whom stays. Entries that rest on them also stay:
        erase those separately. If a message does not exist, none is erased.
        """
        self.get_relationship(relationship_id)
        counts = redact_messages(
            project_id=self.project_id,
            relationship_id=relationship_id,
            message_ids=which_messages(relationship_id, body),
            by=self.actor,
        )
        return self.answer(_shown(counts))


class ErasableEntryView(EntryView):
    @operation(
        "entries_delete",
        "Delete an entry, or erase it permanently",
        answers={200: GoneEntryAnswer},
        if_match=True,
        problems=(410,),
    )
    def delete(
        self, request: Request, relationship_id: UUID, entry_id: UUID, query: DeleteEntryQuery
    ) -> Response:
        """A deleted entry can be restored. `permanent=true` erases it with every copy of its text. The answer says
        what is gone and which messages still contain its words: POST .../messages/redact erases those you choose.
        """
        version = expected_version(request)
        self.get_relationship(relationship_id)
        get_entry(relationship_id, entry_id)
        if query.permanent:
            erased = erase_entry(
                relationship_id=relationship_id,
                entry_id=entry_id,
                by=self.actor,
                messages=query.messages,
                version=version,
            )
            held = erased.holding
            shown = ErasedEntryAnswer.of(
                erased,
                erased=dict(erased.counts),
                messages_redacted=list(erased.redacted),
                messages_still_holding=[
                    HoldingMessage.of(one, words=sorted(one.words)) for one in held.listed
                ],
                messages_still_holding_total=held.total,
                common_words=list(held.common),
            )
            return self.answer(shown)
        entry = delete_entry(
            relationship_id=relationship_id, entry_id=entry_id, by=self.actor, version=version
        )
        return self.answer(EntryAnswer.of(entry), version=entry.version)


class ErasableRelationshipView(RelationshipView):
    @operation("relationships_erase", "Erase a relationship", answers={200: ErasedAnswer})
    def delete(self, request: Request, relationship_id: UUID) -> Response:
        """Deletes all that was said and remembered in it, with every copy. The user and the companion stay."""
        counts = erase_relationship(
            project_id=self.project_id, relationship_id=relationship_id, by=self.actor
        )
        return self.answer(_shown(counts))


class ErasableUserView(UserView):
    @operation("users_erase", "Erase a user", answers={200: ErasedAnswer})
    def delete(self, request: Request, user_id: UUID) -> Response:
        """Deletes the person everywhere in your project: the user and all their relationships, with every copy.

        Each relationship is erased in one transaction. If the call breaks off, send it again: it finishes the rest.
        """
        return self.answer(_shown(erase_user(project_id=self.project_id, user_id=user_id, by=self.actor)))


class ErasableCompanionView(CompanionView):
    scopes: ClassVar = {"DELETE": "admin"}

    @operation("companions_erase", "Erase a companion", answers={200: ErasedAnswer})
    def delete(self, request: Request, companion_id: UUID) -> Response:
        """Deletes it with its prompts and all its relationships. The users stay. Needs the scope `admin`."""
        counts = erase_companion(project_id=self.project_id, companion_id=companion_id, by=self.actor)
        return self.answer(_shown(counts))


class ErasableProjectView(ProjectView):
    scopes: ClassVar = {**ProjectView.scopes, "DELETE": "admin"}

    @operation("project_erase", "Erase your project", answers={200: ErasedAnswer})
    def delete(self, request: Request, body: ProjectErasureBody) -> Response:
        """Deletes everything in it: users, companions, keys (this one too), and itself. Needs the scope `admin`."""
        name = Project.objects.values_list("name", flat=True).get(id=self.project_id)
        if body.confirm != name:
            raise InvalidInput.of("confirm", "is not the project's name, as GET /v1/project says it")
        return self.answer(_shown(erase_project(project_id=self.project_id, by=self.actor)))


def _shown(counts: Counts) -> dict[str, dict[str, int]]:
    return {"erased": dict(counts)}
