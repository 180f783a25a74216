"""A whole GPT-2 of random size: its files, its gradients, and six training steps."""
import json

import torch
from torch.nn import functional

from recording.case import write_safetensors
from recording.draw import to_float
from recording.layers import attention

ACTIVATIONS = {
    "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
    "gelu": functional.gelu,
    "relu": torch.relu,
}
STEPS = 6
NOTE = ("model.safetensors before training; logits and grad.* at step 0; losses and "
        "norms-before-clipping (to 1.0) of each AdamW step: lr 1e-3, betas 0.9 0.95, eps 1e-8, "
        "weight decay 0.1 on tensors of two or more dims and 0 on the rest")


def draw_config(draw):
    heads = draw.integer(1, 4)
    positions = draw.integer(2, 20)
    return {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2",
            "n_layer": draw.integer(1, 3), "n_head": heads,
            "n_embd": heads * draw.choice([1, 3, 8, 11]),
            "vocab_size": draw.choice([2, 13, 31, 65]), "n_positions": positions,
            "n_ctx": positions, "layer_norm_epsilon": draw.choice([1e-5, 1e-5, 1e-3]),
            "activation_function": draw.choice(["gelu_new", "gelu_new", "gelu", "relu"])}


def draw_weights(draw, config):
    """GPT-2's names and shapes ([in, out]); every number random, so that none hides an error."""
    width = config["n_embd"]
    shapes = {"wte.weight": [config["vocab_size"], width],
              "wpe.weight": [config["n_positions"], width]}
    for layer in range(config["n_layer"]):
        for name, shape in {
                "ln_1.weight": [width], "ln_1.bias": [width],
                "ln_2.weight": [width], "ln_2.bias": [width],
                "attn.c_attn.weight": [width, 3 * width], "attn.c_attn.bias": [3 * width],
                "attn.c_proj.weight": [width, width], "attn.c_proj.bias": [width],
                "mlp.c_fc.weight": [width, 4 * width], "mlp.c_fc.bias": [4 * width],
                "mlp.c_proj.weight": [4 * width, width], "mlp.c_proj.bias": [width]}.items():
            shapes[f"h.{layer}.{name}"] = shape
    shapes.update({"ln_f.weight": [width], "ln_f.bias": [width]})
    weights = {name: draw.normal(shape, 0.15) for name, shape in shapes.items()}
    for name in weights:
        if "ln_" in name and name.endswith("weight"):
            weights[name] = to_float(weights[name] + 1.0)
    return weights


def forward(tokens, config, w):
    """tokens [batch, time] -> logits [batch, time, vocab]."""
    batch, time = tokens.shape
    heads, width = config["n_head"], config["n_embd"]

    def norm(x, name):
        return functional.layer_norm(x, [width], w[name + ".weight"], w[name + ".bias"],
                                     config["layer_norm_epsilon"])

    def linear(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    def split(x):  # [batch, time, width] -> [batch, heads, time, width / heads]
        return x.reshape(batch, time, heads, width // heads).transpose(1, 2)

    x = w["wte.weight"][tokens] + w["wpe.weight"][:time]
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        q, k, v = linear(norm(x, h + "ln_1"), h + "attn.c_attn").split(width, -1)
        mixture = attention(split(q), split(k), split(v), causal=True)
        x = x + linear(mixture.transpose(1, 2).reshape(batch, time, width), h + "attn.c_proj")
        hidden = ACTIVATIONS[config["activation_function"]](linear(norm(x, h + "ln_2"),
                                                                   h + "mlp.c_fc"))
        x = x + linear(hidden, h + "mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


def train(tokens, config, weights):
    """What expected.safetensors holds; `weights` are trained."""
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    decayed = [weight for weight in weights.values() if weight.dim() >= 2]
    others = [weight for weight in weights.values() if weight.dim() < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
        lr=1e-3, betas=(0.9, 0.95), eps=1e-8)
    expected, losses, norms = {"tokens": tokens}, [], []
    for step in range(STEPS):
        optimizer.zero_grad()
        logits = forward(inputs, config, weights)
        loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        loss.backward()
        if step == 0:
            expected["logits"] = logits
            grads = {f"grad.{name}": weight.grad.clone() for name, weight in weights.items()}
        losses.append(loss.item())
        norms.append(torch.nn.utils.clip_grad_norm_(weights.values(), 1.0).item())
        optimizer.step()
    return {**expected, "losses": torch.tensor(losses), "grad_norms": torch.tensor(norms),
            **grads}


def write(folder, draw):
    config = draw_config(draw)
    weights = draw_weights(draw, config)
    tokens = draw.below(config["vocab_size"],
                        [draw.integer(1, 3), draw.integer(1, config["n_positions"]) + 1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    write_safetensors(folder / "model.safetensors",
                      {name: weight.to(torch.float32) for name, weight in weights.items()},
                      {"format": "pt"})
    trained = {name: weight.clone().requires_grad_(True) for name, weight in weights.items()}
    write_safetensors(folder / "expected.safetensors", train(tokens, config, trained),
                      {"op": "gpt2", "note": NOTE, "source": f"PyTorch {torch.__version__}"})
