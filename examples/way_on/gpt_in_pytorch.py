"""Vitro's GPT as a PyTorch module, and the files that both read and write.

Standard library, NumPy and PyTorch only. The module's state_dict has GPT-2's names and shapes, so it
fits model.safetensors of a GPT-2 folder as it is; a character model's names are translated.
"""
import json
import math
import os
import struct

import numpy
import torch
from torch.nn import functional

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "|u1"}


def read_safetensors(path):
    """({name: tensor}, {metadata}). u64 length | JSON header | numbers."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        start = 8 + length
        metadata = header.pop("__metadata__", {})
        tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            file.seek(start + begin)
            data = bytearray(file.read(end - begin))
            if entry["dtype"] == "BF16":  # the upper half of an F32
                half = numpy.frombuffer(data, "<u2").astype("<u4") << 16
                array = half.view("<f4")
            else:
                array = numpy.frombuffer(data, DTYPES[entry["dtype"]])
            tensors[name] = torch.from_numpy(array.reshape(entry["shape"]))
    return tensors, metadata


def write_safetensors(path, tensors, metadata):
    """F32 and I64 tensors, the larger items first, then by name, packed."""
    arrays = {name: tensor.detach().contiguous().numpy() for name, tensor in tensors.items()}
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    header, begin = {"__metadata__": metadata}, 0
    for name in order:
        array = arrays[name]
        dtype = {"<f4": "F32", "<i8": "I64"}[array.dtype.str]
        header[name] = {"dtype": dtype, "shape": list(array.shape),
                        "data_offsets": [begin, begin + array.nbytes]}
        begin += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in order:
            file.write(arrays[name].tobytes())


class Affine(torch.nn.Module):
    """y = x W + b with W [in, out]: the other way round than torch.nn.Linear keeps it."""

    def __init__(self, size_in, size_out):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(size_in, size_out))
        self.bias = torch.nn.Parameter(torch.empty(size_out))

    def forward(self, x):
        return torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight).view(
            *x.shape[:-1], -1)


class Attention(torch.nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        self.heads = heads
        self.c_attn = Affine(width, 3 * width)
        self.c_proj = Affine(width, width)

    def forward(self, x, memory=None):
        """x [batch, time, width]; memory: room for keys and values, and how many are there."""
        batch, time, width = x.shape
        q, k, v = (part.view(batch, time, self.heads, -1).transpose(1, 2)
                   for part in self.c_attn(x).split(width, -1))  # [batch, heads, time, size]
        start = 0
        if memory is not None:
            start = memory["length"]
            memory["keys"][:, :, start:start + time] = k
            memory["values"][:, :, start:start + time] = v
            k, v = (memory[name][:, :, :start + time] for name in ("keys", "values"))
            memory["length"] = start + time
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if time > 1:
            future = torch.ones(time, start + time, dtype=torch.bool).triu(start + 1)
            scores = scores.masked_fill(future, -math.inf)
        mixture = torch.softmax(scores, -1) @ v
        return self.c_proj(mixture.transpose(1, 2).reshape(batch, time, width))


class FeedForward(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c_fc = Affine(width, 4 * width)
        self.c_proj = Affine(4 * width, width)

    def forward(self, x):
        return self.c_proj(functional.gelu(self.c_fc(x), approximate="tanh"))


class Block(torch.nn.Module):
    def __init__(self, heads, width, epsilon):
        super().__init__()
        self.ln_1 = torch.nn.LayerNorm(width, epsilon)
        self.attn = Attention(heads, width)
        self.ln_2 = torch.nn.LayerNorm(width, epsilon)
        self.mlp = FeedForward(width)

    def forward(self, x, memory=None):
        x = x + self.attn(self.ln_1(x), memory)
        return x + self.mlp(self.ln_2(x))


class Gpt(torch.nn.Module):
    def __init__(self, config, tied):
        super().__init__()
        width, heads = config["n_embd"], config["n_head"]
        self.config = config
        epsilon = config.get("layer_norm_epsilon", 1e-5)
        self.wte = torch.nn.Embedding(config["vocab_size"], width)
        self.wpe = torch.nn.Embedding(config["n_positions"], width)
        self.h = torch.nn.ModuleList(Block(heads, width, epsilon)
                                     for _ in range(config["n_layer"]))
        self.ln_f = torch.nn.LayerNorm(width, epsilon)
        self.lm_head = None if tied else torch.nn.Linear(width, config["vocab_size"], bias=False)

    def make_memory(self):
        """Room for the keys and values of every block: for generation."""
        heads, width = self.config["n_head"], self.config["n_embd"]
        size = (1, heads, self.config["n_positions"], width // heads)
        return [{"keys": torch.zeros(size), "values": torch.zeros(size), "length": 0}
                for _ in self.h]

    def forward(self, ids, memory=None, last_only=False):
        """ids [batch, time] -> logits [batch, time, vocab_size], or only of the last position."""
        start = memory[0]["length"] if memory else 0
        x = self.wte(ids) + self.wpe.weight[start:start + ids.size(1)]
        for i, block in enumerate(self.h):
            x = block(x, memory[i] if memory else None)
        x = self.ln_f(x[:, -1:] if last_only else x)
        head = self.wte if self.lm_head is None else self.lm_head
        return functional.linear(x, head.weight)


# Vitro's words and GPT-2's, as in nn/models/gpt2_files.cpp.
OUTSIDE = {"tokens": "wte", "positions": "wpe", "norm": "ln_f", "head": "lm_head.weight"}
INSIDE = {"attention.w_qkv": "attn.c_attn.weight", "attention.b_qkv": "attn.c_attn.bias",
          "attention.w_o": "attn.c_proj.weight", "attention.b_o": "attn.c_proj.bias",
          "norm_1": "ln_1", "norm_2": "ln_2",
          "feed_forward.expand": "mlp.c_fc", "feed_forward.contract": "mlp.c_proj"}


def gpt2_name(name):
    """Vitro's name of a parameter -> GPT-2's: "block_0.norm_1.weight" -> "h.0.ln_1.weight"."""
    first, _, rest = name.partition(".")
    if not first.startswith("block_"):
        return OUTSIDE[first] + ("." + rest if rest else "")
    if rest in INSIDE:
        return f"h.{first[6:]}.{INSIDE[rest]}"
    part, _, kind = rest.rpartition(".")
    return f"h.{first[6:]}.{INSIDE[part]}.{kind}"


class Model:
    """A saved model: the module, and what is needed to write it back in the same form."""

    def __init__(self, path):
        self.is_folder = os.path.isdir(path)
        if self.is_folder:  # a GPT-2
            with open(os.path.join(path, "config.json"), encoding="utf-8") as file:
                self.config = json.load(file)
            self.config.setdefault("n_positions", self.config.get("n_ctx"))
            tensors, self.metadata = read_safetensors(os.path.join(path, "model.safetensors"))
            self.names = {name: name.removeprefix("transformer.") for name in tensors
                          if not name.endswith((".attn.bias", ".attn.masked_bias"))
                          and name != "lm_head.weight"}
        else:  # what 04_char_model saved
            tensors, self.metadata = read_safetensors(path)
            sizes = {ours: int(self.metadata[ours])
                     for ours in ("n_layer", "n_head", "n_embd", "block_size")}
            self.characters = [bytes.fromhex(text).decode()
                               for text in self.metadata["characters"].split(",")]
            self.config = dict(sizes, n_positions=sizes["block_size"],
                               vocab_size=len(self.characters))
            self.names = {name: gpt2_name(name) for name in tensors
                          if not name.startswith("optimizer.")}
        with torch.no_grad():
            self.module = Gpt(self.config, tied="lm_head.weight" not in self.names.values())
        self.module.load_state_dict({theirs: tensors[name].float()
                                     for name, theirs in self.names.items()})

    def encode(self, text):
        """The text's characters as ids."""
        ids = {character: i for i, character in enumerate(self.characters)}
        return torch.tensor([ids[character] for character in text if character in ids])

    def save(self, path):
        """In the form in which it was read, so that Vitro loads it again."""
        state = self.module.state_dict()
        tensors = {name: state[theirs] for name, theirs in self.names.items()}
        if self.is_folder:
            os.makedirs(path, exist_ok=True)
            with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as file:
                json.dump(self.config, file, indent=1)
            path = os.path.join(path, "model.safetensors")
        write_safetensors(path, tensors, self.metadata)
