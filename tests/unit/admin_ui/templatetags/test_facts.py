from datetime import timedelta

import pytest
from django.utils import timezone

from admin_ui.templatetags.facts import age, codes, details


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=1, seconds=5), "1 minute ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=12), "12 days ago"),
        (timedelta(days=70), "2 months ago"),
        (timedelta(days=800), "2 years ago"),
        (timedelta(days=-3), "in the future"),
    ],
)
def test_an_age_is_said_in_words(ago: timedelta, said: str) -> None:
    shown = age(timezone.now() - ago)

    assert f">{said}</time>" in shown
    assert 'datetime="20' in shown


def test_details_are_one_line_without_what_is_empty() -> None:
    assert (
        details({"fields": ["name", "slug"], "none": [], "version": 2, "note": "", "operator": 7})
        == "fields: name, slug; version: 2"
    )


def test_counts_of_details_are_read_as_a_sentence() -> None:
    assert details({"erased": {"memory_entry": 3, "turn": 1}}) == "erased: 3 memory entry, 1 turn"


def test_a_long_list_of_details_is_cut() -> None:
    assert (
        details({"messages": list(range(14))}) == "messages: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`best`: how <much>", "<code>best</code>: how &lt;much&gt;"),
        ("one ` alone", "one ` alone"),
        ("", ""),
    ],
    ids=["code", "unpaired", "empty"],
)
def test_names_between_backticks_are_code(text: str, shown: str) -> None:
    assert codes(text) == shown
