"""What stands next to a message in its session. Pure arithmetic."""

import numpy as np

from memory.retrieval.rankers.base import Bools, Floats, Ints


class Neighbours:
    """Gives a row's values to those before and after it in the same session, fading by `kernel` ** distance.

    Rows of no session (-1) have no neighbours; `alone` says that all are such.
    """

    def __init__(self, session: Ints, *, kernel: float, reach: int) -> None:
        self._kernel, self._reach = kernel, reach
        self.alone = bool((session < 0).all())
        # a session's rows in a row, in the order they were told
        self._order = np.argsort(session, kind="stable")
        self._back = np.argsort(self._order)
        self._session = session[self._order]

    def spread(self, values: Floats) -> Floats:
        """Sums along the last axis: each row's own value and its neighbours', faded."""
        if self.alone:
            return values
        own = values[..., self._order]
        total = own.copy()
        for distance in range(1, min(self._reach, len(self._session) - 1) + 1):
            same = self._same(distance) * self._kernel**distance
            total[..., distance:] += own[..., :-distance] * same
            total[..., :-distance] += own[..., distance:] * same
        spread: Floats = total[..., self._back]
        return spread

    def mean(self, values: Floats) -> Floats:
        """Weighted means of each row's own value and its neighbours'; NaN counts as not there, and stays NaN."""
        known = ~np.isnan(values)
        if self.alone or not known.any():
            return values
        weight = self.spread(known.astype(np.float64))
        total = self.spread(np.where(known, values, 0.0))
        mean: Floats = np.divide(total, weight, out=np.full(values.shape, np.nan), where=known)
        return mean

    def _same(self, distance: int) -> Bools:
        earlier, later = self._session[:-distance], self._session[distance:]
        same: Bools = (earlier == later) & (earlier >= 0)
        return same
