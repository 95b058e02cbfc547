"""importance behind both vendors' protocols: scored, lifted to floors, kept from a threshold, in the archive."""

from memory.models import EntryState, ScratchpadEntry, Tier
from tests.fixtures.turns import operations_of
from tests.integration.ingestion.conftest import Told, behind_both_vendors


@behind_both_vendors
def test_what_scores_enough_is_kept_in_the_archive_with_its_importance(told: Told) -> None:
    told.under("importance", importance={"model": "small-1"})

    turn = told.hear("My name is Ana, from Lisbon. I learn to sail. I saw a heron. Rain!", answers=("score",))

    kept = {entry.content: (entry.importance, entry.tier) for entry in told.conversation.entries}
    assert kept == {"Lives in Lisbon": (0.85, Tier.ARCHIVE), "Is learning to sail": (0.8, Tier.ARCHIVE)}
    verdicts = {judged["operation"]["content"]: judged for judged in operations_of(turn)}
    assert "identity" in verdicts["Lives in Lisbon"]["reason"]
    assert "0.30; what is kept begins at 0.55" in verdicts["Saw a heron today"]["reason"]
    assert "not a number from 1 to 10" in verdicts["Likes rain"]["reason"]
    assert told.purposes(turn) == ["score"]
    assert "small-1" in str(told.server.script.requests[0].as_json())


def test_the_model_is_shown_what_has_to_do_with_the_message_and_may_change_it(told: Told) -> None:
    told.under("importance", candidates={"all_up_to": 0})
    told.hear("I live in Lisbon and learn to sail.", answers=("score",))

    turn = told.hear(
        "I live in Porto now, not in Lisbon, and no longer learn to sail.", answers=("score_again",)
    )

    assert told.conversation.contents == ["Lives in Porto"]
    [(purpose, texts)] = told.asked_while_reading
    assert (purpose, len(texts)) == ("query", 2)  # the message, and the same with the one before
    gone = ScratchpadEntry.objects.get(content="Is learning to sail")
    assert gone.state == EntryState.DELETED
    assert {judged["verdict"] for judged in operations_of(turn)} == {"applied"}
    assert {judged["call_id"] for judged in operations_of(turn)} == {str(turn.model_call_ids[-1])}
