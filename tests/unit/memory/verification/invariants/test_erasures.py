from django.utils import timezone

from memory.models import EntryRevision, ModelCall
from memory.services.erasure import erase_entry
from relationships.actor import Actor
from relationships.models import Message
from tests.fixtures.turns import Conversation
from tests.unit.memory.verification.damage import check_mended, check_whole, unguarded


def test_what_an_erasure_leaves_holds_no_words(lived: Conversation) -> None:
    for entry in lived.entries:
        erase_entry(relationship_id=entry.relationship_id, entry_id=entry.id, by=Actor.policy("test"))

    check_whole()


def test_words_that_came_back_from_a_backup_are_emptied_again(lived: Conversation) -> None:
    cat = next(entry for entry in lived.entries if "cat" in entry.content)
    erase_entry(relationship_id=cat.relationship_id, entry_id=cat.id, by=Actor.policy("test"))
    now = timezone.now()
    with unguarded():
        EntryRevision.objects.filter(redacted_at__isnull=False).update(reason="the cat", redacted_at=now)
        Message.objects.filter(erased_at__isnull=False).update(content="I have a cat")
        ModelCall.objects.filter(redacted_at__isnull=False).update(answer="cat")

    check_mended(["erasures/words"])

    assert not EntryRevision.objects.filter(reason="the cat").exists()
    assert not Message.objects.filter(content="I have a cat").exists()
    assert not ModelCall.objects.filter(answer="cat").exists()
