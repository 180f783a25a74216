"""What the printers of gdb and lldb share: reading tensors out of plain numbers.

Nothing here knows a debugger. A tensor is described by its sizes, strides (in numbers), the
address of its first number, and a function that reads memory.
"""
import math
import struct

MAX_RANK = 8
MAX_NUMBERS = 1 << 16  # more are not read: a debugger should answer at once
MAX_SIZE = 1 << 40


class Unreadable(Exception):
    """The object is not initialised, or not in memory."""


class Numbers:
    """A tensor's sizes, strides and numbers."""

    def __init__(self, sizes, strides, address, width, read):
        if not 0 <= len(sizes) <= MAX_RANK or any(not 0 <= s < MAX_SIZE for s in sizes):
            raise Unreadable("not initialised")
        self.sizes = list(sizes)
        self.strides = list(strides)
        self.address = address
        self.width = width  # bytes of a number
        self._read = read

    def count(self):
        return math.prod(self.sizes)

    def is_contiguous(self):
        expected = 1
        for size, stride in zip(reversed(self.sizes), reversed(self.strides)):
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True

    def _offsets(self, limit):
        index = [0] * len(self.sizes)
        for _ in range(min(limit, self.count())):
            yield sum(i * stride for i, stride in zip(index, self.strides))
            for axis in reversed(range(len(index))):
                index[axis] += 1
                if index[axis] < self.sizes[axis]:
                    break
                index[axis] = 0

    def values(self, limit=MAX_NUMBERS):
        """The first numbers in row-major order."""
        offsets = list(self._offsets(limit))
        if not offsets:
            return []
        low, high = min(offsets), max(offsets)
        if high - low >= 4 * MAX_NUMBERS or low < 0:
            raise Unreadable("not initialised")
        data = self._read(self.address + low * self.width, (high - low + 1) * self.width)
        letter = "f" if self.width == 4 else "d"
        numbers = struct.unpack("<%d%s" % (high - low + 1, letter), bytes(data))
        return [numbers[offset - low] for offset in offsets]

    def shape_text(self):
        return "[" + ", ".join(str(size) for size in self.sizes) + "]"

    def summary(self):
        """min −1.2 max 0.9 mean 0.01, and how many are no numbers."""
        values = self.values()
        if not values:
            return "%s empty" % self.shape_text()
        if len(self.sizes) == 0:
            return "[] %s" % number_text(values[0])
        finite = [v for v in values if math.isfinite(v)]
        nan_count = sum(1 for v in values if math.isnan(v))
        infinite = len(values) - len(finite) - nan_count
        text = self.shape_text()
        if finite:
            text += " min %s max %s mean %s" % (number_text(min(finite)), number_text(max(finite)),
                                                number_text(sum(finite) / len(finite)))
        if nan_count:
            text += " NaN %d" % nan_count
        if infinite:
            text += " infinite %d" % infinite
        if len(values) < self.count():
            text += " (of the first %d)" % len(values)
        return text

    def table(self, max_rows=40, max_columns=16):
        """The numbers as lines; of more than two axes, one matrix after the other."""
        values = self.values()
        columns = self.sizes[-1] if self.sizes else 1
        rows = len(values) // columns if columns else 0
        period = self.sizes[-2] if len(self.sizes) > 2 else 0
        lines = [self.shape_text()]
        for row in range(min(rows, max_rows)):
            if period and row % period == 0:
                lines.append("matrix %d:" % (row // period))
            line = values[row * columns:row * columns + min(columns, max_columns)]
            lines.append("".join(" %10s" % number_text(v) for v in line) +
                         ("  …" if columns > max_columns else ""))
        if rows > max_rows:
            lines.append("… %d more rows" % (rows - max_rows))
        return "\n".join(lines)

    def npy(self):
        """The bytes of a .npy file, version 1.0."""
        if self.count() > MAX_NUMBERS:
            raise Unreadable("more than %d numbers; save it from the program" % MAX_NUMBERS)
        letter = "f" if self.width == 4 else "d"
        shape = "(" + "".join("%d, " % size for size in self.sizes) + ")"
        head = "{'descr': '<f%d', 'fortran_order': False, 'shape': %s, }" % (self.width, shape)
        head += " " * (-(10 + len(head) + 1) % 64) + "\n"
        values = self.values()
        return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode("ascii") +
                struct.pack("<%d%s" % (len(values), letter), *values))


def number_text(value):
    """Four digits, with a true minus, as everywhere in Vitro."""
    return ("%.4g" % value).replace("-", "\u2212")


def difference_text(a, b):
    """Where and how much two tensors differ."""
    if a.sizes != b.sizes:
        return "the shapes differ: %s and %s" % (a.shape_text(), b.shape_text())
    values = list(zip(a.values(), b.values()))
    if not values:
        return "both are empty"
    same = lambda x, y: x == y or (math.isnan(x) and math.isnan(y))
    sizes = [0.0 if same(x, y) else abs(x - y) for x, y in values]
    sizes = [math.inf if math.isnan(size) else size for size in sizes]
    place = max(range(len(sizes)), key=sizes.__getitem__)
    if sizes[place] == 0:
        return "equal in all %d numbers" % len(values)
    index, rest = [], place
    for size in reversed(a.sizes):
        index.insert(0, rest % size)
        rest //= size
    return "%d of %d differ, most at %s: %s and %s" % (
        sum(1 for size in sizes if size > 0), len(sizes), index,
        number_text(values[place][0]), number_text(values[place][1]))
