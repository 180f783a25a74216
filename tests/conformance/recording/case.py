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

    def write(self, path, draw):
        tensors = {f"in.{i}": tensor for i, tensor in enumerate(self.inputs)}
        leaves = [tensor.clone().requires_grad_(tensor.is_floating_point() and self.gradient)
                  for tensor in self.inputs]
        out = self.function(*leaves)
        if isinstance(out, tuple):
            tensors.update({f"out.{i}": tensor for i, tensor in enumerate(out)})
        else:
            tensors["out"] = out
        if self.gradient:
            grad_out = draw.normal(out.shape)
            tensors["grad_out"] = grad_out
            out.backward(grad_out)
            for i, leaf in enumerate(leaves):
                if leaf.requires_grad:
                    grad = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
                    tensors[f"grad.{i}"] = grad
        write_safetensors(path, tensors, {
            "op": self.op, "attrs": json.dumps(self.attrs), "note": self.note,
            "source": f"PyTorch {torch.__version__}"})
