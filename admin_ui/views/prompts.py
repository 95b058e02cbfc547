"""The prompt workbench: versions of a companion's ingestion prompt, replays of drafts, and publishing."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from admin_ui.access import OperatorView
from admin_ui.comparison import pairs_of
from admin_ui.params import parse_uuid, parse_uuids, text_param, version_param
from admin_ui.word_diff import word_diff
from admin_ui.words import sentence_of
from memory.ingestion.ingestion_input import find_instructions
from memory.ingestion.prompt_versions import create_prompt, publish_prompt
from memory.ingestion.replays import MOST_TURNS, STEPS, request_replay
from memory.ingestion.templates import default_instructions
from memory.models import IngestionPrompt, Replay
from relationships.configuration.cascade import ResolvedConfiguration, resolve_configuration
from relationships.models import Companion, Message, Relationship, Role, Turn
from relationships.services.configuration import configuration_of
from relationships.services.turns import NewMessage
from web.errors import NotFound, RapportError

VERSIONS_SHOWN, RELATIONSHIPS_SHOWN, TURNS_SHOWN = 50, 100, 40
TICKED_AT_FIRST = 10  # newest turns that are selected by default
_LINE_ROLES = {"user": "user", "companion": "assistant", "assistant": "assistant"}


class PromptsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(find_instructions(self.companion, version_param(request.GET)).template)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Save the draft as a version, and with `do=publish` use it; or replay turns with it; or show it again."""
        template, do = request.POST.get("template", "").replace("\r\n", "\n"), request.POST.get("do")
        if do == "choose":
            return self._page(template)
        try:
            if do == "replay":
                replay = self._replay(template)
                tried = (self.companion.id, replay.relationship_id, replay.id)
                return redirect("admin_ui:companion_replay", *tried)
            prompt, created = create_prompt(
                companion=self.companion,
                template=template,
                note=text_param(request.POST, "note", limit=500),
                publish=do == "publish",
                by=self.actor,
            )
        except RapportError as error:
            return self._page(template, why=sentence_of(error), status=422)
        page = reverse("admin_ui:companion_prompt", args=[self.companion.id])
        version = "" if do == "publish" else f"?version={prompt.version}"
        said = (
            f"Saved as version {prompt.version}." if created else f"This is version {prompt.version} already."
        )
        return self.redirect_with_message(said, page + version)

    def _replay(self, template: str) -> Replay:
        sent = self.request.POST
        pasted = conversation_lines(sent.get("conversation", ""))
        chosen = parse_uuids(sent.getlist("turn"))
        if pasted:
            relationship, chosen = self.test_relationship(str(self.companion.id)), []
        else:
            relationship = self.get_relationship(parse_uuid(sent.get("relationship", "")) or UUID(int=0))
        return request_replay(
            relationship=relationship,
            template=template,
            turn_ids=chosen[:MOST_TURNS],
            messages=pasted,
            present_entries=bool(sent.get("present")),
            by=self.actor,
        )

    def _page(self, template: str, **more: Any) -> HttpResponse:
        companion, params = self.companion, self.request.POST or self.request.GET
        published = find_instructions(companion, None)
        chosen = parse_uuid(params.get("relationship", ""))
        relationships = _relationships_of(companion, chosen=chosen)
        if chosen is None and relationships and not params.get("conversation"):
            chosen = relationships[0].id
        turns = _turns_of(companion, chosen, wanted=parse_uuid(params.get("turn", "")))
        ticked = _ticked(params, [turn for turn, _ in turns])
        versions = IngestionPrompt.objects.filter(companion=companion).order_by("-version")
        resolved = resolve_configuration(project=companion.project.config, companion=companion.config)
        return self.show(
            "prompts/detail",
            template=template,
            published=published,
            diff=word_diff(published.template, template) if template != published.template else None,
            versions=versions[:VERSIONS_SHOWN],
            shipped=template == default_instructions(),
            relationships=relationships,
            # selected turns first, so that they are visible
            turns=sorted(turns, key=lambda row: row[0].id not in ticked),
            chosen=chosen,
            ticked=ticked,
            conversation=params.get("conversation", ""),
            note=params.get("note", ""),
            present=bool(params.get("present")),
            offline=_ignores_prompts(resolved),
            **more,
        )


class PublishPromptView(OperatorView):
    """Publishes a version of the prompt; version 0 is the default prompt."""

    def post(self, request: HttpRequest, version: int) -> HttpResponse:
        if version >= 10**9:
            raise NotFound("This version does not exist.")
        publish_prompt(companion=self.companion, version=version, by=self.actor)
        used = f"Version {version} is used from the next turn on."
        message = used if version else "The default prompt is in use again."
        return self.redirect_with_message(message, "admin_ui:companion_prompt", self.companion.id)


class ReplayView(OperatorView):
    """A replay's progress, then the entries that both prompts would keep, side by side."""

    needs = Role.EDITOR
    tab = ""

    def get(self, request: HttpRequest, replay_id: UUID) -> HttpResponse:
        replay = Replay.objects.for_relationship(self.relationship.id).filter(id=replay_id).first()
        if replay is None:
            raise NotFound("This comparison no longer exists. Comparisons are deleted after a week.")
        published, draft = (replay.results.get(step) for step in STEPS)
        pairs = pairs_of(published["entries"], draft["entries"]) if published and draft else None
        return self.show_or_part(
            "prompts/replay",
            "prompts/_replay",
            target="replay",
            replay=replay,
            source_messages=_messages_of(replay),
            published=published,
            draft=draft,
            pairs=pairs,
            differing=sum(pair.kind != "same" for pair in pairs or ()),
            offline=_ignores_prompts(configuration_of(self.relationship)),
            done=len(replay.results),
            steps=len(STEPS),
        )


def conversation_lines(text: str) -> list[NewMessage]:
    """Parse a pasted conversation: `user: ...` and `companion: ...` begin a message, other lines continue it."""
    messages: list[NewMessage] = []
    for line in text.replace("\x00", "").splitlines():
        speaker, colon, words = line.partition(":")
        role = _LINE_ROLES.get(speaker.strip().lower()) if colon else None
        if role:
            messages.append(NewMessage(role, words.strip()))
        elif messages:
            messages[-1] = NewMessage(messages[-1].role, f"{messages[-1].content}\n{line}".strip())
        elif line.strip():
            messages.append(NewMessage("user", line.strip()))
    return [message for message in messages if message.content]


def _relationships_of(companion: Companion, *, chosen: UUID | None) -> list[Relationship]:
    """Return the companion's most recently active relationships, and the chosen one."""
    owned = Relationship.objects.filter(companion=companion, last_turn_at__isnull=False)
    owned = owned.select_related("user")
    found = list(owned.order_by("-last_turn_at")[:RELATIONSHIPS_SHOWN])
    if chosen and all(row.id != chosen for row in found):
        found += owned.filter(id=chosen)
    return found


def _turns_of(
    companion: Companion, relationship_id: UUID | None, *, wanted: UUID | None
) -> list[tuple[Turn, str]]:
    """Return the relationship's newest turns, and the `wanted` one, each with the text of its first message.

    Empty if the relationship is not the companion's.
    """
    owned_relationships = Relationship.objects.filter(companion=companion)
    if relationship_id is None or not owned_relationships.filter(id=relationship_id).exists():
        return []
    owned_turns = Turn.objects.for_relationship(relationship_id).order_by("-seq")
    turns = list(owned_turns[:TURNS_SHOWN])
    if wanted and all(turn.id != wanted for turn in turns):
        turns += owned_turns.filter(id=wanted)
    owned = Message.objects.for_relationship(relationship_id).filter(turn_id__in=[turn.id for turn in turns])
    first = {message.turn_id: message.content for message in owned.order_by("-seq")}
    return [(turn, first.get(turn.id, "")) for turn in turns]


def _ticked(params: QueryDict, turns: Sequence[Turn]) -> set[UUID]:
    """Return the IDs of the turns that were selected; by default the newest, unless a conversation was pasted."""
    chosen = set(params.getlist("turn"))
    ticked = {turn.id for turn in turns if str(turn.id) in chosen}
    if ticked or params.get("conversation"):
        return ticked
    return {turn.id for turn in turns[:TICKED_AT_FIRST]}


def _messages_of(replay: Replay) -> list[Message] | list[dict[str, str]]:
    """Return the messages that were read: of past turns, or pasted ones."""
    if not replay.turn_ids:
        return list(replay.messages)
    owned = Message.objects.for_relationship(replay.relationship_id).filter(turn_id__in=replay.turn_ids)
    return list(owned.filter(erased_at=None, hidden_at=None).order_by("seq"))


def _ignores_prompts(resolved: ResolvedConfiguration) -> bool:
    """Return whether turns are read by the offline rules, which ignore prompts."""
    return (resolved.values.ingestion.provider or settings.DEFAULT_LLM_PROVIDER) == "offline"
