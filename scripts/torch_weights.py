"""Reads the arrays of files that torch saved, without torch: zip archives, and the format of versions before 1.6."""

import pickle
import sys
import zipfile
from collections import OrderedDict

import numpy as np

MAGIC = 0x1950A86A20F9469CFC6C
TYPES = {"FloatStorage": np.float32, "LongStorage": np.int64}


class Storage:
    """Numbers that are read after the pickles."""

    def __init__(self, kind, count):
        self.kind, self.count, self.values = kind, count, None


class Reader(pickle.Unpickler):
    """Reads tensors as descriptions of parts of storages, and nothing else."""

    def __init__(self, file, storages):
        super().__init__(file)
        self.storages = storages

    def find_class(self, module, name):
        if name in TYPES:
            return TYPES[name]
        known = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): lambda storage, offset, shape, stride, *rest: (
                storage, offset, shape, stride),
        }
        return known[module, name]

    def persistent_load(self, about):
        _, kind, key, _, count, *_ = about
        return self.storages.setdefault(key, Storage(kind, count))


def archived(path, storages):
    """The tensors of an archive."""
    with zipfile.ZipFile(path) as archive:
        description = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
        with archive.open(description) as file:
            tensors = Reader(file, storages).load()
        for key, storage in storages.items():
            bytes_of = archive.read(f"{description.removesuffix('.pkl')}/{key}")
            storage.values = np.frombuffer(bytes_of, storage.kind)
    return tensors


def pickled(path, storages):
    """The tensors of a file of four pickles, after which the numbers of each storage follow."""
    with open(path, "rb") as file:
        if pickle.load(file) != MAGIC:
            sys.exit(f"{path} is not a file of torch")
        pickle.load(file)
        pickle.load(file)
        tensors = Reader(file, storages).load()
        for key in pickle.load(file):
            storage = storages[key]
            count = int.from_bytes(file.read(8), "little")
            size = count * np.dtype(storage.kind).itemsize
            storage.values = np.frombuffer(file.read(size), storage.kind)
    return tensors


def weights(path):
    """The arrays of a file, by name."""
    storages = {}
    tensors = (archived if zipfile.is_zipfile(path) else pickled)(path, storages)
    arrays = {}
    for name, (storage, offset, shape, _) in tensors.items():
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = storage.values[offset:offset + count].reshape(shape)
    return arrays
