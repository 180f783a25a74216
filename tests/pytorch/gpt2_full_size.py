"""GPT-2's full shape (124 million parameters, random weights) through Vitro and through PyTorch:
load time, peak memory, logits, and tokens a second with a cache, all in one run.

    python3 tests/pytorch/gpt2_full_size.py build/release/examples

Needs PyTorch and 2 GB of memory. Exits with 1 where logits differ, or where loading takes more memory
than the weights and 10 %. Times are printed and never fail.
"""
import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "way_on"))
from gpt_in_pytorch import Gpt, Model, write_safetensors  # noqa: E402

CONFIG = {"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768, "vocab_size": 50257,
          "n_positions": 1024, "n_ctx": 1024, "layer_norm_epsilon": 1e-5,
          "activation_function": "gelu_new"}
END = "<|endoftext|>"


def write_weights(folder):
    """Normal draws everywhere, so that no part of the model is without effect."""
    torch.manual_seed(4)
    module = Gpt(CONFIG, tied=True)
    with torch.no_grad():
        for name, weight in module.named_parameters():
            is_gain = "ln_" in name and name.endswith("weight")
            weight.normal_(1.0 if is_gain else 0.0, 0.05)
    write_safetensors(folder / "model.safetensors", module.state_dict(), {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(CONFIG))


def write_vocabulary(folder):
    """50,257 tokens in GPT-2's form: the bytes, 50,000 pairs of bytes, the end of a text."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = [chr(byte) for byte in plain] + [chr(256 + i) for i in range(len(others))]
    pairs = [(a, b) for a in letters for b in letters][:50_000]
    tokens = letters + [a + b for a, b in pairs] + [END]
    (folder / "vocab.json").write_text(
        json.dumps({token: i for i, token in enumerate(tokens)}, ensure_ascii=False),
        encoding="utf-8")
    (folder / "merges.txt").write_text(
        "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in pairs), encoding="utf-8")


# A child's peak counts what its parent held at the fork: a small Python stands in between.
MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def run(command):
    """(what it said on stderr, its peak memory in bytes)"""
    result = subprocess.run([sys.executable, "-c", MEASURE, *map(str, command)],
                            capture_output=True, text=True, errors="replace")
    if result.returncode != 0:
        sys.exit(f"{command[0]} failed: {result.stderr}")
    return result.stderr, int(result.stdout) * 1024


def check_loading(gpt2, folder, parameter_count):
    run([gpt2, "--model", folder, "--prompt", "a", "--max_new_tokens", "0"])  # into the page cache
    text, peak = run([gpt2, "--model", folder, "--prompt", "a", "--max_new_tokens", "0"])
    weights = 4 * parameter_count
    print(f"loading: {text.strip()}; peak memory {peak / 1e6:.0f} MB, weights {weights / 1e6:.0f} MB: "
          f"{100 * (peak / weights - 1):+.1f} %", flush=True)
    return peak <= 1.1 * weights


def check_logits(logits, folder, module):
    ids = torch.randint(CONFIG["vocab_size"], (64,), generator=torch.Generator().manual_seed(5))
    out = folder / "logits.npy"
    run([logits, "--model", folder, "--ids", " ".join(map(str, ids.tolist())), "--out", out])
    ours = torch.from_numpy(numpy.load(out))
    with torch.no_grad():
        theirs = module(ids[None])[0]
    difference = (ours - theirs).abs()
    worst = (difference / theirs.abs().clamp(min=1)).max().item()
    print(f"logits [64, 50257], from {theirs.min():.1f} to {theirs.max():.1f}: largest difference "
          f"{difference.max():.1e}, {worst:.1e} of the larger of 1 and the logit", flush=True)
    return worst <= 1e-4


def torch_speed(module, prompt, count):
    """Tokens a second after the first, greedy, with a cache."""
    with torch.inference_mode():
        memory = module.make_memory()
        token = module(prompt, memory, last_only=True).argmax(-1)
        start = time.perf_counter()
        for _ in range(count - 1):
            token = module(token, memory, last_only=True).argmax(-1)
        return (count - 1) / (time.perf_counter() - start)


def our_speed(gpt2, folder, prompt, count, threads):
    text, _ = run([gpt2, "--model", folder, "--prompt", prompt, "--max_new_tokens", str(count),
                   "--temperature", "0", "--threads", str(threads)])
    return float(re.search(r"([\d.]+) tokens/s", text).group(1))


def compare_speeds(gpt2, folder, module, arguments):
    prompt = "abcdefghijklmnop"  # eight pairs: eight tokens
    ids = torch.arange(8)[None]
    for threads in arguments.threads:
        torch.set_num_threads(threads)
        ours, theirs = [], []
        for _ in range(arguments.rounds):  # in turns: the machine's mood is shared
            ours.append(our_speed(gpt2, folder, prompt, arguments.count, threads))
            theirs.append(torch_speed(module, ids, arguments.count))
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{threads} threads: Vitro {a:.1f} tokens/s, PyTorch {torch.__version__} {b:.1f}: "
              f"ratio {a / b:.2f} (medians of {arguments.rounds}, {arguments.count} tokens)",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("programs", type=Path, help="folder of gpt2 and logits")
    parser.add_argument("--folder", type=Path, help="keeps the model there, or uses it")
    parser.add_argument("--count", type=int, default=50, help="tokens to write")
    parser.add_argument("--rounds", type=int, default=3, help="0: no speeds")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "merges.txt").exists():
            write_weights(folder)
            write_vocabulary(folder)
        gpt2 = arguments.programs / "gpt2"
        module = Model(str(folder)).module.eval()
        parameter_count = sum(weight.numel() for weight in module.parameters())
        loads = check_loading(gpt2, folder, parameter_count)
        agrees = check_logits(arguments.programs / "logits", folder, module)
        if arguments.rounds > 0:
            compare_speeds(gpt2, folder, module, arguments)
    return 0 if loads and agrees else 1


if __name__ == "__main__":
    sys.exit(main())
