"""Takes a model that Vitro trained into PyTorch, shows that it answers the same, and trains it on,
in as many processes as PyTorch's own launcher starts:

    python3 -m torch.distributed.run --nproc_per_node 2 examples/way_on/train_in_pytorch.py \\
        --model examples/data/seeing_glass_model.safetensors --text examples/data/seeing_glass.txt \\
        --logits_program build/release/examples/logits --steps 100 --save out/trained_on.safetensors

Without the launcher it is one process. On several machines the launcher takes --nnodes and
--rdzv_endpoint, on graphics cards the backend is "nccl": see docs/the_way_on.md.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy
import torch
from torch import distributed
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from gpt_in_pytorch import Model


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--model", required=True,
                        help="what 04_char_model saved, or a GPT-2's folder")
    parser.add_argument("--text", help="the text to train a character model on")
    parser.add_argument("--tokens", help="the same for a GPT-2: its token ids, .npy")
    parser.add_argument("--logits_program", help="build/release/examples/logits, to compare with")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch_size", type=int, default=16, help="windows a process")
    parser.add_argument("--learning_rate", type=float, default=3e-4)
    parser.add_argument("--save", help="where the trained model goes, in the form it came in")
    return parser.parse_args()


def load_tokens(model, arguments):
    """All token ids of the text."""
    if arguments.tokens:
        return torch.from_numpy(numpy.load(arguments.tokens).astype("int64"))
    if model.is_folder or not arguments.text:
        sys.exit("train_in_pytorch: a character model needs --text, a GPT-2 needs --tokens")
    with open(arguments.text, encoding="utf-8") as file:
        return model.encode(file.read())


def compare_logits(model, tokens, arguments):
    """The same tokens through Vitro and through PyTorch: the largest difference of a logit."""
    ids = tokens[:min(model.config["n_positions"], len(tokens))]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "logits.npy")
        subprocess.run([arguments.logits_program, "--model", arguments.model, "--out", out,
                        "--ids", " ".join(str(int(i)) for i in ids)], check=True,
                       stdout=subprocess.DEVNULL)
        ours = torch.from_numpy(numpy.load(out))
    with torch.no_grad():
        theirs = model.module(ids[None])[0]
    difference = (ours - theirs).abs().max().item()
    scale = max(1.0, theirs.abs().max().item())
    print(f"logits of {len(ids)} positions, Vitro against PyTorch: largest difference "
          f"{difference:.2e} (largest logit {scale:.1f})", flush=True)
    if not difference <= 1e-4 * scale:
        sys.exit("train_in_pytorch: the logits differ")


def windows(tokens, size, starts):
    """(inputs, targets), each [len(starts), size]."""
    rows = torch.stack([tokens[start:start + size + 1] for start in starts])
    return rows[:, :-1], rows[:, 1:]


def loss_of(module, batch):
    inputs, targets = batch
    return functional.cross_entropy(module(inputs).flatten(0, 1), targets.flatten())


def validation_loss(module, tokens, size):
    with torch.no_grad():
        starts = torch.linspace(0, len(tokens) - size - 1, 32).long()
        return loss_of(module, windows(tokens, size, starts)).item()


def train(module, tokens, size, arguments, rank):
    """Each process draws windows of its own; the launcher's processes average their gradients."""
    draws = torch.Generator().manual_seed(1000 + rank)
    optimizer = torch.optim.AdamW(module.parameters(), lr=arguments.learning_rate,
                                  betas=(0.9, 0.99), weight_decay=0.1)
    for _ in range(arguments.steps):
        starts = torch.randint(len(tokens) - size, (arguments.batch_size,), generator=draws)
        loss = loss_of(module, windows(tokens, size, starts))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()


def check_processes_agree(module, process_count):
    """After training, every process must hold the same weights."""
    total = torch.stack([weight.double().sum() for weight in module.parameters()]).sum()
    totals = [torch.zeros_like(total) for _ in range(process_count)]
    distributed.all_gather(totals, total)
    if any(other != totals[0] for other in totals):
        sys.exit("train_in_pytorch: the processes hold different weights")


def main():
    arguments = parse_arguments()
    is_launched = "WORLD_SIZE" in os.environ
    if is_launched:
        distributed.init_process_group("gloo")
    rank = distributed.get_rank() if is_launched else 0
    process_count = distributed.get_world_size() if is_launched else 1
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // process_count))

    model = Model(arguments.model)
    tokens = load_tokens(model, arguments)
    split = len(tokens) * 9 // 10
    size = model.config["n_positions"]
    if rank == 0 and arguments.logits_program:
        compare_logits(model, tokens, arguments)

    module = DistributedDataParallel(model.module) if is_launched else model.module
    before = validation_loss(model.module, tokens[split:], size)
    train(module, tokens[:split], size, arguments, rank)
    after = validation_loss(model.module, tokens[split:], size)
    if is_launched:
        check_processes_agree(model.module, process_count)
    if rank == 0:
        print(f"{process_count} processes, {arguments.steps} steps of {arguments.batch_size} windows "
              f"each: validation loss {before:.4f} -> {after:.4f}", flush=True)
        if arguments.save:
            model.save(arguments.save)
            print(f"saved in {arguments.save}")
    if is_launched:
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
