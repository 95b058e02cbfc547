"""The words within names of programs, paths, versions and tickets, by which somebody may search for them. Pure, and
linear in the text.

PostgreSQL's parser makes one word of `src/lib/refresh.ts`, of `v2.3.1` and of `useAuthStore`, and reads the number of
`BR-20417` as negative. So "refresh.ts", "2.3.1", "auth store" or "20417" would find none of them.
"""

import re
from collections.abc import Iterator

# What the parser may take for one word: paths, hosts, versions. A colon or a bracket ends it.
_GLUED = re.compile(r"[\w./@~+-]+")
_LETTER = re.compile(r"[^\W\d_]")
_AROUND = "./@~+-_"
_ADDRESS = re.compile(r"//|(?:[\w-]+\.)+[A-Za-z]{2,}/")  # of the web, which is whole
_VERSION = re.compile(r"[vV](\d+(?:\.\d+)+)")
_NUMBERED = re.compile(r"[^\W\d_]-(\d{3,})(?!\w)")
_DOT = re.compile(r"(?<=[^\W\d])\.|\.(?=[^\W\d])")  # beside a letter: not that of a number
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CAMEL = re.compile(r"[a-z][A-Z]")
_ANY = re.compile(r"[./]|-\d|[a-z][A-Z]")
SHORTEST = 2  # letters of a part
FEW, SHORT = 3, 3  # with fewer humps, each has as many letters


def parts_of(text: str) -> list[str]:
    """The parts in lower case, each once, in order."""
    if not _ANY.search(text):
        return []
    found = (
        part.lower()
        for run in _GLUED.findall(text)
        if _LETTER.search(run) and _ANY.search(run) and not _ADDRESS.match(run)
        for part in _parts(run)
    )
    return list(dict.fromkeys(part for part in found if len(part) >= SHORTEST))


def _parts(run: str) -> Iterator[str]:
    steps = [step for step in (step.strip(_AROUND) for step in run.split("/")) if step]
    for step in steps:
        if len(steps) > 1:
            yield step
        if version := _VERSION.fullmatch(step):
            yield version[1]
        elif "." in step and "@" not in step:
            yield from _DOT.split(step)
        yield from _NUMBERED.findall(step)
        if _CAMEL.search(step):
            for name in re.split(r"[\W_]+", step):
                yield from _humps(name)


def _humps(name: str) -> list[str]:
    """The words of a name such as useAuthStore; none of iPhone or McDonald."""
    humps = _HUMPS.split(name)
    named = len(humps) > 1 and (len(humps) >= FEW or all(len(hump) >= SHORT for hump in humps))
    return humps if named else []
