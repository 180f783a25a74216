"""Random shapes and numbers. All numbers are exactly representable in float."""
import math
import random

import torch

SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 7]  # mostly small; different primes show swapped axes
LONG_SIZES = [8, 11, 16, 17, 31, 33, 65]  # around the widths of vector registers
EXTREMES = [0.0, 1e-30, 1e-9, 1e-3, 9.0, 20.0, 50.0, 100.0, 1000.0, 1e5, 1e15]


def to_float(values):
    """The nearest floats, kept as doubles."""
    return values.to(torch.float32).to(torch.float64)


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.generator = torch.Generator().manual_seed(self.random.getrandbits(63))

    def choice(self, options):
        return self.random.choice(options)

    def chance(self, probability):
        return self.random.random() < probability

    def integer(self, low, high):
        """From low to high, both included."""
        return self.random.randint(low, high)

    def size(self):
        return self.choice(LONG_SIZES) if self.chance(0.1) else self.choice(SIZES)

    def shape(self, min_rank=0, max_rank=4, empty=0.08):
        """Sizes; with probability `empty` one of them is 0."""
        sizes = [self.size() for _ in range(self.integer(min_rank, max_rank))]
        if sizes and self.chance(empty):
            sizes[self.integer(0, len(sizes) - 1)] = 0
        while math.prod(sizes) > 4000:
            sizes[self.integer(0, len(sizes) - 1)] = 2
        return sizes

    def narrowed(self, shape):
        """A shape that broadcasts to `shape`: leading axes left out, other axes of size 1."""
        kept = shape[self.integer(0, len(shape)):] if self.chance(0.5) else shape
        return [1 if self.chance(0.3) else size for size in kept]

    def pair(self):
        """Two shapes that broadcast together; either may be the smaller one, or both stretch."""
        shape = self.shape()
        kind = self.integer(0, 3)
        if kind == 0:
            return shape, shape
        if kind == 1:
            return shape, self.narrowed(shape)
        if kind == 2:
            return self.narrowed(shape), shape
        return self.narrowed(shape), self.narrowed(shape)

    def axis(self, rank):
        """Any axis, counted from the front or from the back."""
        return self.integer(-rank, rank - 1)

    def normal(self, shape, scale=1.0):
        return to_float(scale * torch.randn(shape, generator=self.generator, dtype=torch.float64))

    def uniform(self, shape, low, high):
        numbers = torch.rand(shape, generator=self.generator, dtype=torch.float64)
        return to_float(low + (high - low) * numbers)

    def magnitudes(self, shape, low, high):
        """Positive numbers between 10^low and 10^high, evenly over the powers."""
        return to_float(10 ** self.uniform(shape, low, high))

    def extremes(self, shape, limit=math.inf):
        """Zero, tiny and huge numbers of both signs, none larger than limit."""
        options = [value for value in EXTREMES if value <= limit]
        numbers = [self.choice(options) * self.choice([-1, 1]) for _ in range(math.prod(shape))]
        return to_float(torch.tensor(numbers, dtype=torch.float64).reshape(shape))

    def any(self, shape):
        """Numbers of one of several kinds."""
        kind = self.integer(0, 4)
        if kind == 0:
            return self.normal(shape, self.choice([1e-4, 0.1, 10.0, 300.0]))
        if kind == 1:  # whole numbers: many zeros and equals
            return torch.round(self.normal(shape, 2.0)) + 0.0
        return self.normal(shape)

    def distinct(self, shape):
        """No two numbers alike, so that a maximum is one element."""
        count = math.prod(shape)
        order = torch.randperm(count, generator=self.generator).to(torch.float64)
        return to_float((order - count / 2) * self.choice([0.25, 0.37, 100.0])).reshape(shape)

    def below(self, limit, shape):
        """Whole numbers from 0 to limit - 1."""
        return torch.randint(limit, shape, generator=self.generator)

    def bits(self, shape, ones):
        """0 and 1, where 1 has probability `ones`."""
        return (torch.rand(shape, generator=self.generator) < ones).to(torch.int64)
