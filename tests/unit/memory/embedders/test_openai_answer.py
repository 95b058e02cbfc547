import base64
import struct

import pytest
from pydantic import ValidationError

from memory.embedders.openai_answer import EmbeddingsAnswer
from memory.providers.errors import InvalidVectors


def test_base64_is_read_as_small_floats() -> None:
    packed = base64.b64encode(struct.pack("<3f", 1, -2, 0.5)).decode()

    [row] = EmbeddingsAnswer.model_validate({"data": [{"embedding": packed, "index": 0}]}).rows()

    assert row.tolist() == [1, -2, 0.5]


def test_without_numbers_the_order_counts() -> None:
    answer = EmbeddingsAnswer.model_validate({"data": [{"embedding": [1]}, {"embedding": [2]}]})

    assert answer.rows() == [[1], [2]]


@pytest.mark.parametrize("numbers", [[0, 2], [1, 2], [0, 0], [0, None]], ids=str)
def test_a_numbering_that_fits_no_texts_is_refused(numbers: list[int | None]) -> None:
    data = [{"embedding": [1], "index": number} for number in numbers]

    with pytest.raises(InvalidVectors):
        EmbeddingsAnswer.model_validate({"data": data}).rows()


def test_nulls_are_borne_and_a_wrong_shape_is_not() -> None:
    assert EmbeddingsAnswer.model_validate({"data": None, "usage": None}).rows() == []
    with pytest.raises(ValidationError):
        EmbeddingsAnswer.model_validate({"data": [{"embedding": {"values": [1]}}]})
