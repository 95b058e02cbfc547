"""What is remembered of everybody: short lines, the same in each run. Pure."""

ENTRIES = 20  # of each relationship
PATTERNS = 100  # so many different people; the others are like one of them
_DOES = "Likes,Avoids,Collects,Sells,Repairs,Paints,Misses,Wants".split(",")
_HOW = "green,old,small,loud,quiet,heavy,broken,golden,cheap".split(",")
_WHAT = "tea,dogs,boats,books,trains,shoes,songs,maps,hills,clocks,stamps,bread,chairs".split(",")
_WHEN = "on Sundays,at work,with Ana,since spring,in Porto,before breakfast,every winter".split(",")
TYPES = "preference,event,goal,identity,relationship,other".split(",")


def line(pattern: int, place: int) -> str:
    """What the entry at `place` of a pattern says: no other of the same pattern does."""
    number = pattern * ENTRIES + place
    words = (_DOES[number % 8], _HOW[number % 9], _WHAT[number % 13], _WHEN[number % 7])
    return f"{' '.join(words)}, number {number}"


def question(number: int) -> str:
    """One that some of anybody's entries answer."""
    return f"Do they like {_WHAT[number % 13]} or {_WHAT[(number + 5) % 13]}?"


def said(pattern: int, turn: int) -> tuple[str, str]:
    """A message of the person and the companion's reply."""
    what = _WHAT[(pattern + turn) % 13]
    return (
        f"I was thinking about {what} again on the way home.",
        f"You often come back to {what}. What about it?",
    )
