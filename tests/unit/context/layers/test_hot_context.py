import pytest

from context.layers.hot_context import HotContextLayer
from tests.fixtures.contexts import layer_request

NOTES = """# Hot context

## Health
Is recovering from a sprained ankle, and may run again in a week or two
Sleeps badly

## Plans
Half marathon in March, the first one, with a sister who has run several before
# Then
"""


@pytest.mark.parametrize(
    ("budget", "shown", "left"),
    [
        (
            None,
            [
                *("\\# Hot context", "\\## Health"),
                "Is recovering from a sprained ankle, and may run again in a week or two",
                *("Sleeps badly", "\\## Plans"),
                "Half marathon in March, the first one, with a sister who has run several before",
                "\\# Then",
            ],
            [],
        ),
        (75, ["\\# Hot context", "\\## Health", "Sleeps badly"], ["line 1", "line 3"]),
        (60, [], ["line 1", "line 2", "line 3"]),
    ],
    ids=["whole", "one line", "none"],
)
def test_a_short_budget_leaves_no_heading_over_nothing(
    budget: int | None, shown: list[str], left: list[str]
) -> None:
    settings = {"layers": {"hot_context": {"budget": budget}}}

    rendered = HotContextLayer("hot_context").render(layer_request(context=settings, hot_context=NOTES))

    assert rendered.text.splitlines()[2:-1] == shown
    assert list(rendered.left_out.ids if rendered.left_out else []) == left
    assert 60 < rendered.least <= 75


@pytest.mark.parametrize("notes", ["# Maya\n\n## Allergic to peanuts\n", "# Maya\n- Runs\n#1 Call Ana back"])
def test_what_is_written_as_a_heading_alone_is_shown(notes: str) -> None:
    rendered = HotContextLayer("hot_context").render(layer_request(hot_context=notes))

    shown = [line.removeprefix("\\") for line in rendered.text.splitlines()[2:-1]]
    assert shown == [line for line in notes.splitlines() if line]
