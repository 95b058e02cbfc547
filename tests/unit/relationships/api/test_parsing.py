import json
import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from relationships.api.parsing import parse_object
from relationships.api.problems import MalformedBody
from relationships.errors import InvalidInput, TooMuch

kept_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
kept_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e18, 1e18) | kept_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(kept_text, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(kept_text, kept_json, max_size=4), st.booleans())
def test_what_can_be_kept_is_read_as_it_was_meant(value: dict[str, object], ascii_only: bool) -> None:
    assert parse_object(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_in_our_own_words(raw: bytes) -> None:
    try:
        assert isinstance(parse_object(raw), dict)
    except (InvalidInput, TooMuch) as error:
        assert error.detail


@given(st.text(st.sampled_from(["\x00", "\ud83d", "\ude00", "a", "é", "\\", "u", "0"]), max_size=8))
def test_a_text_that_can_not_be_kept_never_comes_through(text: str) -> None:
    raw = json.dumps({"a": [text]}).encode()
    meant = json.loads(raw)["a"][0]  # two halves of a pair that meet are one character

    if re.search("[\x00\ud800-\udfff]", meant):
        with pytest.raises(InvalidInput) as caught:
            parse_object(raw)
        assert caught.value.problems[0].field == "a.0"
    else:
        assert parse_object(raw) == {"a": [meant]}


def test_the_depth_is_counted_from_the_body_itself(settings: Settings) -> None:
    settings.MAX_JSON_DEPTH = 3

    assert parse_object(b'{"a": {"b": [1, 2]}}') == {"a": {"b": [1, 2]}}
    with pytest.raises(TooMuch, match="more than 3 deep"):
        parse_object(b'{"a": {"b": [[1]]}}')


def test_brackets_inside_a_text_are_no_depth(settings: Settings) -> None:
    settings.MAX_JSON_DEPTH = 3

    assert parse_object(b'{"a": "[[[[[[[[{{{{{{"}') == {"a": "[[[[[[[[{{{{{{"}


def test_wide_is_not_deep() -> None:
    assert len(parse_object(json.dumps({"a": [[] for _ in range(1000)]}).encode())["a"]) == 1000


def test_every_place_of_a_repeated_name_is_found() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_object(b'{"x": [{"a": 1, "a": 2}], "y": {"b": 1, "b": 1}}')

    assert [problem.field for problem in caught.value.problems] == ["x.0.a", "y.b"]


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(MalformedBody, match="line 2 column 3"):
        parse_object(b'{"a": 1,\n  b}')


def test_many_names_that_stand_twice_are_found_in_one_look() -> None:
    """Each compared with each, it would be minutes in which no other request of this process is answered."""
    twice = ",".join(f'"{number}":0,"{number}":0' for number in range(40_000))
    began = process_time()

    with pytest.raises(InvalidInput, match="A name stands twice in one object"):
        parse_object(f"{{{twice}}}".encode())

    assert process_time() - began < 5
