"""The form shows what holds and stores only what is different."""

import json
from pathlib import Path
from typing import Any

import pytest

from admin_ui.config_diff import differences_by, differences_from_recipe
from admin_ui.config_form import REGISTRIES, config_sections, read_config
from admin_ui.setting_words import CHOICES, FIRST, LABELS
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import Configuration
from relationships.models import Companion
from relationships.services.configuration import check_level

pytestmark = pytest.mark.django_db


def sent_by(companion: Companion, **changed: str) -> dict[str, str]:
    """What a browser sends when the form is left as it is, but for `changed` (dots in names as __)."""
    sent: dict[str, str] = {}
    for section in config_sections(companion):
        for field in section.fields:
            if field.kind == "types":
                for place, row in enumerate(field.value):
                    sent |= {f"{field.path}.{place}.{name}": value for name, value in row.items()}
            elif field.kind == "layers":
                for row in field.value:
                    sent[f"{field.path}.{row['name']}.budget"] = (
                        "" if row["budget"] is None else str(row["budget"])
                    )
                    sent |= {f"{field.path}.{row['name']}.enabled": "true"} if row["enabled"] else {}
            elif field.kind == "picks":
                sent |= {f"{field.path}={choice}": "true" for choice in field.value}
            elif field.kind == "flag":
                sent[field.path] = "true" if field.value else "false"
            else:
                sent[field.path] = str(field.value)
    return sent | {name.replace("__", "."): value for name, value in changed.items()}


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"recipe": "scratchpad"},
        {
            "ingestion": {"max_batch": 3, "trigger": {"mode": "explicit"}},
            "context": {"layers": {"profile": {"enabled": False}}},
        },
        {"retrieval": {"gate": {"open_on": ["keywords", "gap"], "keywords": ["remember"]}}},
        {"ingestion": {"types": [{"name": "mood", "examples": ["Is happy"]}]}, "retrieval": {"recency": 0.1}},
        {
            "context": {
                "core_prompt": "You are {companion}.\n\nBe kind.",
                "priorities": ["Listen first", "הקשב"],
            }
        },
    ],
)
def test_a_form_left_as_it_is_changes_nothing(companion: Companion, config: dict[str, Any]) -> None:
    companion.config = config

    level = read_config(sent_by(companion), companion)

    check_level(level)
    assert _resolved(level) == _resolved(config)


def test_only_what_is_different_is_stored(companion: Companion) -> None:
    companion.config = {}

    assert read_config(sent_by(companion, ingestion__max_batch="3"), companion) == {
        "ingestion": {"max_batch": 3}
    }


def test_a_type_whose_name_is_taken_away_goes(companion: Companion) -> None:
    companion.config = {"ingestion": {"types": [{"name": "mood"}, {"name": "other"}]}}

    level = read_config(sent_by(companion, ingestion__types__0__name=""), companion)

    assert [row["name"] for row in level["ingestion"]["types"]] == ["other"]


@pytest.mark.parametrize(
    ("path", "text", "kept"), [("ingestion.max_batch", "many", "many"), ("retrieval.recency", "1e", "1e")]
)
def test_what_is_no_number_is_left_for_the_schema_to_refuse(
    companion: Companion, path: str, text: str, kept: str
) -> None:
    section, name = path.split(".")

    assert read_config(sent_by(companion) | {path: text}, companion)[section][name] == kept


def test_each_field_says_who_set_it(companion: Companion) -> None:
    companion.project.config = {"ingestion": {"max_batch": 2}}
    companion.config = {"ingestion": {"reference_messages": 1}}

    levels = {field.path: field.level for section in config_sections(companion) for field in section.fields}

    assert levels["ingestion.max_batch"] == "project"
    assert levels["ingestion.reference_messages"] == "companion"
    assert levels["ingestion.max_entries"] == "default"


def test_every_field_has_a_way_to_be_edited_and_its_words(companion: Companion) -> None:
    fields = [field for section in config_sections(companion) for field in section.fields]

    page = (Path(__file__).parents[3] / "templates/admin_ui/companions/_field.html").read_text()
    assert not [field.path for field in fields if field.kind != "line" and f'"{field.kind}"' not in page]
    paths = {field.path for field in fields}
    assert set(REGISTRIES) <= paths
    assert set(LABELS) == paths, "admin_ui/setting_words.py has a name for each setting, and for no other"
    assert set(CHOICES) <= paths and {path for first in FIRST.values() for path in first} <= paths
    assert not [field.label for field in fields if "_" in field.label or field.label[0].islower()]


def test_what_differs_from_the_recipe_and_what_would_change_is_told_in_words(companion: Companion) -> None:
    companion.project.config = {"ingestion": {"max_batch": 2}}
    companion.config = {"recipe": "importance", "retrieval": {"gate": {"open_on": ["gap"]}, "top_k": 15}}

    different = {row.label: (row.before, row.after) for row in differences_from_recipe(companion)}
    changes = differences_by({"recipe": "importance", "context": {"core_prompt": "Be kind. " * 9}}, companion)

    assert different == {
        "Remembering: Turns in one model call, at most": ("8", "2"),
        "Retrieval: Retrieve when": (
            "it has one of the keywords, every so many turns, after a pause",
            "after a pause",
        ),
    }
    assert [row.label for row in changes] == ["Retrieval: Retrieve when", "Context: System prompt"]
    assert (changes[1].before, changes[1].after, changes[1].pieces) == ("none", "Be kind. " * 9, ())

    companion.config = {"context": {"core_prompt": "Be stern. " * 9}}
    (reworded,) = differences_by({"context": {"core_prompt": "Be kind. " * 9}}, companion)
    assert {piece.kind for piece in reworded.pieces} >= {"removed", "added"}


def test_lists_of_types_are_compared_by_their_names_and_only_what_differs_is_told(
    companion: Companion,
) -> None:
    types = [kind.model_dump(mode="json") for kind in _resolved({}).ingestion.types]
    kept, changed, *gone = types
    companion.config = {"ingestion": {"types": [kept, {**changed, "examples": []}, {"name": "injury"}]}}

    (row,) = differences_from_recipe(companion)

    told = {
        kind: "".join(piece.text for piece in row.pieces if piece.kind == kind)
        for kind in ("removed", "added")
    }
    assert all(json.dumps(kind, ensure_ascii=False) in told["removed"] for kind in gone)
    assert changed["examples"][0] in told["removed"] and changed["description"] not in told["removed"]
    assert json.loads(told["added"])["name"] == "injury"
    assert f'"{kept["name"]}"' not in "".join(piece.text for piece in row.pieces)


def _resolved(config: dict[str, Any]) -> Configuration:
    return resolve_configuration(companion=config).values
