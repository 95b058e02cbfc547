"""A configuration is a developer's own: whatever it says, resolving it and holding documents to it stays quick."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.ingestion.strategies.options import KeyedFactsOptions
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.json_schemas import MOST_BYTES, MOST_STEPS, known_shape, refuse_misshapen
from tests.growth import MOST, growth
from web.errors import InvalidInput


def slug(number: int) -> str:
    return "s" + "".join(chr(97 + int(digit)) for digit in str(number))


def weights_and_nulls(count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    weights = {slug(number): 0.5 for number in range(count)}
    return {"ingestion": {"classifier": {"weights": weights}}}, {
        slug(number): None for number in range(count)
    }


def test_nulls_are_looked_up_among_what_was_said_before_and_not_compared_with_it() -> None:
    def fresh(levels: tuple[dict[str, Any], dict[str, Any]]) -> None:
        resolve_configuration(companion=levels[0], turn={**levels[1], "profile": {"json_schema": None}})

    assert growth(lambda count: fresh(weights_and_nulls(count)), int, size=1000) < MOST


def test_a_null_ends_what_was_said_at_its_path_and_below_and_nothing_beside_it() -> None:
    resolved = resolve_configuration(
        project={
            "ingestion": {"max_batch": 3, "trigger": {"mode": "explicit", "n": 7}},
            "sessions": {"idle_minutes": 5},
        },
        turn={"ingestion": {"trigger": None, "max_entries": 9}},
    )

    said = {path: level for path, level in resolved.provenance.items() if level != "recipe"}
    assert said == {
        "ingestion.max_batch": "project",
        "ingestion.max_entries": "turn",
        "sessions.idle_minutes": "project",
    }


def test_repeated_keys_are_counted_once() -> None:
    def named(count: int) -> list[dict[str, Any]]:
        return [
            {"name": slug(key), "near": [slug(1000 + 30 * key + n) for n in range(30)]}
            for key in range(count)
        ]

    assert growth(lambda count: KeyedFactsOptions(keys=tuple(named(count))), int, size=50) < MOST


EVERY_BRANCH: dict[str, Callable[[int], tuple[dict[str, Any], dict[str, Any]]]] = {
    "branches by members": lambda count: (
        {"properties": {"a": {"items": {"anyOf": [*[{"type": "string"}] * count, {}]}}}},
        {"a": [1] * count},
    ),
    "names by members": lambda count: (
        {"properties": {"a": {"items": {"not": {"required": ["b"] + [slug(n) for n in range(count)]}}}}},
        {"a": [{"b": 1}] * count},
    ),
    "members": lambda count: (
        {"properties": {"a": {"items": {"type": "integer"}}}},
        {"a": [1] * (7 * count)},
    ),
    "values by members": lambda count: (
        {"properties": {"a": {"items": {"enum": [*range(count), -1.5]}}}},
        {"a": [-1.5] * count},
    ),
}


@pytest.mark.parametrize("made", EVERY_BRANCH.values(), ids=EVERY_BRANCH)
def test_a_check_that_takes_too_many_steps_is_given_up_and_says_so(
    made: Callable[[int], tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    schema, document = made(3000)

    with pytest.raises(InvalidInput) as refused:
        refuse_misshapen(known_shape(schema), document, whole="profile")

    assert refused.value.problems[0].field == "profile"
    assert f"more than {MOST_STEPS:,} steps" in refused.value.detail
    assert "fewer alternatives" in refused.value.detail


def test_a_list_of_thousands_of_values_is_held_to_a_plain_schema() -> None:
    schema = known_shape({"properties": {"a": {"items": {"type": "integer"}}}})

    with pytest.raises(InvalidInput) as refused:
        refuse_misshapen(schema, {"a": [1] * 19_000 + ["x"]}, whole="profile")

    assert refused.value.detail == "a.19000: 'x' is not of type 'integer'"


def test_a_long_value_is_not_written_out_for_each_branch() -> None:
    """Of 1,000 branches each would repeat 200 kB."""
    schema = {"properties": {"a": {"anyOf": [{"type": "integer"}] * 1000}}}

    def check(size: int) -> None:
        with pytest.raises(InvalidInput):
            refuse_misshapen(schema, {"a": {"b": ["x"] * size}}, whole="profile")

    assert growth(check, int, size=15_000) < MOST / 3  # what grows is the document's own reading


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"required": [{"a": 1}, {"a": 2}]}, "required may hold only texts"),
        ({"properties": {"a": {"type": [["string"]]}}}, "type may hold only texts"),
        ({"enum": [["a"], {"b": 1}]}, "enum may hold only texts"),
        ({"const": {"a": 1}}, "const may hold only texts"),
        ({"enum": ["x" * MOST_BYTES]}, f"at most {MOST_BYTES}"),
    ],
    ids=["required", "type", "enum", "const", "long"],
)
def test_a_schema_whose_own_check_would_take_long_is_refused(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        known_shape(schema)
