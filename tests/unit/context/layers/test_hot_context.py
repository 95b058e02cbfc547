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
            ],
            [],
        ),
        (75, ["\\# Hot context", "\\## Health", "Sleeps badly"], ["line 1", "line 3"]),
        (60, [], ["line 1", "line 2", "line 3"]),
    ],
    ids=["whole", "one line", "none"],
)
def test_a_heading_stands_only_over_something(budget: int | None, shown: list[str], left: list[str]) -> None:
    settings = {"layers": {"hot_context": {"budget": budget}}}

    rendered = HotContextLayer("hot_context").render(layer_request(context=settings, hot_context=NOTES))

    assert rendered.text.splitlines()[2:-1] == shown
    assert list(rendered.left_out.ids if rendered.left_out else []) == left
    assert 60 < rendered.least <= 75
