"""Elementwise operations, reductions, shapes and products."""
import math

import torch
from torch.nn import functional

from recording.case import Case

# ---- Pairs of elements --------------------------------------------------------------------------


def pair_maker(function):
    def make(draw):
        a, b = draw.pair()
        return Case(function, [draw.any(a), draw.any(b)])
    return make


def div(draw):
    a, b = draw.pair()
    # Away from 0: next to it, the quotient's error says nothing about the division.
    divisor = draw.magnitudes(b, -1, 2) * draw.choice([-1.0, 1.0])
    if draw.chance(0.1):
        return Case(torch.div, [draw.any(a).abs() + 1, torch.zeros(b)], note="division by 0")
    return Case(torch.div, [draw.any(a), divisor])


# ---- Each element alone -------------------------------------------------------------------------


def unary_maker(function, limit=math.inf):
    def make(draw):
        if draw.chance(0.3):
            return Case(function, [draw.extremes(draw.shape(), limit)], note="tiny and huge")
        x = draw.any(draw.shape())
        return Case(function, [x.clamp(-limit, limit)])
    return make


def positive_maker(function):
    def make(draw):
        low, high = draw.choice([(-1, 1), (-3, 3), (-30, 30)])
        x = draw.magnitudes(draw.shape(), low, high)
        if draw.chance(0.1):
            return Case(function, [torch.zeros(draw.shape())], note="at 0")
        return Case(function, [x])
    return make


def gelu(draw):
    case = unary_maker(None)(draw)
    kind = draw.choice(["none", "tanh"])
    case.function = lambda x: functional.gelu(x, approximate=kind)
    case.attrs = {} if kind == "none" and draw.chance(0.3) else {"approximate": kind}
    return case


def power(draw):
    exponent = draw.choice([0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -2.0, 0.5, -0.5, 1.5, 2.5])
    shape = draw.shape()
    if exponent >= 0 and exponent == int(exponent):
        x = draw.normal(shape)  # both signs, and sometimes 0
        x = torch.round(x) + 0.0 if draw.chance(0.3) else x
    else:
        x = draw.magnitudes(shape, -1, 1)
    return Case(lambda t: t ** exponent, [x], {"exponent": exponent})


def masked_fill(draw):
    shape = draw.shape()
    mask = draw.bits(draw.narrowed(shape), draw.choice([0.0, 0.3, 0.5, 1.0]))
    value = draw.choice([-5.0, 0.0, 1e4, -1e30, -math.inf])
    return Case(lambda x, m: x.masked_fill(m.bool(), value), [draw.any(shape), mask],
                {"value": value}, "in.1 is 1 where the value goes in; it broadcasts")


# ---- Over axes ----------------------------------------------------------------------------------


def axes_and_attrs(draw, rank):
    """The axes to reduce (None: all), and how the case says so."""
    if rank == 0 or draw.chance(0.25):
        attrs = [{}, {"dim": None}, {"dim": None, "keepdim": False}]
        return None, draw.choice(attrs + [{"dim": -1}] if rank == 0 else attrs)
    keepdim = draw.chance(0.5)
    if draw.chance(0.5):
        axis = draw.axis(rank)
        attrs = {"dim": axis}
        return [axis], attrs if not keepdim and draw.chance(0.3) else {**attrs, "keepdim": keepdim}
    axes = draw.random.sample(range(rank), draw.integer(1, rank))
    axes = [axis - rank if draw.chance(0.3) else axis for axis in axes]
    return axes, {"dim": axes, "keepdim": keepdim}


def reduction_maker(function, empty, distinct=False, extra=None):
    """`function` of (x, axes, keepdim)."""
    def make(draw):
        shape = draw.shape(empty=empty)
        axes, attrs = axes_and_attrs(draw, len(shape))
        attrs.update(extra or {})
        axes = list(range(len(shape))) if axes is None else axes
        keepdim = attrs.get("keepdim", False)
        x = draw.distinct(shape) if distinct else draw.any(shape)
        return Case(lambda t: function(t, axes, keepdim), [x], attrs)
    return make


def variance(x, axes, keepdim):
    """Mean squared distance to the mean; torch.var refuses a list of no axes."""
    centred = x - x.mean(axes, keepdim=True) if axes else x - x
    return (centred ** 2).mean(axes, keepdim=keepdim) if axes else centred ** 2


def sum_of(x, axes, keepdim):
    return x.sum(axes, keepdim=keepdim) if axes else x.sum()


def mean_of(x, axes, keepdim):
    return x.mean(axes, keepdim=keepdim) if axes else x.mean()


# ---- Shapes -------------------------------------------------------------------------------------


def reshape(draw):
    shape = draw.shape()
    target = [1] * draw.integer(0, 2)
    for size in shape:
        if size in (4, 8, 16) and draw.chance(0.5):
            target += [2, size // 2]
        elif target and draw.chance(0.4):
            target[-1] *= size
        else:
            target.append(size)
    if target and 0 not in target and draw.chance(0.4):
        target[draw.integer(0, len(target) - 1)] = -1
    return Case(lambda x: x.reshape(target), [draw.any(shape)], {"shape": target})


def transpose(draw):
    shape = draw.shape(min_rank=2)
    a, b = draw.axis(len(shape)), draw.axis(len(shape))
    return Case(lambda x: x.transpose(a, b), [draw.any(shape)], {"dim0": a, "dim1": b})


def permute(draw):
    shape = draw.shape(max_rank=5)
    dims = draw.random.sample(range(len(shape)), len(shape))
    return Case(lambda x: x.permute(dims), [draw.any(shape)], {"dims": dims})


def narrow(draw):
    shape = draw.shape(min_rank=1)
    axis = draw.axis(len(shape))
    start = draw.integer(0, shape[axis])
    length = draw.integer(0, shape[axis] - start)
    if 0 < start < shape[axis] and draw.chance(0.2):
        start -= shape[axis]  # counted from the end
    return Case(lambda x: x.narrow(axis, start, length), [draw.any(shape)],
                {"dim": axis, "start": start, "length": length})


def broadcast_to(draw):
    shape = draw.shape()
    return Case(lambda x: x.broadcast_to(shape), [draw.any(draw.narrowed(shape))],
                {"shape": shape})


def cat(draw):
    shape = draw.shape(min_rank=1, max_rank=3)
    axis = draw.axis(len(shape))
    parts = []
    for _ in range(draw.integer(1, 4)):
        sizes = list(shape)
        sizes[axis] = draw.integer(0, 5)
        parts.append(draw.any(sizes))
    return Case(lambda *tensors: torch.cat(tensors, axis), parts, {"dim": axis})


def transpose_reshape(draw):
    shape = draw.shape(min_rank=3, max_rank=5, empty=0)
    a, b = draw.random.sample(range(len(shape)), 2)

    def function(x):
        swapped = x.transpose(a, b)
        return swapped.reshape(*swapped.shape[:-2], swapped.shape[-2] * swapped.shape[-1])
    return Case(function, [draw.any(shape)], {"dim0": a, "dim1": b},
                "the last two axes of the transposed view become one")


# ---- Products -----------------------------------------------------------------------------------


def matmul_maker(function, swap_a=False, swap_b=False, note=""):
    def make(draw):
        m, k, n = (draw.size() for _ in range(3))
        k = 0 if draw.chance(0.05) else k
        m = draw.choice([97, 130]) if draw.chance(0.1) else m
        if not swap_a and not swap_b and draw.chance(0.1):  # vectors
            a, b = draw.choice([([k], [k]), ([m, k], [k]), ([k], [k, n]), ([2, m, k], [k])])
            return Case(function, [draw.normal(a), draw.normal(b)], note="a vector")
        outer = draw.shape(max_rank=2, empty=0.05)
        outer_a, outer_b = draw.choice([
            (outer, outer), (outer, []), ([], outer), (draw.narrowed(outer), outer),
            (outer, draw.narrowed(outer)), (draw.narrowed(outer), draw.narrowed(outer))])
        a = list(outer_a) + ([k, m] if swap_a else [m, k])
        b = list(outer_b) + ([n, k] if swap_b else [k, n])
        return Case(function, [draw.normal(a), draw.normal(b)], note=note)
    return make


def linear(draw):
    x = draw.shape(min_rank=1, max_rank=4)
    inner, outer = x[-1], draw.size()
    return Case(lambda x, w, b: x @ w + b,
                [draw.normal(x), draw.normal([inner, outer]), draw.normal([outer])],
                note="weight is [in, out]: y = x W + b")


MAKERS = {
    "add": pair_maker(torch.add),
    "sub": pair_maker(torch.sub),
    "mul": pair_maker(torch.mul),
    "div": div,
    "neg": unary_maker(torch.neg),
    "exp": unary_maker(torch.exp, limit=50.0),
    "log": positive_maker(torch.log),
    "sqrt": positive_maker(torch.sqrt),
    "tanh": unary_maker(torch.tanh),
    "sigmoid": unary_maker(torch.sigmoid),
    "relu": unary_maker(torch.relu),
    "silu": unary_maker(functional.silu),
    "gelu": gelu,
    "pow": power,
    "square_by_mul": unary_maker(lambda x: x * x),
    "reuse": unary_maker(lambda x: x * torch.exp(x) + x * torch.tanh(x), limit=20.0),
    "masked_fill": masked_fill,
    "sum": reduction_maker(sum_of, empty=0.1),
    "mean": reduction_maker(mean_of, empty=0.1),
    "var": reduction_maker(variance, empty=0.1, extra={"correction": 0}),
    "max": reduction_maker(lambda x, axes, keep: x.amax(axes, keepdim=keep), empty=0,
                           distinct=True),
    "reshape": reshape,
    "transpose": transpose,
    "permute": permute,
    "narrow": narrow,
    "broadcast_to": broadcast_to,
    "cat": cat,
    "transpose_reshape": transpose_reshape,
    "matmul": matmul_maker(torch.matmul),
    "matmul_nt": matmul_maker(lambda a, b: a @ b.transpose(-1, -2), swap_b=True,
                              note="second factor is a transposed view"),
    "matmul_tn": matmul_maker(lambda a, b: a.transpose(-1, -2) @ b, swap_a=True,
                              note="first factor is a transposed view"),
    "linear": linear,
}
