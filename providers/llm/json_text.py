"""Finds the JSON in what a model wrote around it.

Models that are asked for JSON alone still wrap it in Markdown fences, greet first, or think aloud. Only an
answer that is certain is unwrapped: where it is cut off, where there are two, or where there is none, the
text stays as it came and whoever asked can ask again.
"""

import json
import re

# What can begin an object or an array; prose such as "[see above]" or "{name}" does not look like it.
_OPENING = re.compile(r'\{\s*["}]|\[\s*(?:["{\[\]]|-?\d|true\b|false\b|null\b)')
_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_UNCLOSED_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought)>", re.IGNORECASE)
_UNOPENED_THOUGHT = re.compile(
    r"\A(?!\s*[{\[]).*?</(?:think|thinking|thought)>\s*", re.DOTALL | re.IGNORECASE
)
_DECODER = json.JSONDecoder()


def extract_json_text(text: str) -> str:
    """The one JSON object in `text` (or the one array, if there is no object), without what stands around it.

    >>> extract_json_text('Sure! ```json\\n{"operations": []}\\n``` Anything else?')
    '{"operations": []}'
    """
    bare = text.lstrip("\ufeff").strip()
    if _is_json(bare):
        return bare
    found = _outermost_json(bare)
    objects = [span for value, span in found if isinstance(value, dict)]
    arrays = [span for value, span in found if _is_array_of_objects(value)]
    candidates = objects or arrays
    return candidates[0] if len(set(candidates)) == 1 else bare


def without_thoughts(text: str) -> str:
    """`text` without the thoughts that a reasoning model put before its answer.

    Some chat templates open the tag themselves, so that the answer only closes it. Thoughts that were never
    closed are all there is: then nothing is left.
    """
    rest = _THOUGHT.sub("", text, count=1)
    if rest != text:
        return rest
    if _UNCLOSED_THOUGHT.match(text):
        return ""
    return _UNOPENED_THOUGHT.sub("", text, count=1)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _outermost_json(text: str) -> list[tuple[object, str]]:
    """Every complete object or array with its own text.

    None at all once one turns out to be broken, or to stand inside something that only resembles JSON: a
    part of an answer must not pass for the whole.
    """
    found: list[tuple[object, str]] = []
    position = 0
    while opening := _OPENING.search(text, position):
        start = opening.start()
        if not _is_balanced(text[position:start]):
            return []
        try:
            value, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return []
        found.append((value, text[start:position]))
    return found


def _is_balanced(prose: str) -> bool:
    return prose.count("{") == prose.count("}") and prose.count("[") == prose.count("]")


def _is_array_of_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
