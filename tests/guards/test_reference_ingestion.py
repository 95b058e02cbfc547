"""docs/reference/ingestion-prompt.md says what a template may do and what a model may answer."""

from memory.ingestion.prompt import answer_schema
from memory.ingestion.template_sandbox import FILTERS, MAX_RENDERED_CHARACTERS, MAX_STEPS
from memory.ingestion.templates import INSTRUCTIONS_EXAMPLE, MAX_TEMPLATE_CHARACTERS
from memory.models import Verdict
from tests.guards.tables import REFERENCE, named_in, rows_of

FILE = "ingestion-prompt.md"
TEXT = (REFERENCE / FILE).read_text()


def test_every_variable_of_a_prompt_is_described_and_no_other() -> None:
    assert set(named_in(FILE, under="## Variables")) == set(INSTRUCTIONS_EXAMPLE)


def test_every_filter_of_a_prompt_is_named_and_no_other() -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith("`join`"))
    assert {name.strip("`") for name in line.split(", ")} == set(FILTERS)


def test_the_limits_of_a_prompt_are_those_of_the_code() -> None:
    assert f"{MAX_TEMPLATE_CHARACTERS:,} characters" in TEXT
    assert f"{MAX_RENDERED_CHARACTERS:,} characters" in TEXT
    assert f"{MAX_STEPS:,} steps" in TEXT


def test_every_member_of_an_operation_and_every_verdict_is_described() -> None:
    members = answer_schema(())["properties"]["operations"]["items"]["properties"]
    cells = [row[0] for row in rows_of(FILE, under="## What the model answers") if row[0].startswith("`")]
    described = {name.strip("` ") for cell in cells for name in cell.split(",")}
    assert described == set(members) | {verdict.value for verdict in Verdict}
