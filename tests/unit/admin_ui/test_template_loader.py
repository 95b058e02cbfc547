from django.template.loader import get_template


def _lines(name: str) -> list[str]:
    return str(get_template(name).template.source).splitlines()  # type: ignore[attr-defined]


def test_pages_are_loaded_without_their_indentation() -> None:
    assert not any(line.startswith(" ") for line in _lines("admin_ui/base.html"))


def test_programs_to_copy_keep_theirs() -> None:
    assert any(line.startswith("  ") for line in _lines("admin_ui/overview/_typescript.txt"))
