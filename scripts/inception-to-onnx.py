"""Writes the Inception network of 2015, with whose features FID is computed, as ONNX, without torch.

Usage: inception-to-onnx.py --weights pt_inception-2015-12-05-6726825d.pth [MODEL]
       inception-to-onnx.py --random-seed N MODEL

The weights are those that pytorch-fid publishes with its releases, under fid_weights. Without MODEL they are written to where
`hype metrics fid` looks for them. Weights that are drawn from a seed show that programs agree, and nothing about images.
Prints the SHA-256 of the model. Needs numpy and onnx; the name of onnxruntime's library is printed if it is installed, too.

The architecture is that of Szegedy et al. 2016, Rethinking the Inception Architecture, with the poolings of the published graph.
Batch normalization is folded into the convolution before it, in double precision.
"""

import argparse
import hashlib
import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch_weights import weights

PUBLISHED = "6726825d0af5f729cebd5821db510b11b1cfad8faad88a03f1befd49fb9129b2"

# A convolution: its name, channels and kernel, with stride 2 where it is reduced. A list within a branch forks it.
MEAN, MAX, REDUCED = "AveragePool", "MaxPool", 2


def block_a(pooled):
    return [
        [("branch1x1", 64, 1)],
        [("branch5x5_1", 48, 1), ("branch5x5_2", 64, 5)],
        [("branch3x3dbl_1", 64, 1), ("branch3x3dbl_2", 96, 3), ("branch3x3dbl_3", 96, 3)],
        [MEAN, ("branch_pool", pooled, 1)],
    ]


BLOCK_B = [
    [("branch3x3", 384, 3, REDUCED)],
    [("branch3x3dbl_1", 64, 1), ("branch3x3dbl_2", 96, 3), ("branch3x3dbl_3", 96, 3, REDUCED)],
    [(MAX, REDUCED)],
]


def block_c(inner):
    return [
        [("branch1x1", 192, 1)],
        [("branch7x7_1", inner, 1), ("branch7x7_2", inner, (1, 7)), ("branch7x7_3", 192, (7, 1))],
        [("branch7x7dbl_1", inner, 1), ("branch7x7dbl_2", inner, (7, 1)), ("branch7x7dbl_3", inner, (1, 7)),
         ("branch7x7dbl_4", inner, (7, 1)), ("branch7x7dbl_5", 192, (1, 7))],
        [MEAN, ("branch_pool", 192, 1)],
    ]


BLOCK_D = [
    [("branch3x3_1", 192, 1), ("branch3x3_2", 320, 3, REDUCED)],
    [("branch7x7x3_1", 192, 1), ("branch7x7x3_2", 192, (1, 7)), ("branch7x7x3_3", 192, (7, 1)),
     ("branch7x7x3_4", 192, 3, REDUCED)],
    [(MAX, REDUCED)],
]


def block_e(pool):
    return [
        [("branch1x1", 320, 1)],
        [("branch3x3_1", 384, 1), [("branch3x3_2a", 384, (1, 3)), ("branch3x3_2b", 384, (3, 1))]],
        [("branch3x3dbl_1", 448, 1), ("branch3x3dbl_2", 384, 3),
         [("branch3x3dbl_3a", 384, (1, 3)), ("branch3x3dbl_3b", 384, (3, 1))]],
        [pool, ("branch_pool", 192, 1)],
    ]


BLOCKS = {
    "Mixed_5b": block_a(32), "Mixed_5c": block_a(64), "Mixed_5d": block_a(64), "Mixed_6a": BLOCK_B,
    "Mixed_6b": block_c(128), "Mixed_6c": block_c(160), "Mixed_6d": block_c(160), "Mixed_6e": block_c(192),
    "Mixed_7a": BLOCK_D, "Mixed_7b": block_e(MEAN), "Mixed_7c": block_e(MAX),
}


class Graph:
    """Nodes one after the other, and the channels of what each gives."""

    def __init__(self, arrays, seed):
        self.arrays, self.random = arrays, None if seed is None else np.random.RandomState(seed)
        self.nodes, self.constants, self.channels = [], [], {"images": 3}

    def array(self, name, shape, low, high):
        """Weights of the file, or uniform ones, which are the same on every machine."""
        if self.random is not None:
            drawn = low + (high - low) * self.random.random_sample(shape)
            self.arrays[name] = drawn.astype(np.float32)
        if name not in self.arrays or self.arrays[name].shape != shape:
            sys.exit(f"these are not the weights of pytorch-fid's Inception: `{name}` is not {shape}")
        return self.arrays[name].astype(np.float64)

    def node(self, kind, sources, name, channels, **attributes):
        self.nodes.append(helper.make_node(kind, sources, [name], **attributes))
        self.channels[name] = channels
        return name

    def convolution(self, source, name, channels, kernel, stride=1, padded=True):
        """A convolution with its normalization, and ReLU. Those that reduce have no padding."""
        sides = (kernel, kernel) if isinstance(kernel, int) else kernel
        shape = (channels, self.channels[source], *sides)
        limit = np.sqrt(6 / np.prod(shape[1:]))
        kernels = self.array(f"{name}.conv.weight", shape, -limit, limit)
        part = lambda part, low, high: self.array(f"{name}.bn.{part}", (channels,), low, high)
        scale = part("weight", 0.5, 1.5) / np.sqrt(part("running_var", 0.5, 1.5) + 1e-3)
        bias = part("bias", -0.2, 0.2) - part("running_mean", -0.2, 0.2) * scale
        for end, values in [("weight", kernels * scale[:, None, None, None]), ("bias", bias)]:
            self.constants.append(numpy_helper.from_array(values.astype(np.float32), f"{name}.{end}"))
        pads = [(side - 1) // 2 if padded and stride == 1 else 0 for side in sides] * 2
        self.node("Conv", [source, f"{name}.weight", f"{name}.bias"], f"{name}.conv", channels,
                  kernel_shape=list(sides), strides=[stride, stride], pads=pads)
        return self.node("Relu", [f"{name}.conv"], name, channels)

    def pool(self, source, name, kind, stride=1):
        """A pooling of 3 × 3, in which what lies beyond the border does not count."""
        return self.node(kind, [source], name, self.channels[source], kernel_shape=[3, 3], strides=[stride, stride],
                         pads=[int(stride == 1)] * 4)

    def joined(self, sources, name):
        return self.node("Concat", sources, name, sum(self.channels[source] for source in sources), axis=1)

    def block(self, source, block):
        ends = []
        for number, branch in enumerate(BLOCKS[block]):
            last = [source]
            for layer in branch:
                if isinstance(layer, list):
                    last = [self.convolution(last[0], f"{block}.{name}", *rest) for name, *rest in layer]
                elif layer in (MEAN, MAX) or layer[0] == MAX:
                    kind, *stride = [layer] if isinstance(layer, str) else layer
                    last = [self.pool(last[0], f"{block}.pool{number}", kind, *stride)]
                else:
                    name, *rest = layer
                    last = [self.convolution(last[0], f"{block}.{name}", *rest)]
            ends += last
        return self.joined(ends, block)


def graph(arrays, seed=None):
    """The network with these weights, by their names in pytorch-fid; with a seed they are drawn and put into `arrays`."""
    found = Graph(arrays, seed)
    last = found.convolution("images", "Conv2d_1a_3x3", 32, 3, REDUCED)
    last = found.convolution(last, "Conv2d_2a_3x3", 32, 3, padded=False)
    last = found.convolution(last, "Conv2d_2b_3x3", 64, 3)
    last = found.pool(last, "pool1", MAX, REDUCED)
    last = found.convolution(last, "Conv2d_3b_1x1", 80, 1)
    last = found.convolution(last, "Conv2d_4a_3x3", 192, 3, padded=False)
    last = found.pool(last, "pool2", MAX, REDUCED)
    for block in BLOCKS:
        last = found.block(last, block)
    found.node("GlobalAveragePool", [last], "pooled", 2048)
    found.node("Flatten", ["pooled"], "features", 2048, axis=1)
    made = helper.make_model(
        helper.make_graph(
            found.nodes, "Inception-2015" if seed is None else f"Inception with random weights, seed {seed}",
            [helper.make_tensor_value_info("images", TensorProto.FLOAT, ["batch", 3, 299, 299])],
            [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", 2048])],
            found.constants),
        opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(made)
    return made


def default_model():
    """Where `hype metrics fid` looks for the model."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "hype", "inception-2015.onnx")


def main():
    arguments = argparse.ArgumentParser(description="Writes the Inception network of FID as ONNX.")
    source = arguments.add_mutually_exclusive_group(required=True)
    source.add_argument("--weights", help="pt_inception-2015-12-05-6726825d.pth, which pytorch-fid publishes")
    source.add_argument("--random-seed", type=int, help="draw weights, whose values say nothing about images")
    arguments.add_argument("model", nargs="?", type=Path, help=f"by default {default_model()}")
    given = arguments.parse_args()
    if given.weights is None and given.model is None:
        arguments.error("name a file for a network with random weights")
    if given.weights and hashlib.sha256(Path(given.weights).read_bytes()).hexdigest() != PUBLISHED:
        print(f"{given.weights} is not the file that pytorch-fid publishes, whose SHA-256 is {PUBLISHED}", file=sys.stderr)
    made = graph(weights(given.weights) if given.weights else {}, given.random_seed)
    path = given.model or default_model()
    path.parent.mkdir(parents=True, exist_ok=True)
    content = made.SerializeToString(deterministic=True)
    path.write_bytes(content)
    print(f"{path}: SHA-256 {hashlib.sha256(content).hexdigest()}")
    runtime = importlib.util.find_spec("onnxruntime")
    libraries = sorted(Path(runtime.origin).parent.glob("capi/libonnxruntime.*")) if runtime else []
    for library in libraries[:1]:
        print(f"export ORT_DYLIB_PATH={library}")


if __name__ == "__main__":
    main()
