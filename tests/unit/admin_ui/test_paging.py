import pytest
from django.test import RequestFactory

from admin_ui.paging import page_of


@pytest.mark.parametrize(
    ("asked", "rows", "earlier", "later"),
    [
        pytest.param("", [0, 1, 2], None, "?page=2", id="the first"),
        pytest.param("?page=2", [3, 4, 5], "?page=1", "?page=3", id="in between"),
        pytest.param("?page=3", [6], "?page=2", None, id="the last"),
        pytest.param("?page=0", [0, 1, 2], None, "?page=2", id="no such page"),
        pytest.param("?page=x", [0, 1, 2], None, "?page=2", id="no number"),
        pytest.param("?page=99999999999", [0, 1, 2], None, "?page=2", id="a number too long"),
    ],
)
def test_a_page_knows_its_neighbours(
    asked: str, rows: list[int], earlier: str | None, later: str | None
) -> None:
    page = page_of(RequestFactory().get(f"/{asked}"), range(7), size=3)

    assert (list(page.rows), page.earlier, page.later) == (rows, earlier, later)


def test_the_filters_go_along_to_the_next_page() -> None:
    page = page_of(RequestFactory().get("/?text=a%26b"), range(9), size=3)

    assert page.later == "?text=a%26b&page=2"
