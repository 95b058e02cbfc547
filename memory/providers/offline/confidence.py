"""How sure the rules are of what they wrote, and how much it matters, in the measures that strategies ask for."""

from memory.providers.offline.notebook import Line
from memory.providers.offline.reading import IMPORTANCE

# What is hedged ("maybe", "I might") is never written at all; what is left differs by how well it was understood.
KNOWN_KIND = 0.95
OF_SOMEBODY_ELSE = 0.85
FREE_WORDS = 0.75
TO_BE_PLACED = 0.6

# By type, from 1 to 10; at least what the published floors are (.85, .75, .65, .60), times ten.
_SCORES = {"identity": 9, "goal": 8, "relationship": 7, "preference": 6, "event": 6}
CONSTRAINT = IMPORTANCE["constraint"]
_OTHERWISE = 4
_LEAST_OF_A_CONSTRAINT = 7


def confidence_of(line: Line) -> float:
    """From 0 to 1."""
    if line.slot.kind == "other":
        return FREE_WORDS
    return KNOWN_KIND if line.subject == "user" else OF_SOMEBODY_ELSE


def score_of(line: Line) -> int:
    """From 1 to 10, by its pattern: who somebody is, what they want, what they must not eat, what they like."""
    score = _SCORES.get(line.type, _OTHERWISE)
    constraint = line.slot.kind in ("health", "diet") or line.importance == CONSTRAINT
    return max(score, _LEAST_OF_A_CONSTRAINT) if constraint else score
