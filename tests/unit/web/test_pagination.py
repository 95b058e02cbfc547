import pytest
from hypothesis import given
from hypothesis import strategies as st

from relationships.models import EndUser, Project
from web.errors import InvalidInput
from web.fields import PageQuery
from web.pagination import page_of


def names(project: Project, order: list[str], limit: int) -> list[list[str]]:
    """Every page from the first to the last."""
    pages: list[list[str]] = []
    cursor = None
    while True:
        page = page_of(
            EndUser.objects.of_project(project.id),
            order=order,
            page=PageQuery(limit=limit, cursor=cursor),
            present=lambda user: user.external_id,
        )
        pages.append(page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return pages


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (["external_id"], ["a", "b", "c", "d", "e"]),
        (["-external_id"], ["e", "d", "c", "b", "a"]),
        (["display_name", "-external_id"], ["d", "b", "a", "e", "c"]),
        (["-display_name", "version", "external_id"], ["c", "e", "a", "b", "d"]),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 5, 200])
def test_pages_hold_every_row_once_and_in_order(
    project: Project, order: list[str], expected: list[str], limit: int
) -> None:
    for name, shown in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "x"), ("e", "y")]:
        EndUser.objects.create(project=project, external_id=name, display_name=shown)

    pages = names(project, order, limit)

    assert [name for page in pages for name in page] == expected
    assert all(len(page) == limit for page in pages[:-1])


def test_a_row_added_before_the_cursor_moves_nothing(project: Project) -> None:
    for name in "bdf":
        EndUser.objects.create(project=project, external_id=name)
    rows = EndUser.objects.of_project(project.id)
    first = page_of(rows, order=["external_id"], page=PageQuery(limit=2), present=str)

    EndUser.objects.create(project=project, external_id="a")
    rest = page_of(
        rows, order=["external_id"], page=PageQuery(limit=2, cursor=first["next_cursor"]), present=str
    )

    assert rest == {"items": ["f"], "next_cursor": None}


@given(st.text(max_size=40))
def test_a_cursor_we_never_gave_is_named(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        page_of(
            EndUser.objects.none(),
            order=["-created_at", "-id"],
            page=PageQuery.model_construct(limit=5, cursor=cursor),
            present=str,
        )
