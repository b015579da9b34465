"""Seeds as arguments and as words."""

import operator
from collections.abc import Iterable, Sequence


def checked(seeds: Iterable[int]) -> tuple[int, ...]:
    """The seeds as plain integers, in the given order.

    Raises:
        TypeError: A seed is not an integer.
        ValueError: There are none.
    """
    seeds = tuple(seeds)
    if not seeds:
        raise ValueError("no seeds were asked for")
    if any(isinstance(seed, bool) for seed in seeds):
        raise TypeError(f"seeds are integers, not booleans: {seeds}")
    return tuple(operator.index(seed) for seed in seeds)


def words(seeds: Sequence[int]) -> str:
    """Seeds for people: `seed 7`, `seeds 0-4, 7`."""
    ordered = sorted(set(seeds))
    runs: list[list[int]] = []
    for seed in ordered:
        if runs and seed == runs[-1][1] + 1:
            runs[-1][1] = seed
        else:
            runs.append([seed, seed])
    spans = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
    return f"{'seed' if len(ordered) == 1 else 'seeds'} {spans}"
