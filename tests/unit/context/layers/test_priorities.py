from context.layers.base import NOTHING
from context.layers.priorities import PrioritiesLayer
from tests.fixtures.contexts import layer_request


def test_priorities_stand_one_a_line_in_their_order() -> None:
    request = layer_request(context={"priorities": ["Call her {user}.", "Never\nlecture."]})

    rendered = PrioritiesLayer("priorities").render(request)

    assert rendered.text == "Before everything else:\n- Call her Maya.\n- Never lecture."


def test_without_priorities_there_is_nothing() -> None:
    assert PrioritiesLayer("priorities").render(layer_request()) is NOTHING


def test_over_budget_the_last_priorities_go() -> None:
    settings = {
        "priorities": ["Be kind.", "Be brief.", "Be exact."],
        "layers": {"priorities": {"budget": 13}},
    }

    rendered = PrioritiesLayer("priorities").render(layer_request(context=settings))

    assert rendered.text == "Before everything else:\n- Be kind.\n- Be brief."
    assert rendered.left_out is not None and rendered.left_out.ids == ["priority 3"]
