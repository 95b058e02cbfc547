"""An entry that has said much is erased in time that grows with that and with what is searched for it."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import OperationResult
from memory.phrases import FEW, Phrases
from relationships.models import Companion, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.contexts import say
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation, add, answer
from tests.fixtures.workspaces import whole
from tests.growth import MOST, growth
from upkeep.erasure.copies import AT_ONCE
from upkeep.erasure.erased_texts import Words, find_traces
from upkeep.erasure.remaining_messages import WordSearch
from workspace.files import change_files
from workspace.redaction import ERASED, Redaction, _redact_history, phrase_of

NO_DIGITS = str.maketrans("0123456789", "ghijklmnop")


def sayings(size: int, letter: str) -> list[str]:
    """As many texts of ten words that nothing else has."""
    texts = (" ".join(f"w{number:x}z{place}{letter}" for place in range(10)) for number in range(size))
    return [text.translate(NO_DIGITS) for text in texts]


def test_the_workspace_is_searched_for_all_it_said() -> None:
    def work(case: tuple[Redaction, list[str]]) -> None:
        redaction, files = case
        assert [redaction.of(text) for text in files] == files

    def made(size: int) -> tuple[Redaction, list[str]]:
        return Redaction({text: phrase_of(text) for text in sayings(size, "w")}), sayings(size, "q")

    redaction, _ = made(2 * FEW)
    assert redaction.of(f"So: {sayings(3, 'w')[2].upper()}!") == f"So: {ERASED}!"
    assert growth(work, made, size=400) < MOST


def test_the_messages_are_searched_for_all_its_words(companion: Companion) -> None:
    def made(size: int) -> WordSearch:
        relationship = meet(companion)
        say(relationship, *sayings(size, "q"), sayings(size, "w")[-1])
        return WordSearch(relationship.id, sayings(size, "w"))

    def work(search: WordSearch) -> None:
        [held] = search.still_holding().listed
        assert len(held.words) == 10

    assert growth(work, made, size=100) < MOST


def test_reasons_are_searched_for_all_it_said() -> None:
    def work(case: tuple[Words, list[str]]) -> None:
        words, reasons = case
        assert not any(map(words.quoted_in, reasons))

    def made(size: int) -> tuple[Words, list[str]]:
        return Words(phrases=Phrases(sayings(size, "w"))), sayings(size, "q")

    assert growth(work, made, size=1000) < MOST


def test_operations_that_quote_one_of_many_texts_are_found(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    phrases = sayings(2 * 20, "w")
    scripted_provider.answer_with(answer(add("Likes tea"), add("Likes cake", reason=f"so {phrases[30]}")))
    turn = conversation.hear("I like tea and cake.")

    traces = find_traces(turn.relationship_id, Words(phrases=Phrases(phrases)))

    [found] = OperationResult.objects.of_turn(turn.id).filter(id__in=traces.operations)
    assert found.number == 1 and traces.turns == {turn.id}


def test_operations_are_emptied_without_comparing_each_with_all(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Likes tea")))
    turn = conversation.hear("I like tea.")
    [one] = OperationResult.objects.of_turn(turn.id)
    copied = vars(one) | {"_state": None}
    OperationResult.objects.bulk_create(
        OperationResult(
            **{name: value for name, value in copied.items() if name not in ("_state", "id")}
            | {"number": number}
        )
        for number in range(1, 3 * AT_ONCE)
    )

    with CaptureQueriesContext(connection) as asked:
        assert api.delete(f"{at}/entries/{one.entry_id}?permanent=true").status == 200

    assert max((statement["sql"] or "").count(" WHEN ") for statement in asked) == AT_ONCE
    assert {
        (row.erased, row.text, "Likes" in str(row.operation)) for row in OperationResult.objects.all()
    } == {(True, "", False)}


class Counted(Redaction):
    looked_at = 0

    def of(self, text: str) -> str:
        self.looked_at += 1
        return super().of(text)


def test_a_path_is_looked_at_once_however_many_versions_have_it(relationship: Relationship) -> None:
    pair, files, versions = whole(relationship), 40, 10
    change_files(relationship=pair, changes={f"{n}.md": b"%d" % n for n in range(files)}, by=TESTER)
    for number in range(versions):
        change_files(relationship=pair, changes={"0.md": b"Version %d" % number}, by=TESTER)
    redaction = Counted({"Likes tea": "Likes tea"})

    _redact_history(pair.id, redaction)

    assert redaction.looked_at < 5 * files + 20 * versions
