"""What a person, a developer or a document says is read in time that grows with it, whatever it says."""

import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from context.knowledge.chunking import MOST_JOINED, cut_document
from context.knowledge.parsing.base import Block
from context.text import fenced_data
from memory.errors import InvalidTemplate
from memory.fence import cut_fenced, escape_item, fence
from memory.indexing.text import LONGEST_RUN, without_names, words_for_index
from memory.ingestion.template_sandbox import MAX_STEPS
from memory.ingestion.templates import (
    GUIDANCE_EXAMPLE,
    MAX_TEMPLATE_CHARACTERS,
    check_guidance,
    render_guidance,
)
from memory.normal_form import PIECE, normal_form
from memory.providers.base import IngestionMaterial, NumberedMessage
from memory.providers.offline.rules import read_messages
from tests.growth import MOST, growth

TEXTS: dict[str, Callable[[int], str]] = {
    "spaces": lambda size: "a" + " " * size + "b",
    "line ends": lambda size: "a" + "\n" * size + "b",
    "no-break spaces": lambda size: "\u00a0" * size,
    "marks out of order": lambda size: "\u0301\u0323" * (size // 2),
    "underscores": lambda size: "a_" * (size // 2),
    "open fences": lambda size: "<rapport_memory>" * (size // 16),
    "closed fences": lambda size: "<rapport_memory>a</rapport_memory>" * (size // 34),
    "quotation marks": lambda size: " '" * (size // 2),
    "code marks": lambda size: "``` " * (size // 4),
    "commas": lambda size: "I like a" + ", " * (size // 2),
    "please": lambda size: "".join(f"{'please ' * 280} {n}.\n" for n in range(size // 1970)),
    "sentences": lambda size: "".join(f"I like tea number {n}.\n" for n in range(size // 24)),
}
WORK: dict[str, Callable[[str], object]] = {
    "index": words_for_index,
    "names": lambda text: without_names(text, ["Ada", "Maya Long"]),
    "cut": cut_fenced,
    "fence": lambda text: fence([text]),
    "item": escape_item,
    "rules": lambda text: read_messages(material(text)),
}


def material(text: str) -> IngestionMaterial:
    message = NumberedMessage(1, "user", "Maya", text, datetime(2026, 3, 2, tzinfo=UTC))
    return IngestionMaterial((), (message,), "UTC", ("preference", "other"), "Maya")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_message_of_any_sort_is_read_in_time_that_grows_with_it(
    work: Callable[[str], object], text: Callable[[int], str]
) -> None:
    assert growth(work, text, size=16_000) < MOST


def test_a_sentence_that_only_asks_please_is_soon_given_up() -> None:
    """Three loops over the same word took the cube of their number; a sentence has 2,000 characters at the most."""
    assert (
        growth(lambda text: read_messages(material(text)), lambda size: "please " * size + "x.", size=70)
        < MOST
    )


def test_what_the_index_is_given_has_no_long_run() -> None:
    """PostgreSQL's parser takes the square of a run, for `_` and `~` in it, and of a comment that never ends."""
    words = words_for_index("a_" * 10_000 + " ~/" * 100 + "<!-- " * 1000 + "é_" * 1000)

    assert max(map(len, words.split())) <= LONGEST_RUN
    assert "<!--" not in words


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_a_normal_form_in_pieces_is_that_of_the_whole(form: str) -> None:
    text = "Cafe\u0301 ﬁne. " * PIECE
    assert normal_form(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


def test_a_long_name_is_not_written_out_for_each_value_below_it() -> None:
    def render(data: dict[str, object]) -> str:
        return fenced_data(data, what="profile", intro="Known.", budget=2000)[0]

    def wide(size: int) -> dict[str, object]:
        return {"k" * (size // 2): {f"a{n}": 1 for n in range(size // 20)}}

    assert growth(render, wide, size=60_000) < MOST


@pytest.mark.parametrize(
    "unit", ["a", "一", "\u0301", "a\n", "a. "], ids=["run", "han", "marks", "lines", "sentences"]
)
def test_a_document_is_cut_in_time_that_grows_with_it(unit: str) -> None:
    def cut(text: str) -> object:
        return cut_document([Block(text)], tokens=400, overlap=200)

    assert growth(cut, lambda size: unit * (size // len(unit)), size=500_000) < MOST


def test_marks_without_end_are_cut_too() -> None:
    chunks = cut_document([Block("a" + "\u0301" * 10_000)], tokens=100, overlap=0)

    assert max(len(chunk.content) for chunk in chunks) < 4 * 100 + 8 * MOST_JOINED


TYPES = [{"name": f"n{n}", "description": "d" * 500, "examples": ["e" * 500] * 10} for n in range(30)]


def filled(before: str, unit: str, after: str) -> str:
    return before + unit * ((MAX_TEMPLATE_CHARACTERS - len(before) - len(after)) // len(unit)) + after


@pytest.mark.parametrize(
    "template",
    [
        filled("{% for a in types %}{% for b in a.description %}", "{{ '' }}", "{% endfor %}{% endfor %}"),
        filled("{{ (", "types ~ ", "types) | length }}"),
        filled(
            "{% for a in types %}{% for b in types %}",
            "{{ '' if types | lower }}",
            "{% endfor %}{% endfor %}",
        ),
        filled(
            "{% for a in types %}{% for b in types[0].description %}",
            "{{ '' if user in b }}",
            "{% endfor %}{% endfor %}",
        ),
        filled("{{ [", "types[0].description | join(types[0].description[:100]), ", "1] | length }}"),
    ],
    ids=["loops", "put together", "filters", "comparisons", "joins"],
)
def test_a_template_that_takes_too_many_steps_is_given_up_and_says_so(template: str) -> None:
    with pytest.raises(InvalidTemplate, match=f"line 1: takes more than {MAX_STEPS:,} steps"):
        render_guidance(template, {**GUIDANCE_EXAMPLE, "types": TYPES})


def test_filters_one_behind_the_other_are_compiled_in_time_that_grows_with_them() -> None:
    def check(count: int) -> None:
        check_guidance("{{ user" + " | title" * count + " }}")

    assert growth(check, int, size=40) < MOST


def test_thirty_types_with_their_examples_are_well_within_the_steps() -> None:
    types = [{**one, "description": "d" * 50, "examples": ["e" * 50] * 10} for one in TYPES]
    template = (
        "{% for type in types | sort(attribute='name') %}- {{ type.name | upper }}: {{ type.description }}"
        "{% if type.examples %} ({{ type.examples | join('; ') }}){% endif %}"
        "{% for example in type.examples %}{{ loop.index ~ ': ' ~ example }}{% endfor %}\n{% endfor %}"
    )

    assert len(render_guidance(template, {**GUIDANCE_EXAMPLE, "types": types})) > 30_000
