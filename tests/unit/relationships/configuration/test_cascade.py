import sys
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured

from relationships.configuration.cascade import resolve_configuration, validate_level
from relationships.configuration.schema import configuration_model
from web.errors import InvalidConfiguration


def test_without_any_level_the_defaults_hold() -> None:
    resolved = resolve_configuration()

    assert resolved.values == configuration_model()()
    assert set(resolved.provenance.values()) <= {"recipe"}


def test_the_higher_level_wins_and_every_value_carries_its_level() -> None:
    resolved = resolve_configuration(
        project={"ingestion": {"max_batch": 2, "soft_budget": 100}},
        companion={"ingestion": {"max_batch": 3}},
        relationship={"context": {"recent_messages": 5}},
        turn={"ingestion": {"enabled": False}},
    )

    assert resolved.values.ingestion.max_batch == 3
    assert resolved.values.ingestion.soft_budget == 100
    assert {path: level for path, level in resolved.provenance.items() if level != "recipe"} == {
        "ingestion.max_batch": "companion",
        "ingestion.soft_budget": "project",
        "context.recent_messages": "relationship",
        "ingestion.enabled": "turn",
    }


def test_null_takes_a_value_back_to_the_default() -> None:
    resolved = resolve_configuration(
        project={"ingestion": {"max_batch": 2}}, turn={"ingestion": {"max_batch": None}}
    )

    assert resolved.values.ingestion.max_batch == configuration_model()().ingestion.max_batch
    assert "ingestion.max_batch" not in resolved.provenance


def test_naming_one_layer_leaves_the_others_their_defaults() -> None:
    layers = resolve_configuration(
        companion={"context": {"layers": {"memory": {"budget": 7}}}}
    ).values.context.layers

    assert layers["memory"].budget == 7
    assert layers["messages"].budget == configuration_model()().context.layers["messages"].budget


def test_a_whole_number_will_do_where_a_fraction_may_stand() -> None:
    resolved = resolve_configuration(turn={"ingestion": {"deletion_hold": {"share": 1}}})

    assert resolved.values.ingestion.deletion_hold.share == 1.0


def test_lists_replace_and_do_not_merge() -> None:
    types = [{"name": "recipe"}]

    resolved = resolve_configuration(companion={"ingestion": {"types": types}})

    assert [entry_type.name for entry_type in resolved.values.ingestion.types] == ["recipe"]


@pytest.mark.parametrize(
    ("level", "field"),
    [
        ({"ingestoin": {}}, "ingestoin"),
        ({"ingestion": {"max_batch": 0}}, "ingestion.max_batch"),
        ({"ingestion": {"max_batch": "many"}}, "ingestion.max_batch"),
        ({"ingestion": {"max_batch": "8"}}, "ingestion.max_batch"),
        ({"ingestion": {"max_batch": True}}, "ingestion.max_batch"),
        ({"ingestion": {"enabled": "yes"}}, "ingestion.enabled"),
        ({"ingestion": []}, "ingestion"),
        ({"ingestion": {"types": []}}, "ingestion.types"),
        ({"ingestion": {"types": [{"name": "a"}, {"name": "a"}]}}, "ingestion.types"),
        ({"ingestion": {"strategy": "telepathy"}}, "ingestion.strategy"),
        ({"ingestion": {"provider": "nobody"}}, "ingestion.provider"),
        ({"context": {"order": ["core", "weather"]}}, "context"),
        ({"context": {"order": ["core", "core"]}}, "context"),
        ({"context": {"layers": {"weather": {}}}}, "context.layers"),
        ({"recipe": "soup"}, "recipe"),
        ({"recipe": 5}, "recipe"),
        ({"recipe": ["scratchpad"]}, "recipe"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(level: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidConfiguration) as refused:
        validate_level(level)

    assert field in [problem.field for problem in refused.value.problems]
    with pytest.raises(InvalidConfiguration):
        resolve_configuration(turn=level)


def test_what_is_wrong_is_said_in_the_words_of_every_other_body() -> None:
    with pytest.raises(InvalidConfiguration) as refused:
        validate_level({"ingestoin": {}, "ingestion": {"enabled": "yes"}, "retrieval": 5})

    assert {problem.field: problem.detail for problem in refused.value.problems} == {
        "ingestoin": "is not a known field",
        "ingestion.enabled": "must be true or false",
        "retrieval": "must be an object",
    }


@pytest.mark.parametrize("value", ["antigravity.fly", "tests.unit.relationships.configuration.bait.RECIPE"])
@pytest.mark.parametrize("place", ["recipe", "strategy", "format", "layer"])
def test_a_configuration_never_makes_us_import_a_stranger(value: str, place: str) -> None:
    levels: dict[str, dict[str, Any]] = {
        "recipe": {"recipe": value},
        "strategy": {"ingestion": {"strategy": value}},
        "format": {"context": {"format": value}},
        "layer": {"context": {"order": [value]}},
    }
    level = levels[place]

    with pytest.raises(InvalidConfiguration):
        validate_level(level)
    with pytest.raises(InvalidConfiguration):
        resolve_configuration(turn=level)

    assert value.rpartition(".")[0] not in sys.modules


def test_each_app_brings_its_own_sections() -> None:
    owners = {name: type(section).__module__ for name, section in configuration_model()()}

    assert {name: module.split(".")[0] for name, module in owners.items() if name != "recipe"} == {
        "ingestion": "memory",
        "retrieval": "memory",
        "forgetting": "memory",
        "knowledge": "knowledge",
        "context": "context",
        "summaries": "summaries",
        "behaviours": "behaviours",
        "webhooks": "behaviours",
        "workspace": "workspace",
        "chat": "chat",
        "events": "connect",
        "profile": "relationships",
        "sessions": "relationships",
    }


def test_a_section_has_one_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = {"ingestion": "relationships.configuration.schema.Profiles"}
    monkeypatch.setattr(apps.get_app_config("relationships"), "configuration_sections", mine)

    with pytest.raises(ImproperlyConfigured, match="'ingestion'"):
        configuration_model.__wrapped__()
