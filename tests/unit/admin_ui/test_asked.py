from uuid import UUID

import pytest

from admin_ui.asked import needed_version_in, pretty, text_in, uuid_in, version_in
from relationships.errors import InvalidInput


def test_a_text_comes_without_what_surrounds_it_and_without_nul() -> None:
    assert text_in({"person": " May\x00a "}, "person") == "Maya"
    assert text_in({"person": "Maya"}, "person", limit=2) == "Ma"
    assert text_in({}, "person") == ""


@pytest.mark.parametrize("text", ["", "no id", "1234", "\x00"])
def test_what_is_no_id_names_nothing(text: str) -> None:
    assert uuid_in(text) is None
    assert uuid_in(str(UUID(int=7))) == UUID(int=7)


@pytest.mark.parametrize("sent", [{}, {"version": "x"}, {"version": "-1"}, {"version": "9" * 30}])
def test_a_version_is_a_small_whole_number(sent: dict[str, str]) -> None:
    assert version_in(sent) is None
    assert version_in({"version": "12"}) == 12
    with pytest.raises(InvalidInput, match="open the page anew"):
        needed_version_in(sent)


def test_json_is_shown_in_its_own_script() -> None:
    assert pretty({"name": "ö"}) == '{\n  "name": "ö"\n}'
