"""A template's work is counted, whatever it does to its variables."""

import pytest

from memory.errors import InvalidTemplate
from memory.ingestion.template_sandbox import MAX_STEPS
from memory.ingestion.templates import (
    INSTRUCTIONS_EXAMPLE,
    MAX_TEMPLATE_CHARACTERS,
    check_instructions,
    render_instructions,
)
from tests.growth import MOST, growth

TYPES = [{"name": f"n{n}", "description": "d" * 500, "examples": ["e" * 500] * 10} for n in range(30)]


def filled(before: str, unit: str, after: str) -> str:
    return before + unit * ((MAX_TEMPLATE_CHARACTERS - len(before) - len(after)) // len(unit)) + after


@pytest.mark.parametrize(
    "template",
    [
        filled("{% for a in types %}{% for b in a.description %}", "{{ '' }}", "{% endfor %}{% endfor %}"),
        filled("{{ (", "types ~ ", "types) | length }}"),
        filled(
            "{% for a in types %}{% for b in types %}",
            "{{ '' if types | lower }}",
            "{% endfor %}{% endfor %}",
        ),
        filled(
            "{% for a in types %}{% for b in types[0].description %}",
            "{{ '' if user in b }}",
            "{% endfor %}{% endfor %}",
        ),
        filled("{{ [", "types[0].description | join(types[0].description[:100]), ", "1] | length }}"),
    ],
    ids=["loops", "put together", "filters", "comparisons", "joins"],
)
def test_a_template_that_takes_too_many_steps_is_given_up_and_says_so(template: str) -> None:
    with pytest.raises(InvalidTemplate, match=f"line 1: takes more than {MAX_STEPS:,} steps"):
        render_instructions(template, {**INSTRUCTIONS_EXAMPLE, "types": TYPES})


def test_filters_one_behind_the_other_are_compiled_in_time_that_grows_with_them() -> None:
    def check(count: int) -> None:
        check_instructions("{{ user" + " | title" * count + " }}")

    assert growth(check, int, size=40) < MOST


def test_thirty_types_with_their_examples_are_well_within_the_steps() -> None:
    types = [{**one, "description": "d" * 50, "examples": ["e" * 50] * 10} for one in TYPES]
    template = (
        "{% for type in types | sort(attribute='name') %}- {{ type.name | upper }}: {{ type.description }}"
        "{% if type.examples %} ({{ type.examples | join('; ') }}){% endif %}"
        "{% for example in type.examples %}{{ loop.index ~ ': ' ~ example }}{% endfor %}\n{% endfor %}"
    )

    assert len(render_instructions(template, {**INSTRUCTIONS_EXAMPLE, "types": types})) > 30_000


def test_each_rendering_counts_for_itself() -> None:
    template = "{% for type in types %}{{ type.name | upper ~ '!' }}{% endfor %}"
    many = {**INSTRUCTIONS_EXAMPLE, "types": TYPES}

    rendered = {render_instructions(template, many) for _ in range(MAX_STEPS // 1000)}

    assert len(rendered) == 1
