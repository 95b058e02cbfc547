"""A pack is read with a length in hand: whatever it unfolds to, it takes no more than we would keep."""

import hashlib
import time
import tracemalloc
import zlib
from collections.abc import Callable
from itertools import pairwise

import pytest

from workspace.errors import PushRefused
from workspace.git.unpack import Object, unpack
from workspace.trees import git_sha

LARGEST, TOGETHER = 1_000_000, 10_000_000


def head(kind: int, size: int) -> bytes:
    byte, size, out = (kind << 4) | (size & 15), size >> 4, bytearray()
    while size:
        out.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    return bytes([*out, byte])


def length(size: int) -> bytes:
    out = bytearray()
    while size > 0x7F:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*out, size])


def whole(kind: int, content: bytes, *, says: int | None = None) -> bytes:
    return head(kind, len(content) if says is None else says) + zlib.compress(content)


def delta(base: bytes, size: int, *commands: bytes) -> bytes:
    return length(len(base)) + length(size) + b"".join(commands)


def copy(start: int, count: int) -> bytes:
    return b"\xff" + start.to_bytes(4, "little") + count.to_bytes(3, "little")


def resting_on(sha: str, made: bytes) -> bytes:
    return head(7, len(made)) + bytes.fromhex(sha) + zlib.compress(made)


def pack(*objects: bytes, count: int | None = None) -> bytes:
    body = b"PACK" + (2).to_bytes(4, "big") + (len(objects) if count is None else count).to_bytes(4, "big")
    body += b"".join(objects)
    return body + hashlib.sha1(body).digest()


def nothing(sha: str) -> Object | None:
    return None


def read(data: bytes) -> dict[str, Object]:
    return unpack(data, nothing, largest=LARGEST, together=TOGETHER)


BASE = b"0123456789" * 1000
SHA = git_sha("blob", BASE)


def test_objects_and_deltas_are_read() -> None:
    made = delta(BASE, 15, copy(0, 10), b"\x05hello")
    found = read(pack(resting_on(SHA, made), whole(3, BASE)))
    assert sorted(content for _, content in found.values()) == sorted([BASE, b"0123456789hello"])


def test_a_thin_pack_may_refer_to_stored_objects() -> None:
    made = delta(BASE, 10, copy(0, 10))
    found = unpack(
        pack(resting_on(SHA, made)),
        lambda sha: (3, BASE) if sha == SHA else None,
        largest=LARGEST,
        together=TOGETHER,
    )
    assert list(found.values()) == [(3, b"0123456789")]


def test_stored_bases_are_not_held_together() -> None:
    bases = {git_sha("blob", base): base for base in (BASE + b"%d" % n for n in range(3000))}
    thin = pack(*(resting_on(sha, delta(base, 10, copy(0, 10))) for sha, base in bases.items()))

    def read_base(sha: str) -> Object | None:
        return (3, bytes([*bases[sha]])) if sha in bases else None

    tracemalloc.start()
    try:
        found = unpack(thin, read_base, largest=LARGEST, together=TOGETHER)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert list(found.values()) == [(3, b"0123456789")] and peak < TOGETHER


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: pack(whole(3, b"\0" * 50_000_000)), id="says how large it is"),
        pytest.param(lambda: pack(whole(3, b"\0" * 50_000_000, says=100)), id="lies about it"),
        pytest.param(lambda: pack(*[whole(3, bytes([n]) * 900_000) for n in range(12)]), id="together"),
        pytest.param(
            lambda: pack(
                whole(3, BASE), resting_on(SHA, delta(BASE, 900_000_000, *[copy(0, 10_000)] * 90_000))
            ),
            id="a delta that says so",
        ),
        pytest.param(
            lambda: pack(whole(3, BASE), resting_on(SHA, delta(BASE, 20_000, *[copy(0, 10_000)] * 90_000))),
            id="a delta that lies",
        ),
        pytest.param(
            lambda: pack(
                whole(3, BASE),
                *[
                    resting_on(SHA, delta(BASE, 990_001, *[copy(0, 10_000)] * 99, b"\x01" + bytes([n])))
                    for n in range(12)
                ],
            ),
            id="many deltas",
        ),
        pytest.param(lambda: pack(count=4_000_000_000), id="many objects"),
        pytest.param(lambda: pack(resting_on("0" * 40, delta(BASE, 10, copy(0, 10)))), id="rests on nothing"),
        pytest.param(lambda: pack(whole(3, b"x"))[:-1] + b"\0", id="damaged"),
        pytest.param(lambda: pack(whole(5, b"x")), id="of no type"),
        pytest.param(lambda: pack(whole(3, b"x"), count=2), id="ends early"),
        pytest.param(lambda: b"PACKPACK", id="no pack"),
    ],
)
def test_a_bomb_is_refused_at_once(made: Callable[[], bytes]) -> None:
    bomb = made()
    tracemalloc.start()
    try:
        with pytest.raises(PushRefused):
            read(bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * TOGETHER


def test_a_long_chain_of_deltas_in_the_worst_order_is_read_in_one_go() -> None:
    contents = [BASE + b"%d" % n for n in range(5000)]
    chain = [
        resting_on(
            git_sha("blob", before),
            delta(before, len(after), copy(0, 10_000), bytes([len(after) - 10_000]) + after[10_000:]),
        )
        for before, after in pairwise(contents)
    ]
    started = time.process_time()
    found = unpack(
        pack(*reversed(chain), whole(3, contents[0])), nothing, largest=LARGEST, together=100_000_000
    )
    assert len(found) == 5000 and time.process_time() - started < 5
