import pytest
from django.test import RequestFactory

from relationships.api.etag import etag, expected_version, require_match
from relationships.errors import InvalidInput, StaleVersion


def test_a_tag_comes_back_as_its_version() -> None:
    request = RequestFactory().patch("/", headers={"if-match": etag(17)})

    assert expected_version(request) == 17


@pytest.mark.parametrize("headers", [{}, {"if-match": "*"}])
def test_without_a_tag_any_version_will_do(headers: dict[str, str]) -> None:
    request = RequestFactory().patch("/", headers=headers)

    assert expected_version(request) is None
    require_match(request, 5)


@pytest.mark.parametrize("tag", ["", "17", '"x"', 'W/"1"', '"1","2"', '""', '"²"'])
def test_what_we_never_gave_out_is_refused(tag: str) -> None:
    with pytest.raises(InvalidInput):
        expected_version(RequestFactory().patch("/", headers={"if-match": tag}))


def test_another_version_is_stale() -> None:
    request = RequestFactory().patch("/", headers={"if-match": '"3"'})

    require_match(request, 3)
    with pytest.raises(StaleVersion) as caught:
        require_match(request, 4)
    assert caught.value.extra == {"current_version": 4}
