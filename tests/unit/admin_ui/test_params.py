from uuid import UUID

import pytest

from admin_ui.params import parse_uuid, pretty, required_version, text_param, version_param
from web.errors import InvalidInput


def test_a_text_comes_without_what_surrounds_it_and_without_nul() -> None:
    assert text_param({"person": " May\x00a "}, "person") == "Maya"
    assert text_param({"person": "Maya"}, "person", limit=2) == "Ma"
    assert text_param({}, "person") == ""


@pytest.mark.parametrize("text", ["", "no id", "1234", "\x00"])
def test_what_is_no_id_names_nothing(text: str) -> None:
    assert parse_uuid(text) is None
    assert parse_uuid(str(UUID(int=7))) == UUID(int=7)


@pytest.mark.parametrize("sent", [{}, {"version": "x"}, {"version": "-1"}, {"version": "9" * 30}])
def test_a_version_is_a_small_whole_number(sent: dict[str, str]) -> None:
    assert version_param(sent) is None
    assert version_param({"version": "12"}) == 12
    with pytest.raises(InvalidInput, match="open the page anew"):
        required_version(sent)


def test_json_is_shown_in_its_own_script() -> None:
    assert pretty({"name": "ö"}) == '{\n  "name": "ö"\n}'
