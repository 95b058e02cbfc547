"""Play a labelled case: tell the facts, ask to forget something, and check what is left."""

from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from django.utils import timezone

from memory.entries.adding import add_entry
from memory.errors import SameAsAnother
from memory.ingestion.intake import accept_turn
from memory.ingestion.pipeline import drain_relationship
from memory.mending.candidates import scope_of
from memory.mending.execution import carry_out
from memory.mending.plans import draft_plan, store_plan
from memory.models import EntrySource, ScratchpadEntry
from memory.words import is_in, spelt, words_of
from relationships.models import Message, Relationship, TurnState
from relationships.services.sequence import allocate_seq
from relationships.services.turns import NewMessage, NewTurn, TurnDisposal, store_turn
from tests.fixtures.turns import PERSON
from tests.labelled.forgetting_cases import Case, Fact


class Outcome(NamedTuple):
    """`left`: visible texts with words that should be gone. `lost`: texts that should have survived."""

    left: list[str]
    lost: list[str]


def tell(relationship: Relationship, facts: tuple[Fact, ...]) -> None:
    """Add an exchange for each fact, already read, with an entry that cites it."""
    start = timezone.now() - timedelta(days=30)
    for number, fact in enumerate(facts):
        seq = allocate_seq(relationship.id, count=3)
        turn = NewTurn(
            [NewMessage("user", fact.said), NewMessage("assistant", fact.echo)],
            occurred_at=start + timedelta(hours=number),
        )
        messages = store_turn(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            seq=seq,
            turn=turn,
            disposal=TurnDisposal(TurnState.APPLIED, None),
            now=timezone.now(),
        ).messages
        entry = add_entry(
            relationship=relationship,
            values={
                "content": fact.entry,
                "type": "other",
                "subject": fact.subject,
                "effective_at": turn.occurred_at,
            },
            by=PERSON,
            source=EntrySource.TURN,
        )
        owned = ScratchpadEntry.objects.for_relationship(relationship.id)
        owned.filter(id=entry.id).update(source_message_ids=[messages[0].id])


def by_api(relationship: Relationship, case: Case) -> None:
    plan = store_plan(
        draft_plan(scope_of(relationship, case.what or case.wish), verb="forget"), depth="hide", by=PERSON
    )
    if any(item["ticked"] for item in plan.items):
        carry_out(plan, by=PERSON)


def by_conversation(relationship: Relationship, case: Case) -> None:
    say(relationship, case.wish, "All right.")


def say(relationship: Relationship, said: str, answered: str) -> None:
    turn = NewTurn([NewMessage("user", said), NewMessage("assistant", answered)], occurred_at=timezone.now())
    accept_turn(relationship=relationship, new=turn)
    drain_relationship(relationship_id=relationship.id, worker="test")


def look(relationship: Relationship, case: Case) -> Outcome:
    entries = [
        f"{'' if row.subject == 'user' else row.subject + ': '}{row.content}"
        for row in ScratchpadEntry.objects.for_relationship(relationship.id).active()
    ]
    messages = Message.objects.for_relationship(relationship.id).filter(hidden_at=None, erased_at=None)
    visible = [*entries, *messages.values_list("content", flat=True)]
    left = [text for text in visible if any(has_words(text, word) for word in case.gone)]
    lost = [text for text in case.stays if not any(has_words(entry, text) for entry in entries)]
    return Outcome(left, lost)


def told_in_vain(relationship: Relationship, again: Fact) -> list[str]:
    """What is missing after it was told once more, as a message and as an entry."""
    say(relationship, again.said, again.echo)
    with suppress(SameAsAnother):  # reading the turn has already added it
        tell(relationship, (again,))
    messages = Message.objects.for_relationship(relationship.id).filter(hidden_at=None, content=again.said)
    entries = ScratchpadEntry.objects.for_relationship(relationship.id).active().filter(content=again.entry)
    return [] if messages.count() == 2 and entries.exists() else [again.said]


def has_words(text: str, words: str) -> bool:
    """Return whether the text has all words, as whole words in any form, but without stems, to be exact."""
    there = spelt(words_of(text), {})
    return all(is_in(word, there, {}) for word in words_of(words))
