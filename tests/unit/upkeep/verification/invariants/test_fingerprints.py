from memory.entries.fingerprint import content_hash
from memory.models import EntryState, ScratchpadEntry
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_mended, problems, run
from upkeep.verification import verify


def test_a_wrong_fingerprint_is_made_anew_and_its_history_is_right_again(lived: Conversation) -> None:
    revisions = len(lived.revisions)
    lived_in = lived.entries[0]
    ScratchpadEntry.objects.filter(id=lived_in.id).update(content_hash=b"x" * 32)

    check_mended(["fingerprints/wrong", "histories/differs"])

    assert bytes(ScratchpadEntry.objects.get(id=lived_in.id).content_hash) == content_hash(lived_in.content)
    assert len(lived.revisions) == revisions


def test_two_that_say_the_same_are_left_to_a_person(lived: Conversation) -> None:
    one, other = lived.entries[:2]
    run("DROP INDEX entry_active_once")
    ScratchpadEntry.objects.filter(id=other.id).update(content=one.content, content_hash=one.content_hash)

    report = verify(repair=True)

    assert problems(report)["fingerprints/twins"] == 1
    assert not report.holds
    assert ScratchpadEntry.objects.filter(content=one.content, state=EntryState.ACTIVE).count() == 2


def test_two_values_of_a_single_valued_key_are_named(lived: Conversation) -> None:
    run("DROP INDEX entry_single_value_once")
    ScratchpadEntry.objects.filter(id__in=[entry.id for entry in lived.entries[:2]]).update(
        key="city", single_valued=True
    )

    assert problems(verify())["fingerprints/twins"] == 1


def test_a_fingerprint_that_another_entry_has_is_left_and_the_others_are_mended(lived: Conversation) -> None:
    one, other, third = lived.entries[:3]
    for entry in (other, third):
        ScratchpadEntry.objects.filter(id=entry.id).update(content_hash=str(entry.id)[:32].encode())
    ScratchpadEntry.objects.filter(id=other.id).update(content=one.content)

    report = verify(repair=True)

    assert report.tallies["fingerprints", "wrong"].left == 1
    assert bytes(ScratchpadEntry.objects.get(id=third.id).content_hash) == content_hash(third.content)
