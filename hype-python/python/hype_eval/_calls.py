"""The functions of the package."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, Union

from . import _hype
from ._errors import Diagnostic, diagnostics_of
from ._frames import Frame
from ._results import Findings, Plan, Spec, Study, told, warn, warn_of


class ArrowFrame(Protocol):
    """A frame that exports Arrow, as those of pandas, polars, pyarrow and DuckDB do."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with a stream of Arrow."""


Path = Union[str, "os.PathLike[str]"]
"""The path of a file or folder."""
Table = Union[ArrowFrame, Mapping[str, Any], Path]
"""A table: a frame, a mapping of columns, or the path of a file."""
Aggregator = Union[str, Mapping[str, Any]]
"""An aggregator: its kind, such as `contrast`, or its settings, such as `{"kind": "agreement", "over": "model"}`."""


def _words(**options: Any) -> list[str]:
    """Options in the words of the command line. Those that are `None` are left out."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.strip("_").replace("_", "-")
        values = [value] if isinstance(value, (str, os.PathLike)) or not isinstance(value, Sequence) else value
        for one in values:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                text = os.fspath(one) if isinstance(one, os.PathLike) else str(one)
                words.append(f"{option}={text}")
    return words


def _aggregators(with_: Aggregator | Sequence[Aggregator] | None, level: float | None) -> list[str]:
    """The words for aggregators, with a confidence level if one is given."""
    if with_ is None or with_ == "by_model":
        return _words(level=level)
    wanted = [with_] if isinstance(with_, (str, Mapping)) else with_
    words: list[str] = []
    for one in wanted:
        settings = {"kind": one} if isinstance(one, str) and ":" not in one else one
        if isinstance(settings, str):
            words.append(f"--with={settings}")
            continue
        with_level = {} if level is None else {"level": level}
        words.append(f"--with={json.dumps({**settings, **with_level})}")
    return words


def _labels(column: str | None, *labels: str | Sequence[str] | None) -> Any:
    """The column of winners with its labels."""
    if column is None:
        return None
    lists = [[] if one is None else [one] if isinstance(one, str) else list(one) for one in labels]
    return (column, *lists)


def aggregate(
    data: Table,
    with_: Aggregator | Sequence[Aggregator] | None = None,
    *,
    rater: str = "rater",
    model: str = "model",
    item: str | None = None,
    value: str | Sequence[str] | None = None,
    measure: str | None = None,
    against: str | None = None,
    winner: str | None = None,
    first: str | Sequence[str] | None = None,
    second: str | Sequence[str] | None = None,
    tie: str | Sequence[str] | None = None,
    facets: str | Sequence[str] | None = None,
    metrics: Path | None = None,
    generalize_to: Literal["raters", "items", "raters_and_items"] | None = None,
    level: float | None = None,
    design: Literal["between", "within"] | None = None,
    better: Literal["higher", "lower", "neither"] | None = None,
    scale: Literal["nominal", "ordinal", "interval"] | None = None,
    unit: str | None = None,
    reference: float | None = None,
    equivalence_margin: float | None = None,
    real: str | Sequence[str] | None = None,
    non_inferiority_margin: float | None = None,
    pairs: str | None = None,
    interval: Literal["t", "percentile", "bca", "bootstrap_t"] | None = None,
    resample: Literal["rater", "rater_item"] | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> Findings:
    """Computes the statistics of a table with one row for each rating, as `hype aggregate` does.

    `with_` names aggregators, such as `contrast` or `agreement`; without it, models are compared by their means over raters. The
    other arguments are the options of `hype aggregate`; `winner` is the column that says which of two models won.

    >>> ratings = {"rater": ["r1", "r1", "r2", "r2", "r3", "r3"], "model": ["a", "b"] * 3, "value": [4, 2, 5, 3, 3, 2]}
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     found = aggregate(ratings)
    >>> found.estimates["model"]
    ['a', 'b']
    >>> found.estimates["value"][0]
    4.0
    """
    words = _aggregators(with_, level)
    words += _words(
        rater=rater,
        model=model,
        item=item,
        value=value,
        measure=measure,
        against=against,
        facet=facets,
        metrics=metrics,
        generalize_to=_spelled(generalize_to),
        design=design,
        better=better,
        scale=scale,
        unit=unit,
        reference=reference,
        equivalence_margin=equivalence_margin,
        real=real,
        non_inferiority_margin=non_inferiority_margin,
        pairs=_spelled(pairs),
        interval=_spelled(interval),
        resample=_spelled(resample),
        resamples=resamples,
        seed=seed,
    )
    labels = _labels(winner, first, second, tie)
    return told(Findings(_hype.aggregate(data, words, winner=labels, threads=threads)))


def _spelled(word: str | None) -> str | None:
    """A word of Python as the command line spells it."""
    return None if word is None else word.replace("_", "-")


def contrast(
    data: Table,
    *,
    a: str,
    b: str,
    winner: str,
    rater: str = "rater",
    item: str | None = None,
    first: str | Sequence[str] | None = None,
    second: str | Sequence[str] | None = None,
    tie: str | Sequence[str] | None = None,
    level: float | None = None,
    generalize_to: Literal["raters", "items", "raters_and_items"] | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> Findings:
    """Computes the strengths of models from comparisons of two.

    `a` and `b` are the columns of the two models, and `winner` is the column that says which one won: `a`, `b` or `tie`, or the
    model's name. `first`, `second` and `tie` name other labels.

    >>> votes = {
    ...     "rater": ["r1", "r2", "r3", "r4"],
    ...     "left": ["x", "y", "x", "x"],
    ...     "right": ["y", "x", "y", "y"],
    ...     "winner": ["a", "b", "a", "b"],
    ... }
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     found = contrast(votes, a="left", b="right", winner="winner")
    >>> sorted(set(found.estimates["model"]))
    ['x', 'y']
    """
    return aggregate(
        data,
        "contrast",
        rater=rater,
        model=a,
        against=b,
        winner=winner,
        item=item,
        first=first,
        second=second,
        tie=tie,
        level=level,
        generalize_to=generalize_to,
        seed=seed,
        threads=threads,
    )


def agreement(
    data: Table,
    *,
    rater: str = "rater",
    item: str = "item",
    value: str = "value",
    model: str | None = None,
    scale: Literal["nominal", "ordinal", "interval"] | None = None,
    labels: Sequence[str] | None = None,
    level: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> Findings:
    """Computes how far raters agree: Krippendorff's alpha and others.

    Without `model`, the ratings of an item are about one thing. Texts in the column of values are categories without an order, or
    `labels` in their order.

    >>> ratings = {"rater": ["r1", "r2"] * 3, "item": ["i1", "i1", "i2", "i2", "i3", "i3"], "value": ["yes", "yes", "no", "no", "yes", "no"]}
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     round(agreement(ratings).alpha, 3)
    0.444
    """
    texts = list(labels) if labels is not None else _hype.texts_of(data, value)
    if texts is not None and labels is None and scale is None:
        scale = "nominal"
    constants = [] if model is not None else [("model", "all")]
    words = _aggregators("agreement", level)
    words += _words(rater=rater, model=model or "model", item=item, value=value, scale=scale, seed=seed)
    return told(Findings(_hype.aggregate(data, words, texts=texts, constants=constants, threads=threads)))


def load(path: Path) -> Spec:
    """Names the spec of a study, for `check`, `plan` and `simulate`, which take its path as well."""
    return Spec(path)


def check(spec: Path | Spec) -> list[Diagnostic]:
    """Checks a spec, its stimuli and the requirements of a run, as `hype check` does. An empty list means that the study can run."""
    diagnostics, _, _ = _hype.check(os.fspath(spec))
    return diagnostics_of(diagnostics)


def simulate(
    spec: Path | Spec,
    *,
    raters: int | None = None,
    seed: int | None = None,
    allow_unreachable_target: bool = False,
    threads: int | None = None,
) -> Findings:
    """Runs a study with synthetic raters in memory, as `hype simulate` does. Ctrl-C ends it."""
    words = _words(
        raters=raters, seed=seed, allow_unreachable_target=allow_unreachable_target or None, threads=threads
    )
    return told(Findings(_hype.simulate(os.fspath(spec), words, threads=threads)))


def plan(
    spec: Path | Spec,
    target: str | None = None,
    *,
    raters: str | Sequence[int] | None = None,
    pilot: Path | None = None,
    measure: str | None = None,
    fee: float | None = None,
    vat: float | None = None,
    studies: int | None = None,
    cohort: int | None = None,
    threads: int | None = None,
) -> Plan:
    """Says what numbers of raters would show and cost, as `hype plan` does.

    `target` is `width=5`, `power=0.8` or `rank=0.9`; `raters` is a range such as `10..120`, or a list.
    """
    counts = raters if raters is None or isinstance(raters, str) else ",".join(map(str, raters))
    words = _words(
        target=target,
        raters=counts,
        from_=pilot,
        measure=measure,
        fee=fee,
        vat=vat,
        studies=studies,
        cohort=cohort,
    )
    text, printed, warnings = _hype.plan(os.fspath(spec), words, threads=threads)
    warn_of(diagnostics_of(warnings))
    return Plan(text, printed)


def open(study: Path | Spec) -> Study:
    """Opens a study that was collected, given its folder, or its spec if the folder is next to it."""
    return Study(_hype.open(os.fspath(study)))


def read(format: str, *paths: Path, **options: Any) -> Frame:
    """Reads ratings made elsewhere, as `hype import` does: the format is `csv`, `votes`, `imagenhub`, `mturk-csv`, `heim-jsonl` or
    `ranking-json`, and the options are those of the command, such as `rater="annotator"`.

    The frame has the columns that `aggregate` reads.
    """
    words = [_spelled(format) or "", *_words(**options), *(os.fspath(path) for path in paths)]
    batch, said = _hype.read(words)
    for text in said:
        warn(text)
    return Frame(batch)
