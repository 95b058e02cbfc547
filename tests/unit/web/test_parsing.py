import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from tests.growth import MOST, growth
from web.errors import MOST_PROBLEMS, InvalidInput, TooMuch
from web.parsing import parse_object, parse_text

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


SHAPES: dict[str, Callable[[int], bytes]] = {
    "a name over and over": lambda size: b"{%b}" % b",".join([b'"a":1'] * (size // 6)),
    "names twice each": lambda size: b"{%b}" % b",".join(b'"a%d":1' % (n // 2) for n in range(size // 9)),
    "objects of names twice": lambda size: b'{"x":[%b]}' % b",".join([b'{"a":1,"a":2}'] * (size // 14)),
    "a long name above them": lambda size: (
        b'{"%b":[%b]}' % (b"k" * (size // 2), b",".join([b'{"a":1,"a":2}'] * (size // 28)))
    ),
    "a long name above a NUL": lambda size: (
        b'{"%b":[%b,"\\u0000"]}' % (b"k" * (size // 2), b",".join([b'""'] * (size // 6)))
    ),
    "a long name above a large number": lambda size: (
        b'{"%b":[%b,1e999]}' % (b"k" * (size // 2), b",".join([b"1"] * (size // 4)))
    ),
    "large numbers": lambda size: b'{"a":[%b]}' % b",".join([b"1e999"] * (size // 6)),
    "digits": lambda size: b'{"a":%b}' % (b"9" * size),
    "decimals": lambda size: b'{"a":0.%b}' % (b"9" * size),
    "brackets": lambda size: b'{"a":%b' % (b"[" * size),
    "empty lists and a NUL": lambda size: b'{"a":[%b],"b":"\\u0000"}' % b",".join([b"[]"] * (size // 3)),
    "NULs": lambda size: b'{"a":"%b"}' % (b"\\u0000" * (size // 6)),
}


def answer_to(raw: bytes) -> InvalidInput | TooMuch | None:
    try:
        parse_object(raw)
    except (InvalidInput, TooMuch) as error:
        return error
    return None


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_body_is_read_in_time_that_grows_as_it_does(shape: Callable[[int], bytes]) -> None:
    assert growth(answer_to, shape, size=80_000) < MOST


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_what_is_said_of_a_body_is_short_whatever_was_sent(shape: Callable[[int], bytes]) -> None:
    error = answer_to(shape(100_000))

    if error is not None:
        assert len(error.problems) <= MOST_PROBLEMS
        assert len(error.detail) + sum(len(line.field) + len(line.detail) for line in error.problems) < 20_000


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ("{", "", "This text: is not JSON"),
        ("{", "draft", "draft: is not JSON"),
        ("[]", "draft", "draft: send a JSON object"),
        ('{"a": {"b": 1, "b": 2}}', "", "a.b: stands twice"),
        ('{"a": {"b": 1, "b": 2}}', "draft", "draft.a.b: stands twice"),
        ('{"a": "\ud800"}', "draft", "draft: is not UTF-8"),
    ],
)
def test_what_is_wrong_with_the_text_of_a_field_is_said_of_the_field(
    text: str, field: str, said: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_text(text, field=field)
    assert refused.value.detail.startswith(said)
