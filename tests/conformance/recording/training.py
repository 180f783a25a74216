"""Optimizers, clipping and schedules: no gradients flow here."""
import math

import torch

from recording.case import Case

TRAJECTORY_NOTE = ("in.0 the parameter, in.1 its gradient at each step; out the parameter after "
                   "each step")


def trajectory(draw, make_optimizer, attrs):
    shape = draw.shape(max_rank=3, empty=0)
    steps = draw.integer(1, 12)

    def function(start, grads):
        parameter = start.clone().requires_grad_(True)
        optimizer = make_optimizer([parameter])
        values = []
        for grad in grads:
            parameter.grad = grad.clone()
            optimizer.step()
            values.append(parameter.detach().clone())
        return torch.stack(values)
    inputs = [draw.normal(shape), draw.normal([steps] + shape, draw.choice([1.0, 0.01, 30.0]))]
    return Case(function, inputs, attrs, TRAJECTORY_NOTE, gradient=False)


def sgd(draw):
    attrs = {"lr": draw.choice([0.1, 0.5, 0.003])}
    if draw.chance(0.7):
        attrs["momentum"] = draw.choice([0.0, 0.5, 0.9])
        attrs["weight_decay"] = draw.choice([0.0, 0.01, 0.3])
    return trajectory(draw, lambda parameters: torch.optim.SGD(parameters, **attrs), attrs)


def adam_maker(optimizer, decays):
    def make(draw):
        attrs = {"lr": draw.choice([0.1, 0.01, 0.0003]), "beta1": draw.choice([0.9, 0.8, 0.0]),
                 "beta2": draw.choice([0.999, 0.95, 0.5]), "eps": draw.choice([1e-8, 1e-6, 1e-3])}
        if decays:
            attrs["weight_decay"] = draw.choice([0.0, 0.01, 0.1, 0.5])

        def make_optimizer(parameters):
            return optimizer(parameters, lr=attrs["lr"], betas=(attrs["beta1"], attrs["beta2"]),
                             eps=attrs["eps"], weight_decay=attrs.get("weight_decay", 0.0))
        return trajectory(draw, make_optimizer, attrs)
    return make


def clip_grad_norm(draw):
    grads = [draw.normal(draw.shape(max_rank=3), draw.choice([1.0, 1e-3, 100.0]))
             for _ in range(draw.integer(1, 4))]
    if draw.chance(0.1):
        grads = [torch.zeros_like(grad) for grad in grads]
    max_norm = draw.choice([1.0, 0.5, 10.0, 1e9])

    def function(*tensors):
        norm = torch.sqrt(sum((grad ** 2).sum() for grad in tensors))
        factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
        return tuple(grad * factor for grad in tensors) + (norm,)
    return Case(function, grads, {"max_norm": max_norm},
                "the clipped gradients, then the norm before; the factor is max_norm / (norm + "
                "1e-6) where that is under 1", gradient=False)


def warmup_cosine(draw):
    warmup = draw.choice([0, 1, 5, 13])
    total = warmup + draw.choice([1, 2, 15, 40])
    highest = draw.choice([1.0, 1e-3, 0.02])
    lowest = highest * draw.choice([0.0, 0.1, 1.0])
    steps = total + draw.choice([-1, 0, 5])

    def rate(step):
        if step < warmup:
            return highest * (step + 1) / (warmup + 1)
        share = min(1.0, (step - warmup) / (total - warmup))
        return lowest + 0.5 * (highest - lowest) * (1 + math.cos(math.pi * share))
    return Case(lambda: torch.tensor([rate(step) for step in range(steps)]), [],
                {"warmup": warmup, "total": total, "max_lr": highest, "min_lr": lowest,
                 "steps": steps}, gradient=False)


MAKERS = {
    "sgd": sgd,
    "adam": adam_maker(torch.optim.Adam, decays=False),
    "adamw": adam_maker(torch.optim.AdamW, decays=True),
    "clip_grad_norm": clip_grad_norm,
    "warmup_cosine": warmup_cosine,
}
