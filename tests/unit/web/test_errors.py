from web.errors import FieldProblem, InvalidConfiguration, InvalidInput, TooMuch


def test_an_invalid_input_names_its_field_in_its_sentence_and_beside_it() -> None:
    error = InvalidInput.of("timezone", "is not known")
    assert str(error) == "timezone: is not known"
    assert error.problems == (FieldProblem("timezone", "is not known"),)


def test_a_configuration_names_all_its_faults_at_once() -> None:
    error = InvalidConfiguration(
        [FieldProblem("recipe", "is not known"), FieldProblem("context.order", "is empty")]
    )
    assert error.detail == "recipe: is not known; context.order: is empty"
    assert error.code == "invalid_configuration"


def test_what_goes_beyond_the_sentence_is_carried_along() -> None:
    assert TooMuch("The body is too long.", limit=1024).extra == {"limit": 1024}
