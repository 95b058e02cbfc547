"""A bounded cache for what is computed from the texts of a configuration's levels."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Sequence[str] | Sequence[bytes])

MOST_BYTES = 33_554_432
LEAST_BYTES = 8192  # counted for every item besides its texts: a configuration of defaults takes as much


class KeptByText(Generic[T]):
    """A cache keyed by content, so that nothing has to be invalidated when a level changes.

    `most` limits the total length of the texts, as the results grow with them: a level may be as long as a request's
    body. The least recently used go first.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most, self._held, self._lock = most, 0, Lock()
        self._found: OrderedDict[tuple[str | bytes, ...], T] = OrderedDict()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, texts: K, make: Callable[[K], T]) -> T:
        """Return `make(texts)`, from the cache if it is there."""
        key: tuple[str | bytes, ...] = tuple(texts)
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        made = make(texts)
        with self._lock:
            if key not in self._found:
                self._held += _length(key)
            self._found[key] = made
            while self._held > self._most:
                oldest, _ = self._found.popitem(last=False)
                self._held -= _length(oldest)
        return made


def _length(key: tuple[str | bytes, ...]) -> int:
    return LEAST_BYTES + sum(map(len, key))
