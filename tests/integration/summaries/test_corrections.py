"""What a person corrects in an entry, no message says: summaries are told."""

import pytest

from memory.entries.editing import Wanted, revise_entries
from memory.models import ModelCall, ScratchpadEntry
from providers.llm.base import CompletionRequest
from summaries.editing import edit_summary
from summaries.models import Summary
from tests.fakes import ScriptedProvider
from tests.fixtures.summaries import chat, ready, summaries_of, summarise
from tests.fixtures.turns import PERSON, Conversation, revise
from tests.integration.copies import dump, tables_with
from tests.integration.summaries.test_summaries import layer, message, talk
from upkeep.erasure.entries import erase_entry

__all__ = ["talk"]


def correct(talk: Conversation, old: str, new: str) -> None:
    """An entry that rests on the first message, by hand."""
    [entry] = talk.remember(old)
    ScratchpadEntry.objects.filter(id=entry.id).update(source_message_ids=[message(talk, 1).id])
    values = {"content": new}
    revise(entry, **values)


def test_corrections_by_hand_are_in_the_newest_summary_and_later_ones(
    talk: Conversation, scripted_provider: ScriptedProvider
) -> None:
    correct(talk, "Saw the bird number0007", "Saw the bird number9999")
    assert layer(talk)[1] == "", "it is shown no more, as it says the old thing"
    correct(talk, "Saw the bird number0008", "Saw the bird number9998")

    assert summarise(talk) == 1

    question = scripted_provider.requests[-1].prompt
    assert "Corrected since" in question and "- Saw the bird number9999\n" in question
    assert "number9999" in layer(talk)[0]
    assert [row.version for row in summaries_of(talk)] == [1, 1, 1, 2]
    shown = ModelCall.objects.filter(purpose="summary").latest("recorded_at").shown_entry_ids
    assert set(shown) == {entry.id for entry in talk.entries}
    chat(talk, first=651, last=800)
    summarise(talk)
    assert "Corrected since" not in scripted_provider.requests[-1].prompt, "the summary before has it"


@pytest.mark.parametrize("old", ["Drives a Volvo", "They watch birds"])
def test_a_correction_renews_no_summary_that_says_nothing_of_it_and_no_text_of_a_person(
    talk: Conversation, old: str
) -> None:
    text, newest = "They watch birds.", ready(talk)[600]
    edit_summary(relationship=talk.relationship, summary_id=newest.id, text=text, by=PERSON)
    if "Volvo" in old:
        Summary.objects.filter(text=text).update(model_call_ids=newest.model_call_ids)

    correct(talk, old, "Likes tea")

    assert text in layer(talk)[0]


@pytest.mark.parametrize(("times", "renewed"), [(1, False), (150, True)], ids=["short", "long"])
def test_many_corrections_at_once_are_not_each_looked_for_in_a_long_summary(
    talk: Conversation, times: int, *, renewed: bool
) -> None:
    """That took half a minute."""
    Summary.objects.filter(id=ready(talk)[600].id).update(text="They watch birds. " * times)
    entries = talk.remember(*(f"Drives Volvo {number}" for number in range(100)))
    ScratchpadEntry.objects.update(source_message_ids=[message(talk, 1).id])

    wanted = [Wanted(entry.id, {"content": f"Likes tea {number}"}) for number, entry in enumerate(entries)]
    revise_entries(relationship_id=talk.relationship.id, wanted=wanted, by=PERSON)

    assert (layer(talk)[1] == "") == renewed
    assert (summaries_of(talk)[-1].version == 2) == renewed


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_what_a_summary_was_told_of_a_corrected_entry_is_erased_with_it(
    talk: Conversation, scripted_provider: ScriptedProvider, when: str
) -> None:
    correct(talk, "Saw the bird number0007", "Saw the bird number9999")
    [entry] = talk.entries

    def erase(request: CompletionRequest | None = None) -> None:
        scripted_provider.while_answering = None
        erase_entry(relationship_id=talk.relationship.id, entry_id=entry.id, by=PERSON, messages="keep")

    if when == "meanwhile":
        scripted_provider.while_answering = erase
    summarise(talk)
    if when == "before":
        assert "number9999" in layer(talk)[0]
        erase()

    assert tables_with("number9999", dump()) == set()
    summarise(talk)
    assert "number0600" in layer(talk)[0]
