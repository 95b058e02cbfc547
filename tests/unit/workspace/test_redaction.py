"""What is redacted is found in time that grows with the file, however much else is redacted with it."""

from tests.growth import MOST, growth
from workspace.forgettable import _pattern_for as pattern_for
from workspace.redaction import ERASED, Redaction


def redaction_of(*texts: str) -> Redaction:
    return Redaction({text: pattern_for(text) for text in texts})


def test_the_longest_text_is_found_in_any_spelling() -> None:
    redaction = redaction_of("Likes tea", "Likes tea a lot", "Visits İstanbul often")
    said = "Likes  TEA\na lot, likes tea. visits istanbul often"
    assert redaction.of(said.replace("istanbul", "İstanbul")) == f"{ERASED}, {ERASED}. {ERASED}"


def test_many_texts_that_begin_alike_are_looked_for_at_once() -> None:
    def redacted(size: int) -> str:
        redaction = redaction_of(*(f"I like tea and the number is {number}" for number in range(size)))
        return redaction.of("I like tea and the rest. " * size)

    assert growth(redacted, lambda size: size, size=150) < MOST


def test_lines_without_a_word_are_soon_told_from_a_short_text() -> None:
    redaction = redaction_of("Anna", "Likes green tea")
    assert growth(redaction.of, lambda size: "\n" * size + "Annas", size=3000) < MOST
    assert (
        redaction.of("a\n* anna.\n\nAnna K.\n_likes green tea_, likes green tea")
        == f"a\n{ERASED}\n\nAnna K.\n_likes green tea_, {ERASED}"
    )
