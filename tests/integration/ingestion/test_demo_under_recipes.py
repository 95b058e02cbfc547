"""The demo's conversation under every recipe, with the rules that ship: what it leaves is found and shown."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.utils import timezone

from context.pipeline import build_context
from memory.ingestion.intake import accept_turn
from memory.retrieval.index.embed import embed_owed
from relationships.models import Companion, EndUser
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.turns import Conversation

DEMO: dict[str, Any] = json.loads((Path(settings.BASE_DIR) / "demo" / "conversation.json").read_text())


def play(conversation: Conversation) -> None:
    zone = ZoneInfo(DEMO["timezone"])
    today = timezone.now().astimezone(zone).date()
    for turn in DEMO["turns"]:
        day = today + timedelta(days=turn["day"])
        at = datetime.fromisoformat(f"{day}T{turn['time']}").replace(tzinfo=zone)
        said = [NewMessage(message["role"], message["content"]) for message in turn["messages"]]
        if at < timezone.now():
            accept_turn(
                relationship=conversation.relationship, new=NewTurn(said, at, session=turn["session"])
            )
            conversation.drain()
    embed_owed(relationship_id=conversation.relationship.id)


@pytest.mark.parametrize("recipe", sorted(settings.RECIPES))
def test_the_demo_leaves_memories_that_its_question_brings_back(
    conversation: Conversation, recipe: str
) -> None:
    relationship = conversation.relationship
    config = {"recipe": recipe, "ingestion": {"provider": "offline"}, "retrieval": {"language": "english"}}
    Companion.objects.filter(id=relationship.companion_id).update(config=config)
    EndUser.objects.filter(id=relationship.user_id).update(display_name="Maya")

    play(conversation)

    shown = build_context(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        message=DEMO["question"],
        explain=True,
    )
    (memory,) = [layer for layer in shown.layers if layer.name == "memory"]
    assert len(conversation.contents) >= 10
    assert len(memory.sources) >= 5
    told = "\n".join(conversation.contents).lower()
    assert [word for word in DEMO["forgotten"] if word.lower() in told] == []
