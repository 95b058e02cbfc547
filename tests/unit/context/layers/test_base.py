import pytest

from context.layers.base import LISTED, Layer, left_out
from tests.fixtures.contexts import layer_request


def test_what_was_left_out_is_counted_in_full_and_named_in_part() -> None:
    note = left_out([f"entry {place}" for place in range(50)])

    assert note is not None
    assert (note.count, len(note.ids)) == (50, LISTED)
    assert left_out([]) is None


def test_a_layers_budget_is_looked_up_by_the_name_the_configuration_calls_it() -> None:
    request = layer_request(context={"layers": {"memory": {"budget": 70}}})

    assert request.budget_of(Layer("memory")) == 70
    assert request.budget_of(Layer("core")) is None


def test_a_layer_must_say_what_it_renders() -> None:
    with pytest.raises(NotImplementedError):
        Layer("core").render(layer_request())
