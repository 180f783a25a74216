"""Softmax, losses, norms, attention and positions."""
import math

import torch
from torch.nn import functional

from recording.case import Case
from recording.draw import to_float

# ---- Softmax and losses -------------------------------------------------------------------------


def softmax_maker(function):
    def make(draw):
        shape = draw.shape()
        axis = draw.axis(len(shape)) if shape else draw.choice([0, -1])
        kind = draw.integer(0, 3) if shape else 3
        note = ""
        x = draw.any(shape)
        if kind == 0:
            x, note = draw.extremes(shape, 1e5), "large values"
        elif kind == 1 and shape[axis] > 1:
            # -inf here and there; each row keeps a number.
            hidden = draw.bits(shape, 0.4).bool()
            hidden.select(axis, draw.integer(0, shape[axis] - 1)).fill_(False)
            x, note = x.masked_fill(hidden, -math.inf), "-inf entries"
        return Case(lambda t: function(t, axis), [x], {"dim": axis}, note)
    return make


def cross_entropy(draw):
    rows = draw.shape(max_rank=2, empty=0)
    classes = draw.choice([2, 3, 7, 16, 31, 65])
    scale = draw.choice([0.0, 1.0, 1.0, 10.0, 1000.0])
    logits, targets = draw.normal(rows + [classes], scale), draw.below(classes, rows)
    attrs = {}
    if draw.chance(0.4):
        attrs["label_smoothing"] = draw.choice([0.1, 0.25, 0.9])
    if draw.chance(0.4):
        # A value outside the classes or one of them; at least one target is counted.
        ignored = draw.choice([-1, -100, 0, classes - 1])
        targets = torch.where(draw.bits(rows, 0.4).bool(), torch.tensor(ignored), targets)
        targets.view(-1)[0] = 1 if ignored == 0 else 0
        attrs["ignore_index"] = ignored
    if "label_smoothing" not in attrs and draw.chance(0.2):
        # Classes that cannot be; never a target.
        hidden = draw.bits(logits.shape, 0.3).bool()
        wanted = torch.where((targets < 0) | (targets >= classes), 0, targets)
        hidden.scatter_(-1, wanted.unsqueeze(-1), False)
        logits = logits.masked_fill(hidden, -math.inf)

    def function(x, ids):  # the classes are the last axis
        return functional.cross_entropy(x.reshape(-1, classes), ids.reshape(-1), **attrs)
    return Case(function, [logits, targets], attrs)


def mse_loss(draw):
    shape = draw.shape(empty=0)
    return Case(functional.mse_loss, [draw.any(shape), draw.any(shape)])


def embedding(draw):
    count, width = draw.size() + 1, draw.size()
    ids = draw.below(count, draw.shape(max_rank=3))
    return Case(lambda table, i: table[i], [draw.any([count, width]), ids])


# ---- Norms --------------------------------------------------------------------------------------


def norm_input(draw):
    """x [.., width], gain [width], bias [width], and epsilon; some rows constant or far from 0."""
    shape = draw.shape(min_rank=1)
    x = draw.normal(shape, draw.choice([0.01, 1.0, 1.0, 30.0]))
    kind = draw.integer(0, 9)
    if kind == 0:
        x = torch.full(shape, draw.choice([0.0, 1.5, -40.0]))
    elif kind == 1:
        x = to_float(x + 8.0)
    width = shape[-1:]
    return x, draw.normal(width), draw.normal(width), draw.choice([1e-5, 1e-5, 1e-6, 1e-3, 0.1])


def layer_norm(draw):
    x, gain, bias, eps = norm_input(draw)

    def function(x, g, b):
        return functional.layer_norm(x, g.shape, g, b, eps)
    return Case(function, [x, gain, bias], {"eps": eps})


def rms_norm(draw):
    x, gain, _, eps = norm_input(draw)

    def function(x, g):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * g
    return Case(function, [x, gain], {"eps": eps})


# ---- Attention ----------------------------------------------------------------------------------


def attention(q, k, v, causal, mask=None):
    """softmax(q kᵀ/√d_k) v. A query that may look at nothing gives zeros, and zero gradients."""
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    queries, keys = scores.shape[-2:]
    allowed = torch.ones(scores.shape, dtype=torch.bool)
    if causal:  # query i sees keys up to i + keys - queries: both end at the same time
        allowed = allowed.tril(keys - queries)
    if mask is not None:
        allowed = allowed & mask.bool()
    blind = ~allowed.any(-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(~allowed, -math.inf).masked_fill(blind, 0.0), -1)
    return weights.masked_fill(~allowed, 0.0) @ v


def causal_and_mask(draw, scores_shape):
    """Causal or not, and the mask as a list of no or one tensor."""
    causal = draw.chance(0.5)
    if draw.chance(0.5):
        return causal, []
    mask = draw.bits(draw.narrowed(scores_shape), draw.choice([0.3, 0.6, 0.9]))
    return causal, [mask]


MASK_NOTE = "1 in the mask: may look; a query that may look at nothing gives zeros"


def scaled_dot_product_attention(draw):
    outer = draw.shape(max_rank=2, empty=0)
    queries, d_k, d_v = draw.size(), draw.size(), draw.size()
    keys = queries if draw.chance(0.4) else draw.size()
    scale = draw.choice([1.0, 1.0, 1.0, 6.0])
    outer_k = draw.narrowed(outer) if draw.chance(0.15) else outer
    causal, mask = causal_and_mask(draw, outer + [queries, keys])
    inputs = [draw.normal(outer + [queries, d_k], scale), draw.normal(outer_k + [keys, d_k]),
              draw.normal(outer_k + [keys, d_v])]
    return Case(lambda q, k, v, *m: attention(q, k, v, causal, *m), inputs + mask,
                {"causal": causal}, MASK_NOTE if mask else "")


def self_attention(draw):
    batch, time, width, d_k, d_v = (draw.size() for _ in range(5))
    outer = [batch] if draw.chance(0.9) else []
    causal, mask = causal_and_mask(draw, outer + [time, time])
    inputs = [draw.normal(outer + [time, width]), draw.normal([width, d_k]),
              draw.normal([width, d_k]), draw.normal([width, d_v])]

    def function(x, w_q, w_k, w_v, *m):
        return attention(x @ w_q, x @ w_k, x @ w_v, causal, *m)
    return Case(function, inputs + mask, {"causal": causal}, MASK_NOTE if mask else "")


def multi_head_attention(draw):
    batch, time, width = (draw.size() for _ in range(3))
    heads, d_k = draw.integer(1, 4), draw.integer(1, 6)
    d_v, width_out = (d_k, heads * d_k) if draw.chance(0.7) else (draw.integer(1, 6), draw.size())
    width = heads * d_k if draw.chance(0.7) else width
    causal, mask = causal_and_mask(draw, [batch, heads, time, time])
    weights = [[width, heads * d_k], [width, heads * d_k], [width, heads * d_v],
               [heads * d_v, width_out]]
    inputs = [draw.normal([batch, time, width])]
    inputs += [draw.normal(shape, shape[0] ** -0.5) for shape in weights]

    def split(x):  # [batch, time, heads * d] -> [batch, heads, time, d]
        return x.reshape(batch, time, heads, -1).transpose(1, 2)

    def function(x, w_q, w_k, w_v, w_o, *m):
        mixture = attention(split(x @ w_q), split(x @ w_k), split(x @ w_v), causal, *m)
        return mixture.transpose(1, 2).reshape(batch, time, heads * d_v) @ w_o
    return Case(function, inputs + mask, {"heads": heads, "causal": causal},
                "x, W_Q, W_K, W_V, W_O; head i uses columns i*d_k to (i+1)*d_k")


# ---- Positions ----------------------------------------------------------------------------------


def rope(draw):
    shape = draw.shape(min_rank=1, max_rank=3, empty=0.05) + [2 * draw.integer(1, 9)]
    base = draw.choice([10000.0, 10000.0, 500.0, 2.0])

    def function(x):
        time, size = x.shape[-2:]
        rates = base ** (-torch.arange(0, size, 2) / size)
        angles = torch.arange(time)[:, None] * rates  # [time, size / 2]
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = [even * angles.cos() - odd * angles.sin(),
                  even * angles.sin() + odd * angles.cos()]
        return torch.stack(turned, -1).reshape(x.shape)
    return Case(function, [draw.any(shape)], {"base": base},
                "neighbouring pairs (2i, 2i+1) turn together; dims [..., time, d]")


def alibi_bias(draw):
    heads, length = draw.integer(1, 12), draw.size()

    def function():
        slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)
        steps = torch.arange(length)
        distance = (steps[:, None] - steps).clamp(min=0)  # 0 for later keys
        return -slopes[:, None, None] * distance
    return Case(function, [], {"heads": heads, "length": length}, gradient=False)


def sinusoidal_positions(draw):
    length, width = draw.choice([1, 2, 6, 65, 300]), draw.integer(1, 17)

    def function():
        axis = torch.arange(width)
        angles = torch.arange(length)[:, None] * 10000.0 ** (-(axis - axis % 2) / width)
        return torch.where(axis % 2 == 0, angles.sin(), angles.cos())
    return Case(function, [], {"length": length, "d": width}, gradient=False)


MAKERS = {
    "softmax": softmax_maker(torch.softmax),
    "log_softmax": softmax_maker(torch.log_softmax),
    "cross_entropy": cross_entropy,
    "mse_loss": mse_loss,
    "embedding": embedding,
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "scaled_dot_product_attention": scaled_dot_product_attention,
    "self_attention": self_attention,
    "multi_head_attention": multi_head_attention,
    "rope": rope,
    "alibi_bias": alibi_bias,
    "sinusoidal_positions": sinusoidal_positions,
}
