from memory.providers.base import NumberedFact
from tests.labelled.scratchpad import THURSDAY, entry, known
from tests.labelled.strategies import ask, numbered

SHOWN = known(
    entry("Lives in Lisbon", "identity", key="city"), entry("Likes jazz", "preference"), entry("Likes tea")
)


def decide(said: str, *facts: NumberedFact) -> list[tuple[int, str, int | None, str]]:
    made = ask("decide", said, SHOWN, at=THURSDAY, facts=facts)["decisions"]
    return [(one["fact"], one["op"], one.get("entry"), one.get("content", "")) for one in made]


def fact(number: int, content: str, *, forget: bool = False, message: int = 1) -> NumberedFact:
    return NumberedFact(number, content, "other", "user", 0.9, forget, (message,))


def test_an_extraction_sees_no_entries() -> None:
    facts = ask("extract", "I live in Lisbon. I no longer like jazz.", SHOWN, at=THURSDAY)["facts"]

    assert [one["content"] for one in facts] == ["Lives in Lisbon", "No longer likes jazz"]
    assert facts[0]["subject"] == "user"


def test_a_date_is_kept_with_its_fact() -> None:
    [one] = ask("extract", "I have a job interview tomorrow.", at=THURSDAY)["facts"]

    assert one["happens_at"] == "2026-11-27"


def test_two_facts_of_a_message_each_have_their_own_decision() -> None:
    said = "I moved to Faro and I have a cat named Miu."
    facts = numbered(ask("extract", said, at=THURSDAY)["facts"])

    first, second = decide(said, *facts)

    assert first[1:3] == ("UPDATE", 1)
    assert "Faro" in first[3]
    assert second == (2, "ADD", None, "Has a cat named Miu")


def test_a_fact_in_another_models_words_is_held_against_the_entries_by_itself() -> None:
    said = "Faro is home now, by the way."

    assert decide(said, fact(1, "Lives in Faro")) == [(1, "DELETE", 1, "Lives in Faro")]
    assert decide(said, fact(1, "Likes jazz")) == [(1, "NONE", 2, "")]
    assert decide(said, fact(1, "Owns a boat")) == [(1, "ADD", None, "Owns a boat")]


def test_a_wish_to_forget_in_another_models_words_deletes_and_is_never_kept() -> None:
    said = "You know what I mean."

    assert decide(said, fact(1, "likes jazz", forget=True)) == [(1, "DELETE", 2, "")]
    assert decide(said, fact(1, "owns a boat", forget=True)) == [(1, "NONE", None, "")]
    assert decide(said, fact(1, "No, I have a boat.", forget=True)) == [(1, "NONE", None, "")]


def test_a_fact_of_a_message_that_is_not_there_is_decided_all_the_same() -> None:
    assert decide("Hello!", fact(1, "Lives in Faro", message=7)) == [(1, "DELETE", 1, "Lives in Faro")]


def test_what_a_fact_is_comes_before_what_it_ends() -> None:
    shown = known(entry("Is moving to Faro soon", "goal"), entry("Lives in Lisbon", "identity", key="city"))
    said = "We moved to Faro yesterday!"
    facts = numbered(ask("extract", said, at=THURSDAY)["facts"])

    made = ask("decide", said, shown, at=THURSDAY, facts=facts)["decisions"]

    assert [(one["op"], one["entry"]) for one in made] == [("UPDATE", 2), ("DELETE", 1)]


def test_who_was_spoken_of_a_little_earlier_is_known_by_name() -> None:
    said = "Ana lives in Faro."

    assert ask("extract", said, at=THURSDAY)["facts"] == []
    [fact] = ask("extract", said, at=THURSDAY, earlier=["I have a sister named Ana. Forget it."])["facts"]
    assert (fact["content"], fact["subject"]) == ("Ana lives in Faro", "Ana")
