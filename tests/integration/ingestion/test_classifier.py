"""classifier behind both vendors' protocols: sure enough, not said before, and nothing for a turn that holds nothing."""

from datetime import UTC, datetime, timedelta

from memory.entries.restoring import restore_entry
from memory.models import EntryState, RevisionEvent, ScratchpadEntry, Tier
from tests.fixtures.past import entries_at
from tests.fixtures.turns import PERSON, operations_of
from tests.integration.ingestion.conftest import Told, behind_both_vendors

BLACK, WITHOUT_MILK = "Drinks her coffee black", "Drinks coffee without milk"


@behind_both_vendors
def test_what_it_is_sure_of_is_kept_with_its_categorys_weight(told: Told) -> None:
    told.under("classifier", classifier={"model": "cheap-1", "schedule_days": 7})

    turn = told.hear("I take my coffee black, and my exam is on 14 March.", answers=("classify",))

    kept = {entry.content: entry for entry in told.conversation.entries}
    assert set(kept) == {BLACK, "Has an exam"}
    assert (kept[BLACK].importance, kept[BLACK].confidence) == (0.8, 0.92)
    assert kept[BLACK].tier == Tier.ARCHIVE
    exam = kept["Has an exam"]
    assert exam.happens_at is not None and exam.importance == 0.7
    [refused] = [judged for judged in operations_of(turn) if judged["verdict"] == "refused"]
    assert "0.40; what is kept begins at 0.70" in refused["reason"]
    assert told.asked_while_reading == []  # nothing was there to be compared with


def test_a_schedule_expires_some_days_after_it(told: Told) -> None:
    told.under("classifier", classifier={"schedule_days": 36_500})
    told.hear("My exam is on 14 March.", answers=("classify",))

    [exam] = [entry for entry in told.conversation.entries if entry.content == "Has an exam"]
    assert exam.happens_at is not None
    day = datetime.fromisoformat(exam.happens_at).replace(tzinfo=UTC)
    assert exam.expires_at == day + timedelta(days=36_500)


def test_a_turn_with_nothing_to_save_writes_nothing_and_embeds_nothing(told: Told) -> None:
    told.under("classifier", candidates={"all_up_to": 0})
    told.hear("I take my coffee black.", answers=("classify",))
    before = len(told.conversation.revisions)

    turn = told.hear("Coffee, and a good morning!", answers=("classify_nothing",))

    assert (turn.state, operations_of(turn)) == ("applied", [])
    assert BLACK in str(told.server.script.requests[-1].said)  # found by its words
    assert told.asked_while_reading == []
    assert told.embedder.asked == []
    assert len(told.conversation.revisions) == before


def test_what_an_entry_nearly_says_is_skipped_visibly_and_can_be_restored(told: Told) -> None:
    told.under("classifier")
    told.hear("I take my coffee black.", answers=("classify",))
    told.embedder.place_near(WITHOUT_MILK, BLACK, at=0.95)

    turn = told.hear("No milk in my coffee, please.", answers=("classify_near",))

    assert WITHOUT_MILK not in told.conversation.contents
    [judged] = operations_of(turn)
    black = ScratchpadEntry.objects.get(content=BLACK)
    assert judged["verdict"] == "none"
    assert str(black.id) in judged["reason"] and "0.95" in judged["reason"]
    revision = told.conversation.revisions[-1]
    assert (revision.event, revision.before) == (RevisionEvent.NONE, None)
    skipped = ScratchpadEntry.objects.get(content=WITHOUT_MILK)
    assert (skipped.state, skipped.id) == (EntryState.SUPERSEDED, revision.entry_id)

    restore_entry(relationship_id=skipped.relationship_id, entry_id=skipped.id, by=PERSON)

    assert WITHOUT_MILK in told.conversation.contents


def test_what_was_skipped_before_is_kept_aside_once(told: Told) -> None:
    told.under("classifier")
    told.hear("I take my coffee black.", answers=("classify",))
    told.embedder.place_near(WITHOUT_MILK, BLACK, at=0.95)

    told.hear("No milk in my coffee, please.", answers=("classify_near",))
    told.hear("Really, no milk in my coffee.", answers=("classify_near",))

    skipped = ScratchpadEntry.objects.get(content=WITHOUT_MILK)
    events = [revision.event for revision in told.conversation.revisions if revision.entry_id == skipped.id]
    assert events == [RevisionEvent.NONE, RevisionEvent.NONE]
    replayed = entries_at(
        relationship_id=skipped.relationship_id,
        project_id=skipped.project_id,
        as_of=None,
        known_at=None,
        now=skipped.recorded_at + timedelta(days=1),
    )
    assert {entry.id: entry.state for entry in replayed}[skipped.id] == EntryState.SUPERSEDED


def test_what_is_not_near_enough_is_kept(told: Told) -> None:
    told.under("classifier")
    told.hear("I take my coffee black.", answers=("classify",))
    told.embedder.place_near(WITHOUT_MILK, BLACK, at=0.9)

    told.hear("No milk in my coffee, please.", answers=("classify_near",))

    assert WITHOUT_MILK in told.conversation.contents


def test_an_entry_without_a_vector_is_never_named_as_like_by_a_cosine(told: Told) -> None:
    told.under("classifier")
    told.hear("I take my coffee black.", answers=("classify",))
    told.embedder.place_near(WITHOUT_MILK, BLACK, at=0.95)
    black = ScratchpadEntry.objects.filter(content=BLACK)
    black.update(valid_to=black.get().effective_at)  # the nearest is over, and may not be found
    told.conversation.remember(f"{WITHOUT_MILK}, always")

    told.hear("No milk in my coffee, please.", answers=("classify_near",))

    assert WITHOUT_MILK in told.conversation.contents
