"""Entries kept in memory: fixtures are made anew for every claim and would read the same files each time."""

from collections import OrderedDict

from pytest_claims.store.arrays import Arrays, size

CAPACITY = 256 * 2**20
"""Bytes of entries kept by a worker."""


class Memory:
    """The entries used last, up to a number of bytes.

    Args:
        capacity: Bytes kept; None keeps everything, for a store that cannot be written and would have to
            train again.
    """

    def __init__(self, capacity: int | None = CAPACITY) -> None:
        self.capacity = capacity
        self._entries: OrderedDict[str, Arrays] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> Arrays | None:
        """The entry, if it is still here. Not to be written into."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key]

    def put(self, key: str, arrays: Arrays) -> None:
        """Keep an entry, letting go of those not used for longest."""
        if key in self._entries:
            self._bytes -= size(self._entries.pop(key))
        self._entries[key] = arrays
        self._bytes += size(arrays)
        while self.capacity is not None and self._bytes > self.capacity:
            _, gone = self._entries.popitem(last=False)
            self._bytes -= size(gone)
