import pytest

from memory.providers.offline.confidence import confidence_of, score_of
from memory.providers.offline.notebook import Line

LINES: dict[str, tuple[Line, float, int]] = {
    "who somebody is": (Line(None, "identity", "user", "Lives in Faro", None), 0.95, 9),
    "of somebody else": (Line(None, "identity", "Ana", "Lives in Faro", None), 0.85, 9),
    "in words of no known kind": (Line(None, "other", "user", "Sings in a choir", None), 0.75, 4),
    "what they must not eat": (Line(None, "other", "user", "Is allergic to nuts", None), 0.95, 7),
    "what they can't do": (Line(None, "other", "user", "Cannot swim", None, 0.65), 0.75, 7),
    "a goal": (Line(None, "goal", "user", "Wants to run a marathon", None), 0.95, 8),
    "a type of the companion's own": (Line(None, "quest", "user", "Likes dragons", None), 0.95, 4),
}


@pytest.mark.parametrize(("line", "confidence", "score"), LINES.values(), ids=LINES)
def test_a_line_is_as_sure_and_as_important_as_its_pattern(line: Line, confidence: float, score: int) -> None:
    assert (confidence_of(line), score_of(line)) == (confidence, score)
