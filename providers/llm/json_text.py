"""Extracts the JSON from a model's answer.

Models that are asked for JSON only still wrap it in Markdown fences, greet first, or think aloud. Small ones write
Python or JavaScript, with single quotes, comments and trailing commas. Only an unambiguous answer is unwrapped: if it
is cut off, if there are two, or if there is none, the text is returned unchanged, and the caller can ask again.
"""

import json
import re

# The possible beginnings of an object or an array, unlike prose such as "[see above]" or "{name}".
_OPENING = re.compile(r'\{\s*["}]|\[\s*(?:["{\[\]]|-?\d|true\b|false\b|null\b)')
_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_UNCLOSED_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought)>", re.IGNORECASE)
_UNOPENED_THOUGHT = re.compile(
    r"\A(?!\s*[{\[]).*?</(?:think|thinking|thought)>\s*", re.DOTALL | re.IGNORECASE
)
_DECODER = json.JSONDecoder()
_FOLLOWING = re.compile(r"[\s,]*+(?=\{)")
LOOPS = 3  # least number of repeated objects

_LOOSE_OPENING = re.compile(r"""\{\s*["'/#}]|\[\s*[{/#]""")
_LOOSE = re.compile(
    r"""
      "(?:[^"\\]|\\.)*+(?:"|\Z)
    | (?<=[\s{\[,:])'(?:[^'\\]|\\.|'(?!\s{0,9}[,:}\]]))*+(?:'|\Z)
    | //[^\n]*+ | /\*.*?(?:\*/|\Z) | \#[^\n]*+
    | ,(?=\s*[}\]])
    | \b(?:None|True|False)\b
    """,
    re.VERBOSE | re.DOTALL,
)
_LITERALS = {"None": "null", "True": "true", "False": "false"}
_CONTROL = re.compile(r"[\x00-\x1f]")
_REQUOTED = {'"': '\\"', "\\'": "'"}  # in double quotes instead of single ones
_ESCAPED_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)


def extract_json_text(text: str) -> str:
    """The only JSON object in `text`, or the only array if there is no object, without the text around it.

    >>> extract_json_text('Sure! ```json\\n{"operations": []}\\n``` Anything else?')
    '{"operations": []}'
    """
    bare = text.lstrip("\ufeff").strip()
    for written in (bare, _as_json(bare)):
        if _is_json(written):
            return written
        found = _outermost_json(written)
        objects = [span for value, span in found if isinstance(value, dict)]
        lists = [(value, span) for value, span in found if isinstance(value, list)]
        arrays = [span for items, span in lists if all(isinstance(item, dict) for item in items)]
        candidates = objects or arrays
        if len(set(candidates)) == 1:
            return candidates[0]
    return bare


def closed_loop(text: str, name: str) -> str:
    """Repair an answer that was cut off while its list `name` repeated the same objects: keep each once, close the
    list, and keep the text before it.

    Returns "" unless the list ends with at least LOOPS repetitions, and at least as many as it has different objects.

    >>> closed_loop('{"facts": [{"a": 1}, {"b": 2}, {"a": 1}, {"b": 2}, {"a": 1}, {"b', "facts") '{"facts": [{"a": 1},
    {"b": 2}]}'
    """
    opening = re.search(rf'"{name}"\s*:\s*\[', text)
    if opening is None:
        return ""
    objects: dict[str, None] = {}
    repeated, position = 0, opening.end()
    while following := _FOLLOWING.match(text, position):
        try:
            value, position = _DECODER.raw_decode(text, following.end())
        except (ValueError, RecursionError):
            break
        written = json.dumps(value, ensure_ascii=False)
        repeated = repeated + 1 if written in objects else 0
        objects[written] = None
    return f"{text[: opening.end()]}{', '.join(objects)}]}}" if repeated >= max(LOOPS, len(objects)) else ""


def without_thoughts(text: str) -> str:
    """Remove the thoughts that a reasoning model put before its answer.

    Some chat templates open the tag, so that the answer only closes it. If the tag is never closed, everything is
    thoughts, and nothing is left.
    """
    rest = _THOUGHT.sub("", text, count=1)
    if rest != text:
        return rest
    if _UNCLOSED_THOUGHT.match(text):
        return ""
    return _UNOPENED_THOUGHT.sub("", text, count=1)


def _as_json(text: str) -> str:
    """Convert what looks like a Python or JavaScript object to JSON, and add the final brace that small models forget
    after a complete last list.
    """
    looks = _LOOSE_OPENING.search(text)
    if looks is None:
        return text
    start = looks.start()
    # Twice, as a comma before a comment becomes a trailing one only when the comment is removed.
    spelt = _LOOSE.sub(_respelled, _LOOSE.sub(_respelled, text[start:]))
    forgotten = "}" if spelt.endswith("]") and _is_json(f"{spelt}}}") else ""
    return f"{text[:start]}{spelt}{forgotten}"


def _respelled(found: re.Match[str]) -> str:
    """The JSON for a string, a literal, a comment or a trailing comma."""
    written = found[0]
    if written[0] == "'" and written[-1] == "'":
        written = f'"{_ESCAPED_OR_QUOTE.sub(lambda sign: _REQUOTED.get(sign[0], sign[0]), written[1:-1])}"'
    elif written[0] not in "\"'":
        return _LITERALS.get(written, "")
    return _CONTROL.sub(lambda sign: json.dumps(sign[0])[1:-1], written)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _outermost_json(text: str) -> list[tuple[object, str]]:
    """All complete objects and arrays with their text.

    Returns nothing if one is broken, or inside something that only resembles JSON: a part of an answer must not be
    taken for the whole.
    """
    found: list[tuple[object, str]] = []
    position = 0
    while opening := _OPENING.search(text, position):
        start = opening.start()
        prose = text[position:start]
        if any(prose.count(opens) != prose.count(closes) for opens, closes in ("{}", "[]")):
            return []
        try:
            value, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return []
        found.append((value, text[start:position]))
    return found
