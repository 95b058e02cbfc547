from context.answer import AssembledContext, CapacityNote, LayerReport, LeftOut
from context.api.schemas import ContextAnswer, present_context
from tests.fixtures.contexts import NOON, RELATIONSHIP

FULL = AssembledContext(
    system="You are Ada.",
    messages=[{"role": "user", "content": "Hi"}],
    layers=[LayerReport("memory", 3, 0.1, ["a"], "pinned", LeftOut(2, ["b", "c"]), {"a": "pinned"})],
    total_tokens=3,
    capacity=CapacityNote(95, 100, 0.95, "Nearly full."),
    format="text",
    rendered="You are Ada.\n\nUser: Hi",
    provenance={"recipe": "default"},
    relationship_id=RELATIONSHIP,
    session="current",
    assembled_at=NOON,
)


def test_the_answer_is_what_openapi_says_it_is() -> None:
    shown = present_context(FULL) | {"read": {"database": "primary", "age_ms": 0.0, "reason": None}}

    assert ContextAnswer.model_validate(shown).model_dump() == shown
