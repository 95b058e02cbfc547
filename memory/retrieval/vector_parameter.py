"""A vector as a statement's parameter, in the bytes that pgvector's halfvec reads: a third less than as text."""

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format


class HalfBytes(bytes):
    """A halfvec as it is sent."""


class HalfBytesDumper(Dumper):
    """Of no known type: what the statement casts it to decides."""

    format = Format.BINARY
    oid = 0

    def dump(self, value: Any) -> bytes:
        return bytes(value)


def half_bytes(vector: NDArray[np.float32]) -> HalfBytes:
    return HalfBytes(struct.pack(">HH", len(vector), 0) + vector.astype(">f2").tobytes())
