import pytest
from pydantic import ValidationError

from context.api.schemas import ContextBody


def test_an_empty_body_asks_for_the_default_session() -> None:
    body = ContextBody()

    assert (body.message, body.session, body.config, body.format, body.explain) == (
        None,
        None,
        {},
        None,
        False,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"message": 5},
        {"message": ""},
        {"session": "a/b"},
        {"session": ""},
        {"explain": "yes"},
        {"config": []},
        {"x": 1},
    ],
)
def test_what_is_wrong_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ContextBody.model_validate(wrong)
