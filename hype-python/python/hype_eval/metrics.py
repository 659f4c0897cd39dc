"""Automated metrics of generative models, from the features of their images: arrays of two dimensions, with a row for each image.

Arrays are those of NumPy, or whatever else has the buffer protocol, in single or double precision. What extracts features from
images is the program: `hype metrics`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _hype
from ._errors import HypeError
from ._results import warn


class KernelDistance(NamedTuple):
    """KID as it is quoted."""

    mean: float
    """The mean over subsets."""
    standard_deviation: float | None
    """The standard deviation over subsets; `None` if a subset is a whole set."""


class PrecisionRecall(NamedTuple):
    """Precision and recall."""

    precision: float
    """The share of generated images that are near real ones."""
    recall: float
    """The share of real images that are near generated ones."""


def _rows(name: str, features: Any) -> tuple[bytes, bool, int]:
    """The rows of an array as their bytes, whether they are of double precision, and the numbers of a row."""
    try:
        view = memoryview(features)
    except TypeError:
        kind = type(features).__name__
        raise HypeError(f"`{name}` is a {kind}: pass an array of two dimensions, such as NumPy's") from None
    if view.ndim != 2 or view.shape is None or view.format not in ("f", "d"):
        shape = " × ".join(map(str, view.shape or ()))
        raise HypeError(
            f"`{name}` is an array of {shape} numbers of the format {view.format!r}: pass a row for each image, of float32 or float64"
        )
    return view.tobytes(), view.format == "d", view.shape[1]


def fid(features_a: Any, features_b: Any, *, threads: int | None = None) -> float:
    """Computes the Fréchet distance of two sets (Heusel et al. 2017). Warns where the number of images biases it.

    >>> import array, warnings
    >>> real = memoryview(array.array("d", range(6))).cast("B").cast("d", [6, 1])
    >>> moved = memoryview(array.array("d", range(2, 8))).cast("B").cast("d", [6, 1])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     round(fid(real, moved), 9)
    4.0
    """
    distance, warnings = _hype.fid(_rows("features_a", features_a), _rows("features_b", features_b), threads=threads)
    for text in warnings:
        warn(text)
    return distance


def kid(
    features_a: Any,
    features_b: Any,
    *,
    subsets: int = 100,
    size: int = 1000,
    seed: int = 0,
    threads: int | None = None,
) -> KernelDistance:
    """Computes the kernel distance of two sets (Bińkowski et al. 2018) over random subsets.

    >>> import array
    >>> one = memoryview(array.array("f", [0, 2])).cast("B").cast("f", [2, 1])
    >>> other = memoryview(array.array("f", [1, 1])).cast("B").cast("f", [2, 1])
    >>> kid(one, other).mean
    -19.0
    """
    left, right = _rows("features_a", features_a), _rows("features_b", features_b)
    return KernelDistance(*_hype.kid(left, right, subsets, size, seed, threads=threads))


def precision_recall(
    real: Any, generated: Any, *, neighbour: int = 3, threads: int | None = None
) -> PrecisionRecall:
    """Computes precision and recall by the distance to a neighbour (Kynkäänniemi et al. 2019).

    >>> import array
    >>> real = memoryview(array.array("d", range(100))).cast("B").cast("d", [100, 1])
    >>> half = memoryview(array.array("d", [place + 0.25 for place in range(50)])).cast("B").cast("d", [50, 1])
    >>> precision_recall(real, half).precision
    1.0
    """
    left, right = _rows("real", real), _rows("generated", generated)
    return PrecisionRecall(*_hype.precision_recall(left, right, neighbour, threads=threads))
