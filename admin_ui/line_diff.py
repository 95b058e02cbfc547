"""Two texts beside each other, line by line. Pure."""

from dataclasses import dataclass
from typing import Literal

from relationships.text_matching import CONTEXT, Effort, Matcher, lines_of


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that stand beside each other; `left_out` of what is the same, where more than its ends are."""

    kind: Literal["same", "changed", "left_out"]
    before: str = ""
    after: str = ""


def side_by_side(before: str, after: str, effort: Effort) -> list[Block]:
    """What differs, each with a few lines around it, in order."""
    old, new = lines_of(before), lines_of(after)
    blocks: list[Block] = []
    shown = 0
    for group in Matcher(None, old, new, effort=effort).get_grouped_opcodes(CONTEXT):
        if group[0][1] > shown:
            blocks.append(Block("left_out"))
        for tag, i1, i2, j1, j2 in group:
            blocks.append(
                Block("same" if tag == "equal" else "changed", "".join(old[i1:i2]), "".join(new[j1:j2]))
            )
        shown = group[-1][2]
    return blocks + ([Block("left_out")] if blocks and shown < len(old) else [])
