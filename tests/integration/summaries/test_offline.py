"""Summaries without a model: what the person said of themselves is quoted."""

from relationships.models import Message
from tests.fakes import ScriptedProvider
from tests.fixtures.summaries import ready, summarise
from tests.fixtures.turns import Conversation


def test_without_a_model_the_summary_quotes_what_was_said(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    companion = conversation.relationship.companion
    companion.config = {"summaries": {"provider": "offline", "words": 60}}
    companion.save()
    for n in range(50):
        conversation.say(
            "I grow tomatoes in my garden.", f"It is day {n} of my tomatoes.", "Are they ripe?", "Ok."
        )

    assert summarise(conversation) == 1

    text = ready(conversation)[200].text
    said = set(Message.objects.values_list("content", flat=True))
    assert text.startswith("Quoted from the conversation, not written by a model:")
    quoted = [line.partition(": ")[2] for line in text.splitlines()[1:]]
    assert quoted and set(quoted) <= said
    assert len(text.split()) <= 60


def test_without_a_model_a_conversation_of_small_talk_is_summed_up_too(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    companion = conversation.relationship.companion
    companion.config = {"summaries": {"provider": "offline", "at": [4, 6]}}
    companion.save()
    for said in ("Guten Tag!", "Wie geht es dir?", "My garden is full of tomatoes."):
        conversation.say(said, "Ja.")

    assert summarise(conversation) == 2

    first, second = ready(conversation).values()
    assert first.text.startswith("Nothing is quoted here") and "tomatoes" in second.text
    assert "Nothing is quoted" not in second.text
