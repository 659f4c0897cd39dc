"""Findings, plans, specs and studies."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from . import _hype
from ._errors import Diagnostic, HypeError, HypeWarning, diagnostics_of
from ._frames import Frame


@dataclass(frozen=True)
class Note:
    """A note for readers of findings."""

    kind: str
    """`meaning` if numbers would be misread without it, `precision` if they are less certain than printed, or `setting`."""
    code: str
    """Its key, such as `few-raters`."""
    text: str
    """The text of the note."""
    measures: tuple[str, ...] = ()
    """The measures that it concerns; empty if it concerns all."""
    models: tuple[str, ...] = ()
    """The models that it concerns; empty if it concerns all."""

    def __str__(self) -> str:
        return self.text


class Findings:
    """The results of ratings: estimates with intervals, comparisons, agreement and notes.

    In a notebook it is a table and a figure; printed, what the program prints.
    """

    def __init__(self, found: _hype.FoundFindings) -> None:
        self._found = found
        self._json: dict[str, Any] | None = None
        self._table: Frame | None = None

    def to_dict(self) -> dict[str, Any]:
        """The findings as the program's `--json` prints them."""
        if self._json is None:
            self._json = json.loads(self._found.json())
        return self._json

    @property
    def measures(self) -> list[dict[str, Any]]:
        """Everything about each measure, the study's score first."""
        measures: list[dict[str, Any]] = self.to_dict()["measures"]
        return measures

    @property
    def notes(self) -> list[Note]:
        """Notes for readers of the findings."""
        return [
            Note(
                kind=note["class"],
                code=note["code"],
                text=note["text"],
                measures=tuple(note.get("measures", ())),
                models=tuple(note.get("models", ())),
            )
            for note in self.to_dict().get("notes", ())
        ]

    @property
    def table(self) -> Frame:
        """All estimates, tests, comparisons, coefficients and ranks, one row each, as `hype export --what findings` writes them."""
        if self._table is None:
            self._table = Frame(self._found.rows())
        return self._table

    @property
    def estimates(self) -> Frame:
        """The estimates: model, value, low, high, raters and more."""
        return self._rows("estimate")

    @property
    def pairs(self) -> Frame:
        """The comparisons of pairs of models: model, against, value, low, high, p_adjusted and more."""
        return self._rows("comparison", rename={"p": "p_adjusted"})

    @property
    def tests(self) -> Frame:
        """The tests."""
        return self._rows("test")

    @property
    def agreement(self) -> Frame:
        """The coefficients of agreement."""
        return self._rows("agreement")

    @property
    def alpha(self) -> float | None:
        """Krippendorff's alpha; `None` if it was not computed or is not defined."""
        for row in self.agreement:
            if str(row.get("method", "")).startswith("Krippendorff"):
                value = row.get("value")
                return None if value is None else float(value)
        return None

    def _rows(self, kind: str, rename: dict[str, str] | None = None) -> Frame:
        return self.table.where(lambda row: row["kind"] == kind, drop=("kind",), rename=rename)

    def summary(self, *, full: bool = False) -> str:
        """The findings as text: one screen, or everything."""
        return self._found.text(full)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Writes the report, with figures and tables, into a folder, or as a page whose name ends in `.html`; returns the page."""
        return Path(self._found.report(os.fspath(path)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Findings) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return self._found.html()


class Plan:
    """The expected results of numbers of raters, and their costs."""

    def __init__(self, text: str, printed: str) -> None:
        self._json: dict[str, Any] = json.loads(text)
        self._printed = printed

    def to_dict(self) -> dict[str, Any]:
        """The plan as `hype plan --json` prints it."""
        return self._json

    @property
    def raters(self) -> int | None:
        """The smallest number of raters that reaches the target; `None` if no number does, or there is no target."""
        target: dict[str, Any] = self._json.get("target") or {}
        raters = target.get("raters")
        return None if raters is None else int(raters)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The expected results, for each number of raters."""
        rows: list[dict[str, Any]] = self._json["rows"]
        return rows

    @property
    def advice(self) -> str:
        """One sentence of advice."""
        return str(self._json["advice"])

    @property
    def warnings(self) -> list[str]:
        """Warnings about questions that the plan cannot answer."""
        return [str(warning) for warning in self._json["warnings"]]

    def __repr__(self) -> str:
        return self._printed.rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self._printed.rstrip())}</pre>"


class Spec:
    """The spec of a study, in a file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        """The file."""
        if not self.path.is_file():
            raise HypeError(f"{self.path} is not a file: name the spec of a study, such as study.yaml")

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.path.read_text(encoding="utf-8")

    def __repr__(self) -> str:
        return f"Spec({str(self.path)!r})"


class Study:
    """A study that was collected."""

    def __init__(self, study: _hype.FoundStudy) -> None:
        self._study = study

    @property
    def name(self) -> str:
        """Its name."""
        return self._study.name()

    def findings(self) -> Findings:
        """Its findings, as `hype score --json` prints them. Nothing is written into its folder."""
        return told(Findings(self._study.findings()))

    def scores(self) -> Frame:
        """The scores of the raters who count: rater, model, against, item, block, measure, value."""
        return Frame(self._study.table("scores"))

    def answers(self) -> Frame:
        """One row for each answer to a question."""
        return Frame(self._study.table("answers"))

    def trials(self) -> Frame:
        """One row for each answered trial."""
        return Frame(self._study.table("trials"))

    def raters(self) -> Frame:
        """How each rater answered."""
        return Frame(self._study.table("raters"))

    def corrections(self) -> Frame:
        """All answers to trials that raters corrected."""
        return Frame(self._study.table("corrections"))

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Writes the report; see `Findings.report`."""
        return Findings(self._study.findings()).report(path)

    def __repr__(self) -> str:
        return f"Study({self.name!r})"


def told(findings: Findings) -> Findings:
    """Warns of what numbers would be misread without."""
    for text in findings._found.said():
        warn(text)
    warn_of(diagnostics_of(findings._found.warnings()))
    for note in findings.notes:
        if note.kind == "meaning":
            warn(note.text)
    return findings


def warn_of(diagnostics: list[Diagnostic]) -> None:
    """Warns of diagnostics."""
    for diagnostic in diagnostics:
        warn(str(diagnostic))


def warn(text: str) -> None:
    """Warns the caller of this package."""
    here = os.path.dirname(__file__)
    level, frame = 1, _caller(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == here:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, HypeWarning, stacklevel=level)


def _caller(depth: int) -> Any:
    import sys

    return sys._getframe(depth)
