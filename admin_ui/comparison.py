"""The entries that two prompts would keep, side by side: equal, reworded, or of one prompt only. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from admin_ui.word_diff import Piece, word_diff
from relationships.text_matching import MOST_AT_ONCE, Effort, Matcher

ALIKE = 0.6  # difflib's ratio from which two texts are two wordings of one thing
MOST_PAIRED = 100  # entries that each entry is compared with

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """Entries side by side. `before`, `was`: of the published prompt; `after`, `now`: of the draft."""

    kind: Literal["same", "changed", "removed", "added"]
    before: Entry | None
    after: Entry | None
    was: Sequence[Piece] = ()
    now: Sequence[Piece] = ()


def pairs_of(published: Sequence[Entry], draft: Sequence[Entry]) -> list[Pair]:
    """Pair the entries: first those that differ, then those that both prompts keep, in the draft's order."""
    both = {_key(entry) for entry in published} & {_key(entry) for entry in draft}
    left = [entry for entry in published if _key(entry) not in both]
    pairs, effort = list[Pair](), Effort(MOST_AT_ONCE)
    for entry in (entry for entry in draft if _key(entry) not in both):
        other = _other_wording(entry, left[:MOST_PAIRED], effort)
        if other is None:
            pairs.append(Pair("added", None, entry, now=[Piece("added", entry["content"])]))
            continue
        left.remove(other)
        pieces = word_diff(other["content"], entry["content"])
        was = [piece for piece in pieces if piece.kind != "added"]
        pairs.append(
            Pair("changed", other, entry, was, [piece for piece in pieces if piece.kind != "removed"])
        )
    pairs += [Pair("removed", entry, None, was=[Piece("removed", entry["content"])]) for entry in left]
    pairs.sort(key=lambda pair: pair.kind != "changed")
    return pairs + [Pair("same", entry, entry) for entry in draft if _key(entry) in both]


def _other_wording(entry: Entry, others: Sequence[Entry], effort: Effort) -> Entry | None:
    matcher = Matcher(None, "", entry["content"][:300], autojunk=False, effort=effort)

    def likeness(other: Entry) -> float:
        matcher.set_seq1(other["content"][:300])
        return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0.0  # the quick one is never less

    best = max(others, key=likeness, default=None)
    return best if best is not None and likeness(best) >= ALIKE else None


def _key(entry: Entry) -> tuple[str, str, str]:
    return entry["type"], entry.get("subject", ""), entry["content"]
