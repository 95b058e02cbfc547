"""Rules: goals that were reached or given up."""

from memory.providers.offline.clauses import Clause
from memory.providers.offline.goals import without_reason
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, statement
from memory.providers.offline.stems import overlap, words

_GAVE_UP = pattern(
    r"^(?:I|we) (?P<how>gave up|stopped|quit|dropped|abandoned|decided against|am not going to|decided not to"
    r"|do not want to|am not|do not plan to|do not hope to)(?: on)?(?: (?:the|my) (?:idea|plan|goal|dream) (?:of"
    r"|to))? (?P<what>.+)$"
)
_REACHED = pattern(
    r"^(?:I|we) (?:finished|completed|passed|ran|reached|achieved|did|made|won|got|published|submitted|handed in"
    r"|graduated|lost|read|wrote|bought"
    r"|(?:learned|learnt)(?! a lot| about| that)|visited|climbed|managed to [a-z]+|quit|saved|paid off"
    r"|launched)\b"
)
_SETTLED = pattern(r"^(?:no longer|gave up|stopped|is no longer|has decided not)\b|\(goal reached\)$")
_PURSUING = words("learn train run try start save pass get")  # say how a goal is pursued, not which it is


def read_achievements(clause: Clause, reading: Reading) -> bool:
    """What became of the goals that are known."""
    return _given_up(clause, reading) or _reached(clause, reading)


def _given_up(clause: Clause, reading: Reading) -> bool:
    found = _GAVE_UP.match(clause.text)
    what = without_reason(found["what"]) if found else ""
    line = _goal_about(clause, reading, what) if found else None
    if found is None or line is None:
        return False
    how = found["how"].lower()
    if how == "do not want to":
        text, _ = reading.dated(what, past=False)
        content = f"No longer wants to {about_them(text)}"
    elif how == "am not":
        content = f"Is no longer {about_them(what)}"
    else:
        text, _ = reading.dated(clause.text, past=True)
        content = statement(text)
    reading.rewrite(line, content)
    return True


def _reached(clause: Clause, reading: Reading) -> bool:
    found = _REACHED.match(clause.text)
    line = _goal_about(clause, reading, clause.text) if found else None
    if line is None or line.slot.kind == "move":
        return False
    text, _ = reading.dated(clause.text, past=True)
    reading.rewrite(line, f"{statement(text)} (goal reached)")
    return True


def _goal_about(clause: Clause, reading: Reading, what: str) -> Line | None:
    """The open goal that shares the most telling words with `what`; None where none is close."""
    said = words(what) - _PURSUING
    best: tuple[float, Line] | None = None
    for line in reading.notebook.lines(subject=clause.subject):
        if (line.type != "goal" and line.slot.kind not in ("goal", "move")) or _SETTLED.search(line.content):
            continue
        goal = line.words - _PURSUING
        shared = goal & said
        close = len(shared) >= 2 or (shared and shared == goal and len(said) <= 2)
        score = (overlap(said, goal) + overlap(goal, said)) / 2
        if close and score >= 0.5 and (best is None or score > best[0]):
            best = (score, line)
    return best[1] if best else None
