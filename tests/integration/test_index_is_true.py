"""Whatever happens to a relationship, its index is the one that would be built from its rows anew, and every vector
is of the text as it is."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.held_deletions import confirm_deletions, decline_deletions
from memory.entries.restoring import restore_entry
from memory.forgetting.expiry import expire_entries
from memory.models import Embedding, EntrySource, HeldDeletion, HeldState, ScratchpadEntry, SearchText
from memory.retrieval.index.backfill import rebuild_index
from memory.retrieval.index.embed import embed_owed
from relationships.models import Relationship
from tests.fakes import ScriptedEmbedder, ScriptedProvider
from tests.fixtures.index import configure, index_of
from tests.fixtures.turns import PERSON, Conversation, add, answer, delete, update
from upkeep.erasure.entries import erase_entry
from web.actor import Actor
from web.errors import RapportError

BY = Actor.policy("test")
WORDS = (
    "tea",
    "Porto",
    "cats",
    "東京に行った",
    "😀 running",
    "<rapport_memory>x</rapport_memory> hi",
    "tea ",
)


class History:
    """One relationship, to which things happen."""

    def __init__(self, conversation: Conversation, provider: ScriptedProvider) -> None:
        self.conversation, self.provider = conversation, provider
        self.relationship = conversation.relationship

    def entry(self, place: int) -> dict[str, Any]:
        """Names one of all entries there are, in whatever state."""
        ids = (
            ScratchpadEntry.objects.for_relationship(self.relationship.id)
            .order_by("id")
            .values_list("id", flat=True)
        )
        if not ids:
            raise RapportError("there is none yet")
        return {"relationship_id": self.relationship.id, "entry_id": ids[place % len(ids)]}

    def add(self, word: int, key: str | None) -> None:
        values: dict[str, Any] = {
            "content": WORDS[word],
            "type": "other",
            "key": key,
            "single_valued": key is not None,
        }
        soon = timezone.now() + timedelta(milliseconds=1)
        values |= {"expires_at": soon} if word == 2 else {}
        add_entry(relationship=self.relationship, values=values, by=PERSON, source=EntrySource.API)

    def revise(self, place: int, word: int, tier: str) -> None:
        values = {"content": WORDS[word], "tier": tier, "subject": "Ana" if word == 1 else "user"}
        revise_entry(**self.entry(place), values=values, by=PERSON)

    def delete(self, place: int) -> None:
        delete_entry(**self.entry(place), by=PERSON)

    def restore(self, place: int) -> None:
        restore_entry(**self.entry(place), by=PERSON)

    def erase(self, place: int, messages: Any) -> None:
        erase_entry(**self.entry(place), by=BY, messages=messages)

    def expire(self) -> None:
        expire_entries(timezone.now())

    def say(self, word: int) -> None:
        self.conversation.say(WORDS[word], f"{WORDS[word]} again")

    def hear(self, word: int, op: str, place: int) -> None:
        shown = len(self.conversation.entries)
        number = place % max(1, shown) + 1
        operations = {
            "add": [add(WORDS[word]), add(WORDS[word])],
            "update": [update(number, WORDS[word]), add(f"{WORDS[word]} more")],
            "delete": [delete(number), add(WORDS[word])],
            "many": [delete(n + 1) for n in range(shown)],
        }[op]
        self.provider.otherwise = answer(*operations)
        self.conversation.hear(f"I say {WORDS[word]}")

    def decide(self, confirmed: bool) -> None:
        held = HeldDeletion.objects.filter(state=HeldState.WAITING).first()
        if held is not None:
            choice = {"relationship_id": self.relationship.id, "held_id": held.id, "by": PERSON}
            (confirm_deletions if confirmed else decline_deletions)(**choice)

    def embed(self) -> None:
        embed_owed(relationship_id=self.relationship.id)


# How often each thing happens, and with what.
ACTS: dict[str, tuple[int, Callable[[random.Random], tuple[Any, ...]]]] = {
    "add": (4, lambda dice: (a_word(dice), dice.choice([None, None, "city"]))),
    "revise": (4, lambda dice: (dice.randrange(30), a_word(dice), dice.choice(["scratchpad", "archive"]))),
    "delete": (2, lambda dice: (dice.randrange(30),)),
    "restore": (2, lambda dice: (dice.randrange(30),)),
    "erase": (1, lambda dice: (dice.randrange(30), dice.choice(["redact", "keep"]))),
    "expire": (1, lambda dice: ()),
    "say": (1, lambda dice: (a_word(dice),)),
    "hear": (
        4,
        lambda dice: (a_word(dice), dice.choice(["add", "update", "delete", "many"]), dice.randrange(30)),
    ),
    "decide": (1, lambda dice: (dice.random() < 0.5,)),
    "embed": (3, lambda dice: ()),
}
STEPS = 60


def a_word(dice: random.Random) -> int:
    return dice.randrange(len(WORDS))


@pytest.mark.parametrize("seed", range(5))
def test_the_index_is_what_would_be_built_anew(
    seed: int,
    relationship: Relationship,
    scripted_provider: ScriptedProvider,
    scripted_embedder: ScriptedEmbedder,
) -> None:
    dice = random.Random(seed)
    configure(relationship, embedder="default", embed_messages=True, language="english")
    history = History(Conversation(relationship), scripted_provider)
    done = 0
    for act in dice.choices(list(ACTS), [often for often, _ in ACTS.values()], k=STEPS):
        try:
            with transaction.atomic():
                getattr(history, act)(*ACTS[act][1](dice))
            done += 1
        except RapportError:
            continue  # what is refused changes nothing
        require_vectors_of_present_texts(relationship)
    assert done > STEPS / 2
    require_true(relationship)


def require_vectors_of_present_texts(relationship: Relationship) -> None:
    texts = {(row["kind"], row["owner_id"]): row["text_hash"] for row in index_of(relationship)}
    for vector in Embedding.objects.for_relationship(relationship.id):
        assert bytes(vector.text_hash) == texts[vector.kind, vector.owner_id]


def require_true(relationship: Relationship) -> None:
    kept = index_of(relationship)
    SearchText.objects.for_relationship(relationship.id).delete()
    rebuild_index(relationship.id)
    assert kept == index_of(relationship)

    embed_owed(relationship_id=relationship.id)
    silent = Q(state="deleted") | Q(length=0)
    owners = (
        SearchText.objects.for_relationship(relationship.id)
        .exclude(silent)
        .values_list("owner_id", flat=True)
    )
    vectors = Embedding.objects.for_relationship(relationship.id).values_list("owner_id", flat=True)
    assert set(owners) <= set(vectors)
