import torch

from tasks.generators import generator


def draw(*purpose: str | int, seed: int = 3) -> list[float]:
    return torch.rand(4, generator=generator(seed, *purpose)).tolist()


def test_equal_seed_and_purpose_draw_the_same_numbers():
    assert draw("loop", 0) == draw("loop", 0)


def test_every_seed_and_purpose_has_its_own_numbers():
    draws = [draw("loop", 0), draw("loop", 1), draw("hold", 0), draw("loop"), draw("loop", 0, seed=4)]
    assert len({tuple(numbers) for numbers in draws}) == len(draws)


def test_the_stream_is_fixed_across_processes():
    """A stored run must mean the same numbers in every process and year."""
    assert generator(0, "weights").initial_seed() == 266883383748357492
