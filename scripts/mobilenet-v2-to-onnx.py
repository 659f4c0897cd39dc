"""Writes torchvision's MobileNetV2 as ONNX, from its weights and the published architecture, without torch.

Usage: mobilenet-v2-to-onnx.py WEIGHTS MODEL

Batch normalization is folded into the convolution before it, in double precision.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch_weights import weights

# Expansion, channels, repetitions and stride of the blocks: Sandler et al. 2018, MobileNetV2, table 2.
BLOCKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


class Graph:
    """Nodes one after the other."""

    def __init__(self, arrays):
        self.arrays, self.nodes, self.constants = arrays, [], []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name))
        return name

    def convolution(self, source, name, norm, stride, groups, clipped):
        """A convolution with its normalization, and ReLU6 if it is clipped."""
        kernel = self.arrays[f"{name}.weight"].astype(np.float64)
        get = lambda part: self.arrays[f"{norm}.{part}"].astype(np.float64)
        scale = get("weight") / np.sqrt(get("running_var") + 1e-5)
        inputs = [
            source,
            self.constant(f"{name}.weight", kernel * scale[:, None, None, None]),
            self.constant(f"{name}.bias", get("bias") - get("running_mean") * scale),
        ]
        side = kernel.shape[2]
        pads = [(side - 1) // 2] * 4
        self.nodes.append(helper.make_node(
            "Conv", inputs, [name], kernel_shape=[side, side], strides=[stride, stride], pads=pads, group=groups))
        if not clipped:
            return name
        self.nodes.append(helper.make_node("Clip", [name, "zero", "six"], [f"{name}.relu6"]))
        return f"{name}.relu6"


def model(arrays):
    graph = Graph(arrays)
    graph.constants += [numpy_helper.from_array(np.float32(value), name) for name, value in [("zero", 0), ("six", 6)]]
    last = graph.convolution("images", "features.0.0", "features.0.1", 2, 1, True)
    channels, place = 32, 1
    for expansion, wide, repetitions, first_stride in BLOCKS:
        for repetition in range(repetitions):
            stride = first_stride if repetition == 0 else 1
            block, before, inner = f"features.{place}.conv", last, channels * expansion
            layer = 0
            if expansion != 1:
                last = graph.convolution(last, f"{block}.0.0", f"{block}.0.1", 1, 1, True)
                layer = 1
            last = graph.convolution(last, f"{block}.{layer}.0", f"{block}.{layer}.1", stride, inner, True)
            last = graph.convolution(last, f"{block}.{layer + 1}", f"{block}.{layer + 2}", 1, 1, False)
            if stride == 1 and channels == wide:
                graph.nodes.append(helper.make_node("Add", [before, last], [f"{block}.sum"]))
                last = f"{block}.sum"
            channels, place = wide, place + 1
    last = graph.convolution(last, f"features.{place}.0", f"features.{place}.1", 1, 1, True)
    graph.nodes.append(helper.make_node("GlobalAveragePool", [last], ["pooled"]))
    graph.nodes.append(helper.make_node("Flatten", ["pooled"], ["features"], axis=1))
    inputs = [graph.constant(f"classifier.{part}", arrays[f"classifier.1.{part}"]) for part in ("weight", "bias")]
    graph.nodes.append(helper.make_node("Gemm", ["features", *inputs], ["logits"], transB=1))
    found = helper.make_model(
        helper.make_graph(
            graph.nodes, "MobileNetV2",
            [helper.make_tensor_value_info("images", TensorProto.FLOAT, ["batch", 3, 224, 224])],
            [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", 1280]),
             helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1000])],
            graph.constants),
        opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(found)
    return found


if __name__ == "__main__":
    onnx.save(model(weights(sys.argv[1])), sys.argv[2])
