#!/usr/bin/python3
"""Makes recorded cases for the conformance programs: operations as PyTorch computes them in double.

    /usr/bin/python3 make_cases.py OUT_DIR --seed 1 --per_op 20 [--ops matmul,softmax] [--models 2]

needs PyTorch 1.13 or later (Debian: python3-torch) and nothing else. The same arguments give the
same cases. See README.md beside this file for what a case holds.
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True

import torch

from recording import basic, layers, model, training
from recording.draw import Draw


def makers():
    """Operation name -> function of (Draw) that draws one case."""
    return {**basic.MAKERS, **layers.MAKERS, **training.MAKERS}


def draw_case(make, op, draw):
    """The next case that tells something about the library."""
    while True:
        case = make(draw)
        case.op = op
        case.complete(draw)
        if case.is_well_conditioned():
            return case


def main():
    parser = argparse.ArgumentParser(description="Makes cases for the conformance programs.")
    parser.add_argument("out_dir", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per_op", type=int, default=5, help="cases of each operation")
    parser.add_argument("--ops", default="", help="only these operations, with commas")
    parser.add_argument("--models", type=int, default=1, help="whole models")
    arguments = parser.parse_args()

    table = makers()
    wanted = arguments.ops.split(",") if arguments.ops else sorted(table)
    unknown = sorted(set(wanted) - set(table))
    if unknown:
        parser.error(f"unknown operation: {', '.join(unknown)}")

    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)  # sums in one order on every machine
    arguments.out_dir.mkdir(parents=True, exist_ok=True)
    for op in wanted:
        # Each operation draws from a stream of its own: --ops does not change a case.
        draw = Draw(f"{arguments.seed} {op}")
        for number in range(1, arguments.per_op + 1):
            case = draw_case(table[op], op, draw)
            case.write(arguments.out_dir / f"{op}__{number:03}.safetensors")
    for number in range(1, arguments.models + 1):
        draw = Draw(f"{arguments.seed} model {number}")
        model.write(arguments.out_dir / f"gpt2-{number}", draw)


if __name__ == "__main__":
    main()
