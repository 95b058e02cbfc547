import pytest
from pydantic import ValidationError

from memory.ingestion.configuration import DEFAULT_TYPES
from memory.ingestion.strategies.options import FactKey, KeyedFactsOptions
from memory.ingestion.strategies.vocabulary import SHIPPED_KEYS, Vocabulary, fact_text, type_among
from tests.growth import MOST, growth

SHIPPED = Vocabulary(KeyedFactsOptions())
TYPES = [entry_type.name for entry_type in DEFAULT_TYPES]


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("city", "city"),
        ("current_city", "city"),
        ("Current City", "city"),
        ("user_city", "city"),
        ("cities", None),
        ("hobbies", "hobby"),
        ("goals", "goal"),
        ("pet-name", "pet"),
        ("occupaton", "occupation"),
        ("previous_city", None),
        ("diety", "diet"),
        ("", None),
        ("__", None),
        ("x" * 5000, None),
    ],
)
def test_near_keys_are_one_and_strangers_are_none(word: str, key: str | None) -> None:
    found = SHIPPED.find(word)

    assert (found.name if found else None) == key


def test_the_vocabulary_that_ships_names_everything_once_and_in_types_there_are() -> None:
    names = [name for key in SHIPPED_KEYS for name in (key.name, *key.near)]

    assert len(names) == len(set(names))
    assert {key.type for key in SHIPPED_KEYS} <= set(TYPES)


def test_a_companion_adds_keys_and_its_own_take_the_place_of_those_that_ship() -> None:
    vocabulary = Vocabulary(
        KeyedFactsOptions(
            keys=(FactKey(name="belt", near=("rank",)), FactKey(name="city", says="Trains in {value}"))
        )
    )

    assert vocabulary.keys["belt"].name == "belt"
    assert (vocabulary.find("Rank") or SHIPPED.keys["pet"]).name == "belt"
    assert vocabulary.keys["city"].says == "Trains in {value}"
    assert vocabulary.find("residence") is None  # near names are the shipped key's, which is not there


def test_a_vocabulary_can_be_the_companions_alone_but_not_empty() -> None:
    alone = Vocabulary(KeyedFactsOptions(keys=(FactKey(name="belt"),), shipped_keys=False))

    assert set(alone.keys) == {"belt"}
    with pytest.raises(ValidationError):
        KeyedFactsOptions(shipped_keys=False)


def test_a_key_or_near_key_is_named_once() -> None:
    with pytest.raises(ValidationError, match="repeated: belt"):
        KeyedFactsOptions(keys=(FactKey(name="belt"), FactKey(name="rank", near=("belt",))))


def test_a_value_is_kept_under_its_key_and_is_no_template() -> None:
    assert fact_text(SHIPPED.keys["employer"], "Notion") == "employer: Notion"
    assert fact_text(FactKey(name="shoe_size"), "{value.__class__}") == "shoe_size: {value.__class__}"


def test_a_type_the_companion_has_not_is_never_taken_for_another_silently() -> None:
    assert type_among("goal", ["goal", "other"]) == ("goal", ())
    assert type_among("goal", ["fact", "other"]) == (
        "other",
        ("the companion has no type goal; kept as other",),
    )
    assert type_among("goal", ["fact"]) == ("fact", ("the companion has no type goal; kept as fact",))


def test_a_model_is_told_keys_of_the_types_the_companion_has() -> None:
    known = {key.name: key.type for key in SHIPPED.known_keys(["person", "other"])}

    assert set(known.values()) == {"other"}
    assert set(known) == set(SHIPPED.keys)


def test_unknown_words_are_compared_with_many_keys_in_bounded_time() -> None:
    def found(size: int) -> list[FactKey | None]:
        letters = "abcdefghijklmnopqrstuvwxyz" * 2
        turned = [f"a{number}{letters[number % 26 :]}{letters[: number % 26]}" for number in range(31 * size)]
        keys = [
            FactKey(name=turned[n], near=tuple(turned[size + 30 * n : size + 30 * n + 30]))
            for n in range(size)
        ]
        vocabulary = Vocabulary(KeyedFactsOptions(keys=tuple(keys)))
        return [vocabulary.find(f"b{number}{letters[::-1]}") for number in range(size)]

    assert found(2) == [None, None]
    assert growth(found, lambda size: size, size=12) < MOST
