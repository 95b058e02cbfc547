import pytest

from admin_ui.templatetags.formatting import actor, committer, patch, spelled_dates, tone, with_id
from admin_ui.words import duration, in_words, sentence_of
from relationships.models import EndUser
from web.errors import FieldProblem, InvalidInput, NotFound


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (in_words("rate_limited"), "rate limited"),
        (in_words("<b>_"), "<b>_"),
        (sentence_of(InvalidInput.of("email", "is no email address")), "Email is no email address."),
        (sentence_of(InvalidInput.of("document", "This is no JSON")), "This is no JSON."),
        (sentence_of(InvalidInput.of("a.b", "is none")), "a.b: is none"),
        (sentence_of(InvalidInput("a: b", problems=[FieldProblem("c", "d")])), "a: b"),
        (sentence_of(NotFound("Not there: gone.")), "Not there: gone."),
        (duration(0.518), "0.52 s"),
        (duration(61), "1 minute"),
        (duration(7199), "120 minutes"),
        (duration(7200), "2 hours"),
        (duration(200_000), "2 days"),
        (spelled_dates("2026-01-05T09:00"), "5 Jan 2026, 09:00"),
        (spelled_dates("on 2026-01-05 at 09:00"), "on 5 Jan 2026 at 09:00"),
        (committer("session 01a2 <01a2@rapport.invalid>"), "agent session"),
        (committer("developer rk_1 <developer@rapport.invalid>"), "API key rk_1"),
        (committer("Zoë Ng <zoe@example.org>"), "Zoë Ng"),
        (actor("policy", "summaries"), "Rapport"),
        (actor("model", "agent"), "the agent"),
        (actor("end_user", "token"), "the person"),
        (actor("developer", "rk_<1>"), "API key <bdi>rk_&lt;1&gt;</bdi>"),
        (in_words("needs_review"), "awaiting review"),
        (with_id(EndUser(external_id="u-17", display_name="Maya")), "Maya (u-17)"),
        (with_id(EndUser(external_id="u-17")), "u-17"),
    ],
)
def test_codes_times_and_names_are_read_as_words(said: str, read: str) -> None:
    assert said == read


def test_a_state_that_is_neither_good_nor_bad_has_the_tone_that_the_page_gives_it() -> None:
    assert [tone("done"), tone("failed", "info"), tone("pending", "info"), tone("pending")] == [
        "good",
        "bad",
        "info",
        "",
    ]


def test_a_files_change_is_told_line_by_line_without_its_heading() -> None:
    shown = patch("--- a/plan.md\n+++ b/plan.md\n@@ -1,2 +1,2 @@\n one\n-<two>\n+zwei\n")

    assert "plan.md" not in shown
    assert " one\n<del>-&lt;two&gt;\n</del><ins>+zwei\n</ins></pre>" in shown
