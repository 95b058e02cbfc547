"""Unpacks a pushed pack within limits: nothing larger than we would keep is ever inflated.

Objects and deltas declare their length in advance, and dulwich inflates and applies them no further. A delta names its
base by SHA-1, as git is not told that this server takes offsets. https://git-scm.com/docs/pack-format
"""

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from hashlib import sha1

from dulwich.errors import ApplyDeltaError
from dulwich.pack import REF_DELTA, apply_delta, read_pack_header_at, unpack_object_at

from workspace.errors import PushRefused
from workspace.trees import git_sha

MOST_OBJECTS = 20_000
LARGEST_OBJECT = 2_000_000  # bytes of a tree; files and commits have their own limits
KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_HEADER, _TRAILER = 12, 20  # bytes; the trailer is the pack's SHA-1
_LONGEST_NUMBER = 10  # bytes

Object = tuple[int, bytes]
Known = Callable[[str], Object | None]


def unpack(
    pack: bytes, known: Known, *, largest: int, together: int, largest_file: int = 0
) -> dict[str, Object]:
    """Return (type, content) of every object, by SHA-1. `known` looks up bases of deltas that are not in the pack.

    `largest`: most bytes of one object; `together`: of all; `largest_file`: the limit that the refusal of a file names.
    Raises PushRefused.
    """
    try:
        return _unpack(pack, known, largest, together, largest_file or largest)
    except (AssertionError, ApplyDeltaError, zlib.error):  # what dulwich raises
        raise PushRefused("The pack arrived damaged.") from None


def _unpack(pack: bytes, known: Known, largest: int, together: int, largest_file: int) -> dict[str, Object]:
    if sha1(pack[:-_TRAILER], usedforsecurity=False).digest() != pack[-_TRAILER:]:
        raise PushRefused("The pack arrived damaged.")
    _, count = read_pack_header_at(pack)
    if count > MOST_OBJECTS:
        raise PushRefused(f"The pack has {count} objects; at most {MOST_OBJECTS} are taken.")
    whole: list[Object] = []
    deltas: dict[str, list[bytes]] = defaultdict(list)  # by their base
    at, room = _HEADER, together
    for _ in range(count):
        number, _ = _number(pack, at)
        kind, size = number >> 4 & 7, number >> 7 << 4 | number & 15
        if size > largest and KINDS.get(kind) == "blob":
            raise PushRefused(f"A file has {size} bytes; {largest_file} are kept.")
        room = _room_after(size, largest, room)
        if kind not in KINDS and kind != REF_DELTA:
            raise PushRefused("The pack has an object of no known type.")
        unpacked, at = unpack_object_at(pack, at, sha1)
        content = b"".join(unpacked.decomp_chunks)
        if isinstance(unpacked.delta_base, bytes):
            deltas[unpacked.delta_base.hex()].append(content)
        else:
            whole.append((kind, content))
    if at != len(pack) - _TRAILER:
        raise PushRefused("The pack is longer than its objects.")
    return _resolve(whole, deltas, known, largest, room)


def _resolve(
    whole: list[Object], deltas: dict[str, list[bytes]], known: Known, largest: int, room: int
) -> dict[str, Object]:
    """Apply each delta once its base is there. Works without recursion, as chains can be long."""
    found = {git_sha(KINDS[kind], content): (kind, content) for kind, content in whole}

    def bases() -> Iterator[tuple[str, Object]]:
        yield from list(found.items())
        for sha in list(deltas):  # one at a time: together they may be everything that is stored
            if sha in deltas and (stored := known(sha)):
                yield sha, stored

    for base in bases():
        waiting = [base]
        while waiting:
            sha, (kind, content) = waiting.pop()
            for delta in deltas.pop(sha, ()):
                _, at = _number(delta, 0)  # the base's length, which dulwich checks
                room = _room_after(_number(delta, at)[0], largest, room)
                made = (kind, b"".join(apply_delta(content, delta)))
                waiting.append((git_sha(KINDS[kind], made[1]), made))
                found.update(waiting[-1:])
    if deltas:
        raise PushRefused("The pack refers to objects that do not exist.")
    return found


def _room_after(size: int, largest: int, room: int) -> int:
    """The bytes that are left after an object of this size. Raises PushRefused."""
    if size > largest:
        raise PushRefused(f"An object has {size} bytes; at most {largest} are taken.")
    if size > room:
        raise PushRefused("The objects are too large together.")
    return room - size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of seven bits a byte, the lowest first. Return it, and where the next byte is."""
    found = 0
    for place, byte in enumerate(data[at : at + _LONGEST_NUMBER]):
        found |= (byte & 0x7F) << 7 * place
        if not byte & 0x80:
            return found, at + place + 1
    raise PushRefused("The pack arrived damaged.")
