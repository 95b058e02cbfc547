"""The prompt workbench: versions of a companion's ingestion prompt, what a draft would have kept, publish and back."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from admin_ui.access import OperatorView
from admin_ui.comparison import pairs_of
from admin_ui.params import parse_uuid, text_param, version_param
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
TICKED_AT_FIRST = 10  # of the last turns
_LINE_ROLES = {"user": "user", "companion": "assistant", "assistant": "assistant"}


class PromptsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(find_instructions(self.companion, version_param(request.GET)).template)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Keep a draft as a version, with `publish` from the next turn on; try it; or only go on with it."""
        template, do = request.POST.get("template", "").replace("\r\n", "\n"), request.POST.get("do")
        if do == "choose":
            return self._page(template)
        try:
            if do == "replay":
                replay = self._replay(template)
                tried = (self.companion.id, replay.relationship_id, replay.id)
                return redirect("admin_ui:companion_replay", *tried)
            prompt = create_prompt(
                companion=self.companion,
                template=template,
                note=text_param(request.POST, "note", limit=500),
                publish=do == "publish",
                by=self.actor,
            )
        except RapportError as error:
            return self._page(template, why=sentence_of(error), status=422)
        address = reverse("admin_ui:companion_prompt", args=[self.companion.id])
        kept = address if do == "publish" else f"{address}?version={prompt.version}"
        return self.done(f"Saved as version {prompt.version}.", kept)

    def _replay(self, template: str) -> Replay:
        sent = self.request.POST
        pasted = conversation_lines(sent.get("conversation", ""))
        chosen = [found for text in sent.getlist("turn") if (found := parse_uuid(text))]
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
            # what is ticked first, so that it is in sight
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
    """A version, or 0 for the one that ships with Rapport."""

    def post(self, request: HttpRequest, version: int) -> HttpResponse:
        if version >= 10**9:
            raise NotFound("This version does not exist.")
        publish_prompt(companion=self.companion, version=version, by=self.actor)
        used = f"Version {version} is used from the next turn on."
        said = used if version else "The default prompt is in use again."
        return self.done(said, "admin_ui:companion_prompt", self.companion.id)


class ReplayView(OperatorView):
    """A replay on its way, and its outcome: the two scratchpads side by side."""

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
            said=_said(replay),
            published=published,
            draft=draft,
            pairs=pairs,
            differing=sum(pair.kind != "same" for pair in pairs or ()),
            offline=_ignores_prompts(configuration_of(self.relationship)),
            done=len(replay.results),
            steps=len(STEPS),
        )


def conversation_lines(text: str) -> list[NewMessage]:
    """A pasted conversation: `user: ...` and `companion: ...` begin a message; other lines go on with it."""
    said: list[NewMessage] = []
    for line in text.replace("\x00", "").splitlines():
        speaker, colon, words = line.partition(":")
        role = _LINE_ROLES.get(speaker.strip().lower()) if colon else None
        if role:
            said.append(NewMessage(role, words.strip()))
        elif said:
            said[-1] = NewMessage(said[-1].role, f"{said[-1].content}\n{line}".strip())
        elif line.strip():
            said.append(NewMessage("user", line.strip()))
    return [line for line in said if line.content]


def _relationships_of(companion: Companion, *, chosen: UUID | None) -> list[Relationship]:
    """Those that talked last, and the one that was chosen."""
    owned = Relationship.objects.filter(companion=companion, last_turn_at__isnull=False).select_related(
        "user"
    )
    found = list(owned.order_by("-last_turn_at")[:RELATIONSHIPS_SHOWN])
    if chosen is None or any(row.id == chosen for row in found):
        return found
    return [*found, *owned.filter(id=chosen)]


def _turns_of(
    companion: Companion, relationship_id: UUID | None, *, wanted: UUID | None
) -> list[tuple[Turn, str]]:
    """The last turns of a relationship, and the one that was asked for, each with its first words."""
    if relationship_id is None:
        return []
    if not Relationship.objects.filter(id=relationship_id, companion=companion).exists():
        return []
    owned_turns = Turn.objects.for_relationship(relationship_id).order_by("-seq")
    turns = list(owned_turns[:TURNS_SHOWN])
    if wanted and all(turn.id != wanted for turn in turns):
        turns += owned_turns.filter(id=wanted)
    owned = Message.objects.for_relationship(relationship_id).filter(turn_id__in=[turn.id for turn in turns])
    first = {message.turn_id: message.content for message in owned.order_by("-seq")}
    return [(turn, first.get(turn.id, "")) for turn in turns]


def _ticked(params: QueryDict, turns: Sequence[Turn]) -> set[UUID]:
    """Those of the turns that were chosen; where none were and nothing is pasted, the last ones."""
    chosen = set(params.getlist("turn"))
    ticked = {turn.id for turn in turns if str(turn.id) in chosen}
    if ticked or params.get("conversation"):
        return ticked
    return {turn.id for turn in turns[:TICKED_AT_FIRST]}


def _said(replay: Replay) -> list[Message] | list[dict[str, str]]:
    """What both prompts read: of past turns, or as it was pasted."""
    if not replay.turn_ids:
        return list(replay.messages)
    owned = Message.objects.for_relationship(replay.relationship_id).filter(turn_id__in=replay.turn_ids)
    return list(owned.filter(erased_at=None, hidden_at=None).order_by("seq"))


def _ignores_prompts(resolved: ResolvedConfiguration) -> bool:
    """Whether turns are read by the offline rules, which no prompt changes."""
    return (resolved.values.ingestion.provider or settings.DEFAULT_LLM_PROVIDER) == "offline"
