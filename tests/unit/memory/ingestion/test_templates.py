import pytest

from memory.errors import InvalidTemplate
from memory.ingestion.templates import (
    INSTRUCTIONS_EXAMPLE,
    check_instructions,
    default_instructions,
    render_instructions,
)


def test_the_prompt_that_ships_passes_its_own_check() -> None:
    check_instructions(default_instructions())


def test_a_template_reads_its_documented_variables() -> None:
    template = "{{ companion }} knows {{ user }}: {% for t in types %}{{ t.name }} {{ t.examples | join }}{% endfor %}"

    assert render_instructions(template, INSTRUCTIONS_EXAMPLE) == "Ada knows Maya: preference Likes tea"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("first line\n{% if user %}never closed", "line 2"),
        ("first\nsecond\n{{ nobody }}", "line 3: 'nobody' is undefined"),
        ("{{ user.__class__.__mro__ }}", "line 1"),
        ("{{ user | attr('__class__') }}", "attr"),
        ("{{ ''.join.__globals__ }}", "line 1"),
        ("{% for i in range(10) %}{% endfor %}", "range"),
        ("{{ 'a' * 1000000000 }}", "not available"),
        ("{{ 9 ** 999999999 }}", "not available"),
        ("{{ '%1000000000d' % 1 }}", "not available"),
        ("{% include '/etc/passwd' %}", "line 1"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "macro"),
        (
            "{% for a in user %}{% for b in user %}{% for c in user %}x{% endfor %}{% endfor %}{% endfor %}",
            "nested",
        ),
        ("{{ 'x'.ljust(300000000) }}", "ljust() is not available"),
        ("{{ '{:>300000000}'.format(1) }}", "format() is not available"),
        ("{% set a = 'x' %}{% set a = a ~ a %}{{ a }}", "set is not available"),
        ("{% with a = 'x' %}{% with a = a ~ a %}{{ a }}{% endwith %}{% endwith %}", "with is not available"),
        ("{% for t in [1] recursive %}{{ loop([1, 1]) }}{% endfor %}", "loop()"),
        ("{% for t in types recursive %}{{ t.name }}{% endfor %}", "goes over a variable"),
        ("{% for a in 'xxxxxxxxxx' %}{% endfor %}", "goes over a variable"),
        ("{{ 'aaaaaaaaaa'" + " | join('bbbbbbbbbb')" * 9 + " }}", "joins to more than 60,000"),
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "nested too deeply"),
        ("{{ " + "not " * 4000 + "1 }}", "nested too deeply"),
        ("{% if user %}" * 120 + "x" + "{% endif %}" * 120, "nested too deeply"),
        ("{{ " + "9" * 5000 + " }}", "4300 digits"),
        (r"{{ '\u0000' }}", "can't be kept"),
        (r"{{ '\ud800' }}", "can't be kept"),
        ("   ", "is empty"),
        ("x" * 30_000, "30,000 characters"),
        ("{{ 1 / 0 }}", "division"),
    ],
)
def test_a_bad_template_is_refused_with_its_line(template: str, said: str) -> None:
    with pytest.raises(InvalidTemplate) as refused:
        check_instructions(template)

    assert said in refused.value.detail
    assert refused.value.problems[0].field == "template"


def test_a_loop_may_sort_what_it_goes_over() -> None:
    template = "{% for t in types | sort(attribute='name') %}{{ loop.index }} {{ t['name'] }}{% endfor %}"

    assert render_instructions(template, INSTRUCTIONS_EXAMPLE) == "1 preference"
    check_instructions(template)


def test_a_template_that_grows_without_end_is_stopped() -> None:
    template = "{% for a in user %}{% for b in user %}" + "x" * 500 + "{% endfor %}{% endfor %}"

    with pytest.raises(InvalidTemplate, match="60,000"):
        render_instructions(template, {**INSTRUCTIONS_EXAMPLE, "user": "M" * 200})
