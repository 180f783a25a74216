#!/usr/bin/env python3
"""What train_step measures, in PyTorch: the same model, the same options, the same line of JSON.

Blocks that normalize first, learned positions, biases, GELU by tanh, an output layer of its own
without bias, AdamW on every parameter, random tokens.
"""
import argparse
import json
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

SIZES = ("n_layer", "n_head", "n_embd", "block_size", "batch_size", "vocab_size")
PRESETS = {
    "a": (1, 1, 32, 16, 32, 16),
    "b": (2, 4, 64, 32, 32, 32),
    "c": (4, 4, 128, 64, 12, 65),
    "d": (6, 6, 384, 256, 8, 65),
}


class Block(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.heads = s.n_head
        self.norm_1 = nn.LayerNorm(s.n_embd)
        self.w_qkv = nn.Linear(s.n_embd, 3 * s.n_embd)
        self.w_o = nn.Linear(s.n_embd, s.n_embd)
        self.norm_2 = nn.LayerNorm(s.n_embd)
        self.expand = nn.Linear(s.n_embd, 4 * s.n_embd)
        self.contract = nn.Linear(4 * s.n_embd, s.n_embd)
        future = torch.ones(s.block_size, s.block_size, dtype=torch.bool).triu(1)
        self.register_buffer("future", future)

    def attend(self, x, memory):
        batch, time_, width = x.shape
        q, k, v = (part.reshape(batch, time_, self.heads, -1).transpose(1, 2)
                   for part in self.w_qkv(x).chunk(3, dim=-1))
        if memory is not None:
            if memory:
                k = torch.cat((memory[0], k), dim=2)
                v = torch.cat((memory[1], v), dim=2)
            memory[:] = k, v
        keys = k.shape[2]
        scores = q @ k.transpose(2, 3) * q.shape[-1] ** -0.5
        if time_ > 1:
            scores = scores.masked_fill(self.future[keys - time_:keys, :keys], -torch.inf)
        y = torch.softmax(scores, dim=-1) @ v
        return self.w_o(y.transpose(1, 2).reshape(batch, time_, width))

    def forward(self, x, memory=None):
        x = x + self.attend(self.norm_1(x), memory)
        hidden = F.gelu(self.expand(self.norm_2(x)), approximate="tanh")
        return x + self.contract(hidden)


class Gpt(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.tokens = nn.Embedding(s.vocab_size, s.n_embd)
        self.positions = nn.Embedding(s.block_size, s.n_embd)
        self.blocks = nn.ModuleList(Block(s) for _ in range(s.n_layer))
        self.norm = nn.LayerNorm(s.n_embd)
        self.head = nn.Linear(s.n_embd, s.vocab_size, bias=False)

    def forward(self, ids, memory=None, start=0):
        x = self.tokens(ids) + self.positions.weight[start:start + ids.shape[1]]
        for i, block in enumerate(self.blocks):
            x = block(x, None if memory is None else memory[i])
        return self.head(self.norm(x))


def train(model, s):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
    tokens = torch.randint(s.vocab_size, (64, 2, s.batch_size, s.block_size))
    count = 0

    def step():
        nonlocal count
        inputs, targets = tokens[count % 64]
        count += 1
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss.item()

    for _ in range(3):
        step()
    times = []
    begin = time.perf_counter()
    while len(times) < 8 or time.perf_counter() - begin < s.seconds:
        start = time.perf_counter()
        step()
        times.append(1e3 * (time.perf_counter() - start))
    return {"ms_median": statistics.median(times), "ms_min": min(times), "steps": len(times)}


def generate(model, s):
    """One token at a time; a full window is cut to its last half, as nn::generate does."""
    rates = []
    begin = time.perf_counter()
    with torch.no_grad():
        while len(rates) < 3 or time.perf_counter() - begin < s.seconds:
            start = time.perf_counter()
            window, memory = [0], None if s.no_cache else [[] for _ in model.blocks]
            seen = 0
            for _ in range(s.generate):
                if len(window) > s.block_size:
                    window = window[-(s.block_size // 2):]
                    memory, seen = None if s.no_cache else [[] for _ in model.blocks], 0
                new = window if s.no_cache else window[seen:]
                logits = model(torch.tensor([new]), memory, 0 if s.no_cache else seen)[0, -1]
                seen = len(window)
                window.append(int(torch.multinomial(torch.softmax(logits, dim=-1), 1)))
            rates.append(s.generate / (time.perf_counter() - start))
    return {"tokens_per_s": statistics.median(rates)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", choices=PRESETS, default="c")
    for name in SIZES:
        parser.add_argument("--" + name, type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--generate", type=int, default=0)
    parser.add_argument("--no-cache", action="store_true")
    s = parser.parse_args()
    for name, preset in zip(SIZES, PRESETS[s.config]):
        if getattr(s, name) is None:
            setattr(s, name, preset)
    torch.set_num_threads(s.threads)
    torch.manual_seed(1)
    model = Gpt(s)
    print(json.dumps(generate(model, s) if s.generate else train(model, s)))


if __name__ == "__main__":
    main()
