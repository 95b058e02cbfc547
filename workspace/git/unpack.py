"""Unpacks a pushed pack within limits: nothing larger than we would keep is ever inflated.

Objects and deltas declare their length in advance, and must be of exactly that length. The format:
https://git-scm.com/docs/pack-format
"""

import hashlib
import zlib
from collections.abc import Callable

from workspace.errors import PushRefused
from workspace.trees import git_sha

MOST_OBJECTS = 20_000
LARGEST_OBJECT = 2_000_000  # bytes of a commit or a tree; files have their own limit
KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET, _REFERENCE = 6, 7
_TRAILER = 20  # bytes: the pack's SHA-1

Known = Callable[[str], tuple[int, bytes] | None]
Object = tuple[int, bytes]
_Delta = tuple[int | str, bytes]  # the base's offset in the pack, or its SHA-1; and the delta


def unpack(pack: bytes, known: Known, *, largest: int, together: int) -> dict[str, Object]:
    """Return (type, content) of every object, by SHA-1. `known` looks up bases of deltas that are not in the pack.

    `largest`: most bytes of one object; `together`: of all. Raises PushRefused.
    """
    count = _check_frame(pack)
    at, end, spent = 12, len(pack) - _TRAILER, 0
    whole: dict[int, Object] = {}
    deltas: dict[int, _Delta] = {}
    for _ in range(count):
        begin = at
        kind, size, at = _header(pack, at, end)
        if size > largest:
            raise PushRefused(f"An object has {size} bytes; at most {largest} are taken.")
        spent += size
        if spent > together:
            raise PushRefused(f"The objects have more than {together} bytes together.")
        base: int | str = ""
        if kind == _OFFSET:
            back, at = _offset(pack, at, end)
            base = begin - back
        elif kind == _REFERENCE:
            base, at = pack[at : at + 20].hex(), at + 20
        content, at = _inflate(pack, at, end, size)
        if kind in KINDS:
            whole[begin] = (kind, content)
        elif kind in (_OFFSET, _REFERENCE):
            deltas[begin] = (base, content)
        else:
            raise PushRefused("The pack has an object of no known type.")
    if at != end:
        raise PushRefused("The pack is longer than its objects.")
    return _resolve(whole, deltas, known, largest=largest, room=together - spent)


def _resolve(
    whole: dict[int, Object], deltas: dict[int, _Delta], known: Known, *, largest: int, room: int
) -> dict[str, Object]:
    """Apply each delta once its base is there. Works without recursion, as chains can be long."""
    resting: dict[int | str, list[int]] = {}
    for begin, (base, _) in deltas.items():
        resting.setdefault(base, []).append(begin)
    found: dict[str, Object] = {}
    waiting: list[tuple[int | str, Object]] = list(whole.items())
    shas = [base for base in resting if isinstance(base, str)]
    waiting += [(sha, there) for sha in shas if (there := known(sha))]
    while waiting:
        place, (kind, content) = waiting.pop()
        sha = git_sha(KINDS[kind], content)
        if isinstance(place, int):
            found[sha] = (kind, content)
        for begin in [*resting.pop(place, ()), *resting.pop(sha, ())]:
            made = _apply(content, deltas[begin][1], largest=largest)
            room -= len(made)
            if room < 0:
                raise PushRefused("Unfolded, the objects are too large together.")
            waiting.append((begin, (kind, made)))
    if resting:
        raise PushRefused("The pack refers to objects that do not exist.")
    return found


def _check_frame(pack: bytes) -> int:
    if len(pack) < 12 + _TRAILER or pack[:4] != b"PACK" or pack[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
        raise PushRefused("This is not a pack.")
    if hashlib.sha1(pack[:-_TRAILER], usedforsecurity=False).digest() != pack[-_TRAILER:]:
        raise PushRefused("The pack arrived damaged.")
    count = int.from_bytes(pack[8:12], "big")
    if count > MOST_OBJECTS:
        raise PushRefused(f"The pack has {count} objects; at most {MOST_OBJECTS} are taken.")
    return count


def _byte(data: bytes, at: int, end: int) -> int:
    if at >= end:
        raise PushRefused("The pack ends in the middle of an object.")
    return data[at]


def _header(pack: bytes, at: int, end: int) -> tuple[int, int, int]:
    first = _byte(pack, at, end)
    more, at = _length(pack, at + 1, end) if first & 0x80 else (0, at + 1)
    return (first >> 4) & 7, first & 15 | more << 4, at


def _offset(pack: bytes, at: int, end: int) -> tuple[int, int]:
    byte = _byte(pack, at, end)
    back = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = _byte(pack, at, end)
        back = ((back + 1) << 7) | (byte & 0x7F)
    return back, at + 1


def _inflate(pack: bytes, at: int, end: int, size: int) -> tuple[bytes, int]:
    unzip = zlib.decompressobj()
    try:
        content = unzip.decompress(pack[at:end] if size > 4096 else pack[at : min(end, at + 8192)], size + 1)
        if not unzip.eof:
            content += unzip.decompress(unzip.unconsumed_tail, 1)
    except zlib.error:
        raise PushRefused("The pack arrived damaged.") from None
    if len(content) != size or not unzip.eof:
        raise PushRefused("An object is not as long as it says.")
    used = min(end, at + 8192) if size <= 4096 else end
    return content, used - len(unzip.unused_data)


def _apply(base: bytes, delta: bytes, *, largest: int) -> bytes:
    """Apply a delta to its base. The result must have the length that the delta declares."""
    end = len(delta)
    source, at = _length(delta, 0, end)
    size, at = _length(delta, at, end)
    if source != len(base) or size > largest:
        raise PushRefused("A delta does not fit what it rests on, or makes too large an object.")
    made = bytearray()
    while at < end:
        command, at = delta[at], at + 1
        if command & 0x80:
            start = length = 0
            for bit in range(7):
                if command & (1 << bit):
                    value, at = _byte(delta, at, end), at + 1
                    if bit < 4:
                        start |= value << (8 * bit)
                    else:
                        length |= value << (8 * (bit - 4))
            part = base[start : start + (length or 0x10000)]
        else:
            part, at = delta[at : at + command], at + command
        if not command or not part or len(made) + len(part) > size:
            raise PushRefused("A delta makes more than it says.")
        made += part
    if len(made) != size:
        raise PushRefused("A delta makes less than it says.")
    return bytes(made)


def _length(data: bytes, at: int, end: int) -> tuple[int, int]:
    size = shift = 0
    while shift < 64:
        byte, at = _byte(data, at, end), at + 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return size, at
    raise PushRefused("A length is damaged.")
