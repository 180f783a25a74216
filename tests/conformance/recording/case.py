"""One recorded case, and the safetensors file that holds it."""
import json
import struct

import torch

TYPES = {torch.float64: "F64", torch.float32: "F32", torch.int64: "I64"}


def write_safetensors(path, tensors, metadata):
    """u64 size of the header | header (JSON) | the numbers one after the other, little-endian."""
    header, parts, place = {"__metadata__": metadata}, [], 0
    for name, tensor in tensors.items():
        values = tensor.detach().contiguous()
        part = values.numpy().tobytes()
        header[name] = {"dtype": TYPES[values.dtype], "shape": list(values.shape),
                        "data_offsets": [place, place + len(part)]}
        parts.append(part)
        place += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers start at a multiple of 8
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


class Case:
    """An operation on inputs. `function` gets the tensors; a tuple stands for out.0, out.1, …"""

    def __init__(self, function, inputs=(), attrs=None, note="", gradient=True):
        self.op = ""
        self.function = function
        self.inputs = list(inputs)
        self.attrs = attrs or {}
        self.note = note
        self.gradient = gradient
        self.grad_out = None

    def expected(self, dtype):
        """Outputs and gradients by name, computed in `dtype`."""
        leaves = []
        for tensor in self.inputs:
            floating = tensor.is_floating_point()
            leaf = tensor.to(dtype) if floating else tensor
            leaves.append(leaf.clone().requires_grad_(floating and self.gradient))
        out = self.function(*leaves)
        if isinstance(out, tuple):
            return {f"out.{i}": tensor for i, tensor in enumerate(out)}
        results = {"out": out}
        if self.gradient:
            out.backward(self.grad_out.to(out.dtype))
            for i, leaf in enumerate(leaves):
                if leaf.requires_grad:
                    unused = leaf.grad is None
                    results[f"grad.{i}"] = torch.zeros_like(leaf) if unused else leaf.grad
        return results

    def complete(self, draw):
        """Draws the upstream gradient, which has the shape of the output."""
        if self.gradient:
            with torch.no_grad():
                self.grad_out = draw.normal(self.function(*self.inputs).shape)

    def is_well_conditioned(self):
        """Whether PyTorch, too, stays within the float bound when it computes in float. Where it
        does not (differences of nearly equal numbers), the case would measure rounding alone."""
        rough = self.expected(torch.float32)
        for name, exact in self.expected(torch.float64).items():
            finite = exact[exact.isfinite()].abs()
            largest = max(1.0, finite.max().item() if finite.numel() else 0.0)
            near = rough[name].to(torch.float64)
            if not torch.allclose(near, exact, rtol=0.5e-4, atol=0.5e-5 * largest, equal_nan=True):
                return False
        return True

    def write(self, path):
        tensors = {f"in.{i}": tensor for i, tensor in enumerate(self.inputs)}
        results = self.expected(torch.float64)
        tensors.update({name: results[name] for name in results if name.startswith("out")})
        if self.gradient:
            tensors["grad_out"] = self.grad_out
        tensors.update({name: results[name] for name in results if name.startswith("grad")})
        write_safetensors(path, tensors, {
            "op": self.op, "attrs": json.dumps(self.attrs), "note": self.note,
            "source": f"PyTorch {torch.__version__}"})
