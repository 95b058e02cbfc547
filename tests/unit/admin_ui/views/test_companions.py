import html
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from relationships.models import AuditEvent, Companion
from tests.fixtures.markup import squeezed
from tests.unit.admin_ui.test_config_form import sent_by


@pytest.fixture
def page(companion: Companion) -> str:
    return f"/admin-ui/companions/{companion.id}/"


def now(companion: Companion) -> Companion:
    return Companion.objects.get(id=companion.id)


def form(companion: Companion, **changed: str) -> dict[str, str]:
    return sent_by(companion, **changed) | {"version": str(companion.version)}


def test_a_companions_configuration_is_a_form(
    viewer: Client, page: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(12):
        shown = squeezed(viewer.get(page))

    assert 'name="ingestion.max_batch"' in shown
    assert 'name="ingestion.types.0.examples"' in shown
    assert "How many waiting turns one model call may read." in shown
    assert ">Review changes<" not in shown
    first, advanced = shown.split('id="advanced"')
    assert re.findall("<h2>([^<]+)</h2>", first) == [
        "Personality",
        "Model",
        "Prompt",
        "Behaviours",
        "Recipe",
    ]
    assert "Retrieve when" in advanced
    assert not re.findall(r"<label for=[^>]*>[^<]*[_:]\w", advanced)
    assert not re.findall(r"<input type=\"checkbox\"[^>]*>[^<]*_\w", advanced)
    assert ">Hot context</label>" in advanced


def test_a_change_is_shown_before_it_is_saved_and_told_in_the_audit(
    editor: Client, page: str, companion: Companion
) -> None:
    review = squeezed(editor.post(page, form(companion, ingestion__max_batch="3")))

    assert re.search(r"Turns in one model call, at most</strong>.*<del>8</del>→<ins>3</ins>", review)
    assert "1 change<" in review
    assert now(companion).config == companion.config
    (config,) = re.findall(r"<textarea name=\"config\"[^>]*>([^<]*)</textarea>", review)
    sent = {"config": html.unescape(config), "version": str(companion.version)}
    again = editor.post(page, sent | {"do": "edit"}).content.decode()
    assert "These values are not saved yet." in again
    assert re.search(r'name="ingestion.max_batch"[^>]*value="3"', again)
    editor.post(page, sent | {"do": "save"})
    assert now(companion).config["ingestion"]["max_batch"] == 3
    event = AuditEvent.objects.get(action="companion.changed")
    assert event.actor_id == "editor@example.org"


def test_what_the_schema_refuses_is_said_beside_its_field_and_nothing_is_stored(
    editor: Client, page: str, companion: Companion
) -> None:
    answer = editor.post(
        page, form(companion, ingestion__max_batch="900", ingestion__single_valued="Not a key!")
    )

    shown = answer.content.decode()
    assert answer.status_code == 422
    assert "Nothing was saved." in shown
    assert "less than or equal to 50" in shown
    assert now(companion).config == companion.config


@pytest.mark.parametrize("do", ["save", "edit", ""])
@pytest.mark.parametrize(
    ("config", "said"),
    [
        (r'{"context": {"core_prompt": "a\u0000b"}}', "NUL"),
        (r'{"context": {"core_prompt": "a\ud800b"}}', "surrogate"),
        ('{"ingestion": {"max_batch": %s}}' % ("9" * 30), "too large"),
        ('{"recipe": "scratchpad", "recipe": "archive"}', "twice"),
        ("[" * 5000, "nested"),
        (None, "too large"),
    ],
    ids=["NUL", "surrogate", "large", "twice", "deep", "the form"],
)
def test_what_no_call_would_accept_is_refused_in_words(
    editor: Client, page: str, companion: Companion, config: str | None, said: str, do: str
) -> None:
    sent = form(companion, ingestion__max_batch="9" * 30) if config is None else {"config": config}

    answer = editor.post(page, sent | {"version": str(companion.version), "do": do})

    assert answer.status_code == 422 and said in answer.content.decode()
    assert now(companion).config == companion.config


def test_a_form_that_is_behind_is_shown_beside_what_holds_and_overwrites_only_then(
    editor: Client, page: str, companion: Companion
) -> None:
    stale = form(companion, ingestion__max_batch="3") | {"do": "save"}
    editor.post(page, {"recipe": "scratchpad", "version": "1", "do": "save"})

    answer = editor.post(page, stale)

    shown = answer.content.decode()
    assert answer.status_code == 409
    assert "Somebody else changed this companion" in shown and "<ins>3</ins>" in shown
    assert "max_batch" not in now(companion).config.get("ingestion", {})
    kept = {
        name: html.unescape(found[1])
        for name, found in {
            "version": re.search(r'name="version" value="(\d+)"', shown),
            "config": re.search(r'name="config"[^>]*>([^<]*)<', shown),
        }.items()
        if found
    }
    editor.post(page, {**kept, "do": "save"})
    assert now(companion).config["ingestion"]["max_batch"] == 3


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"name": "", "slug": "x"}, 422),
        ({"name": "Ada", "slug": "ada"}, 409),
        ({"name": "Ada", "slug": "My coach"}, 422),
    ],
)
def test_a_companion_that_can_not_be_made_is_refused_in_words(
    editor: Client, companion: Companion, sent: dict[str, str], status: int
) -> None:
    answer = editor.post("/admin-ui/companions/", sent)

    shown = answer.content.decode()
    assert answer.status_code == status and 'role="alert"' in shown
    assert f'value="{sent["name"]}"' in shown and f'value="{sent["slug"]}"' in shown


@pytest.fixture
def many(companion: Companion) -> Companion:
    """The last by name of more than a filter lists."""
    project = companion.project
    Companion.objects.bulk_create(
        Companion(project=project, slug=f"many-{number}", name=f"Many {number:03}") for number in range(202)
    )
    return Companion.objects.create(project=project, slug="zoe", name="Zoë")


@pytest.mark.parametrize("list_of", ["relationships/", "turns/", ""])
def test_a_filter_keeps_the_companion_that_it_names(viewer: Client, many: Companion, list_of: str) -> None:
    shown = viewer.get(f"/admin-ui/{list_of}", {"companion": str(many.id)}).content.decode()

    assert f'<option value="{many.id}" selected>' in shown
    assert "Only 200 are listed" in shown


@pytest.mark.parametrize("list_of", ["companions", "playground"])
def test_any_of_many_companions_is_found_by_name(viewer: Client, many: Companion, list_of: str) -> None:
    first = viewer.get(f"/admin-ui/{list_of}/").content.decode()
    found = viewer.get(f"/admin-ui/{list_of}/", {"name": "zoe"}).content.decode()

    assert "Zoë" not in first and 'rel="next"' in first
    assert "Zoë" in found and "Many" not in found
