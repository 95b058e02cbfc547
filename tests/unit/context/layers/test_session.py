from context.layers.base import NOTHING
from context.layers.session import SessionLayer
from tests.fixtures.contexts import layer_request


def test_the_sessions_state_stands_as_lines_inside_a_fence() -> None:
    text = SessionLayer("session").render(layer_request(session_state={"page": 3, "draft": None})).text

    assert text.splitlines()[1:] == ["<rapport_session>", "- page: 3", "- draft: null", "</rapport_session>"]


def test_a_session_without_state_is_nothing() -> None:
    assert SessionLayer("session").render(layer_request()) is NOTHING


def test_a_state_that_does_not_fit_is_left_out_visibly() -> None:
    settings = {"layers": {"session": {"budget": 10}}}

    rendered = SessionLayer("session").render(layer_request(session_state={"page": 3}, context=settings))

    assert rendered.text == ""
    assert rendered.left_out is not None and rendered.left_out.ids == ["page"]
