import pytest

from memory.providers.offline.clauses import MAX_CLAUSE, Clause, tidy_clause, without_adverbs


def tidied(part: str) -> Clause:
    clause = tidy_clause(part, lowercase=False)
    assert clause is not None
    return clause


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("Well, by the way, I live in Lisbon now", "I live in Lisbon"),
        ("I really just moved to Faro", "I moved to Faro"),
        ("I have moved to Faro", "I moved to Faro"),
        ("I have been living in Faro", "I am living in Faro"),
        ("I have lived in Faro since May", "I live in Faro since May"),
        ("I have been a nurse for years", "I am a nurse for years"),
        ("I have always loved jazz", "I love jazz"),
        ("I do like jazz", "I like jazz"),
        ("I have got a dog", "I have a dog"),
        ("Next month I am giving a talk", "I am giving a talk Next month"),
        ("Saturday is our anniversary", "our anniversary is on Saturday"),
        ("Ada, I love tea", "I love tea"),
        ("Please remember that I love tea", "I love tea"),
    ],
)
def test_manner_goes_and_matter_stays(part: str, text: str) -> None:
    assert tidied(part).text == text


def test_how_it_was_put_is_told_by_flags() -> None:
    assert tidied("I no longer work there").ended
    assert tidied("I do not like tea anymore").ended
    assert tidied("I used to live in Rome").formerly
    assert tidied("Actually, I live in Rome").corrects
    assert tidied("I just moved to Rome").recent
    assert tidied("I live in Rome, not Milan").instead_of == "Milan"


@pytest.mark.parametrize(
    "part", ["Maybe I live in Rome", "I might move", "I almost quit", "x" * (MAX_CLAUSE + 1), ""]
)
def test_what_is_hedged_too_long_or_empty_is_no_statement(part: str) -> None:
    assert tidy_clause(part, lowercase=False) is None


def test_adverbs_go_however_many() -> None:
    assert without_adverbs("I really also still live here") == "I live here"
