from typing import Annotated

from pydantic import Field, create_model

from web.docstrings import Described


class Tea(Described):
    sort: str
    """Green or black.

    Or white.
    """
    cups: int = 1
    sugar: Annotated[int, Field(description="How sweet.")] = 0
    """This text is not shown."""
    of: "Tea | None" = None
    """What it is mixed with."""


class Iced(Tea):
    cups: int = 2
    """Large ones."""


def test_a_docstring_is_its_fields_description() -> None:
    fields = Iced.model_json_schema()["properties"]
    assert {name: field.get("description") for name, field in fields.items()} == {
        "sort": "Green or black.\n\nOr white.",
        "cups": "Large ones.",
        "sugar": "How sweet.",
        "of": "What it is mixed with.",
    }
    assert "description" not in Iced.model_json_schema()["$defs"]["Tea"]["properties"]["cups"]


def test_a_class_in_a_function_has_them_too_and_one_without_source_has_none() -> None:
    class Local(Described):
        sort: str
        """Green or black."""

    made = create_model("Made", __base__=Described, __module__="sys", sort=(str, "green"))
    assert Local.model_json_schema()["properties"]["sort"]["description"] == "Green or black."
    assert "description" not in made.model_json_schema()["properties"]["sort"]


def test_nobody_looks_for_them_before_a_schema_is_made() -> None:
    """As it would take a tenth of every start."""
    kinds = [Described]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert [kind for kind in kinds if kind.model_config.get("use_attribute_docstrings")] == []
    assert len(kinds) > 250
