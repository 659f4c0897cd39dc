"""Writes two small towers of the form of CLIP's as ONNX, with a byte-level BPE tokenizer, without torch.

Usage: clip-towers-to-onnx.py FOLDER

Weights are random with a fixed seed: embeddings mean nothing and depend on every part of the input:
  clip-image.onnx        `pixel_values` (n × 3 × 224 × 224): patches of 32, attention-free, pooled and projected to `image_embeds` (16)
  clip-text.onnx         `input_ids` (int64) and `attention_mask`: embedding of tokens and places, running mean, the place of the
                         greatest token, which ends a text, projected to `text_embeds` (16)
  clip-text-int32.onnx   the same with `input_ids` of int32 and no mask, as other exports have it
  clip-text-wide.onnx    the same as the first with 24 features
  clip-text-float.onnx   the same as the first with `input_ids` of float
  clip-tokenizer.json    lower case, bytes, pairs merged, the end of a word marked by `</w>`
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

folder = sys.argv[1]
WIDTH, EMBEDDED, LENGTH = 16, 24, 77
SENTENCES = """a photo of a red apple on a wooden table
a painting of two dogs and three cats in the snow
an astronaut riding a horse on the moon, in the style of an engraving
the bowl isn't blue, it's green; they'll say we've mixed it up
"""


def bytes_to_letters():
    """The letters by which byte-level BPE writes bytes: printable ones stay, others are moved beyond 255."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {byte: chr(byte) for byte in printable}
    for byte in range(256):
        letters.setdefault(byte, chr(256 + len(letters) - len(printable)))
    return letters


def tokenizer():
    """A tokenizer with the vocabulary's order of CLIP's: bytes, bytes at the ends of words, merges, beginning, end."""
    letters = bytes_to_letters()
    order = [letters[byte] for byte in [*range(33, 127), *range(161, 173), *range(174, 256)]]
    order += [letters[byte] for byte in range(256) if letters[byte] not in order]
    vocabulary = order + [f"{letter}</w>" for letter in order]
    words = {}
    for word in SENTENCES.lower().replace(",", " ").replace(";", " ").split():
        words[word] = words.get(word, 0) + 1
    split = {word: [*word[:-1], f"{word[-1]}</w>"] for word in words}
    merges = []
    for _ in range(120):
        counts = {}
        for word, parts in split.items():
            for pair in zip(parts, parts[1:]):
                counts[pair] = counts.get(pair, 0) + words[word]
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        for word, parts in split.items():
            place, merged = 0, []
            while place < len(parts):
                if tuple(parts[place:place + 2]) == best:
                    merged.append("".join(best))
                    place += 2
                else:
                    merged.append(parts[place])
                    place += 1
            split[word] = merged
    vocabulary += ["".join(pair) for pair in merges]
    begin, end = "<|startoftext|>", "<|endoftext|>"
    vocabulary += [begin, end]
    numbers = {token: number for number, token in enumerate(vocabulary)}
    assert len(numbers) == len(vocabulary)
    found = Tokenizer(models.BPE(numbers, merges, unk_token=end, continuing_subword_prefix="", end_of_word_suffix="</w>"))
    found.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    pattern = r"""'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"""
    found.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
    ])
    found.post_processor = processors.RobertaProcessing((end, numbers[end]), (begin, numbers[begin]), False, False)
    found.decoder = decoders.ByteLevel()
    found.add_special_tokens([AddedToken(token, normalized=False) for token in (begin, end)])
    # Cutting and filling up are settings of the program, whatever the file says.
    found.enable_truncation(20)
    found.enable_padding(length=20, pad_id=7)
    return found


def model(path, nodes, weights, inputs, output, width):
    constants = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", width])]
    graph = helper.make_graph(nodes, "tower", inputs, outputs, constants)
    found = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(found, full_check=True)
    onnx.save(found, path)


def random(draw, *shape):
    return (draw.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)


def image_tower():
    draw = np.random.default_rng(11)
    weights = {
        "patches": (draw.standard_normal((EMBEDDED, 3, 32, 32)) / 32).astype(np.float32),
        "projection": random(draw, EMBEDDED, WIDTH),
    }
    nodes = [
        helper.make_node("Conv", ["pixel_values", "patches"], ["convolved"], strides=[32, 32]),
        helper.make_node("Tanh", ["convolved"], ["active"]),
        helper.make_node("ReduceMean", ["active"], ["pooled"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["pooled", "projection"], ["image_embeds"]),
    ]
    inputs = [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, ["batch", 3, 224, 224])]
    model(f"{folder}/clip-image.onnx", nodes, weights, inputs, "image_embeds", WIDTH)


def text_tower(name, vocabulary, kind=TensorProto.INT64, masked=True, width=WIDTH):
    draw = np.random.default_rng(12)
    # A matrix that takes the mean of a place and those before it, as causal attention with equal weights does.
    causal = np.tril(np.ones((LENGTH, LENGTH))) / np.arange(1, LENGTH + 1)[:, None]
    weights = {
        "tokens": draw.standard_normal((vocabulary, EMBEDDED)).astype(np.float32),
        "places": draw.standard_normal((LENGTH, EMBEDDED)).astype(np.float32),
        "causal": causal.astype(np.float32),
        "projection": random(draw, EMBEDDED, width),
        "one": np.array([1], np.int64),
    }
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["ids"], to=TensorProto.INT64),
        helper.make_node("Gather", ["tokens", "ids"], ["of_tokens"]),
        helper.make_node("Add", ["of_tokens", "places"], ["embedded"]),
    ]
    inputs = [helper.make_tensor_value_info("input_ids", kind, ["batch", "sequence" if masked else LENGTH])]
    if masked:
        inputs.append(helper.make_tensor_value_info("attention_mask", kind, ["batch", "sequence"]))
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "minus_one"], ["column"]),
            helper.make_node("Mul", ["embedded", "column"], ["kept"]),
        ]
        weights["minus_one"] = np.array([-1], np.int64)
    nodes += [
        helper.make_node("MatMul", ["causal", "kept" if masked else "embedded"], ["mixed"]),
        helper.make_node("Tanh", ["mixed"], ["active"]),
        # The first of the greatest tokens ends a text, whatever fills it up.
        helper.make_node("ArgMax", ["ids"], ["ends"], axis=1, keepdims=1),
        helper.make_node("Unsqueeze", ["ends", "two"], ["end"]),
        helper.make_node("Expand", ["end", "spread"], ["chosen"]),
        helper.make_node("GatherElements", ["active", "chosen"], ["pooled_place"], axis=1),
        helper.make_node("Squeeze", ["pooled_place", "one"], ["of_end"]),
    ]
    if masked:
        # The share of tokens that are not filled up, through which embeddings depend on the mask.
        nodes += [
            helper.make_node("ReduceMean", ["mask"], ["share"], axes=[1], keepdims=1),
            helper.make_node("Add", ["of_end", "share"], ["pooled"]),
        ]
    else:
        nodes.append(helper.make_node("Identity", ["of_end"], ["pooled"]))
    nodes.append(helper.make_node("MatMul", ["pooled", "projection"], ["text_embeds"]))
    weights["two"] = np.array([2], np.int64)
    weights["spread"] = np.array([1, 1, EMBEDDED], np.int64)
    model(f"{folder}/{name}", nodes, weights, inputs, "text_embeds", width)


found = tokenizer()
size = found.get_vocab_size()
image_tower()
text_tower("clip-text.onnx", size)
text_tower("clip-text-int32.onnx", size, TensorProto.INT32, masked=False)
text_tower("clip-text-wide.onnx", size, width=24)
text_tower("clip-text-float.onnx", size, TensorProto.FLOAT)
found.save(f"{folder}/clip-tokenizer.json")
