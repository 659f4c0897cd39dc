"""Errors and warnings, with their places."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Diagnostic:
    """A fault, warning or note about a spec.

    >>> Diagnostic.from_dict({"severity": "error", "code": "missing-field", "message": "missing field `seed`"}).code
    'missing-field'
    """

    severity: str
    """`error`, `warning` or `note`."""
    code: str
    """The kind of fault, such as `unknown-field`."""
    message: str
    """The fault."""
    path: str = ""
    """The place in the document."""
    line: int | None = None
    """The line in the text, from 1."""
    column: int | None = None
    """The column in the line, from 1."""
    help: str | None = None
    """The text to write instead."""
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The diagnostic as `hype check --json` prints it."""

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Diagnostic:
        """Reads one of the diagnostics that `hype check --json` prints."""
        known = {name: raw[name] for name in ("path", "line", "column", "help") if raw.get(name) is not None}
        return cls(severity=raw["severity"], code=raw["code"], message=raw["message"], raw=raw, **known)

    def to_dict(self) -> dict[str, Any]:
        """The diagnostic as `hype check --json` prints it."""
        return self.raw

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        remedy = f"; {self.help}" if self.help else ""
        return f"{self.severity}: {place}{self.message}{remedy}"


def diagnostics_of(text: str) -> list[Diagnostic]:
    """The diagnostics of a JSON list."""
    return [Diagnostic.from_dict(raw) for raw in json.loads(text)]


class HypeError(ValueError):
    """Arguments, a table or a spec are faulty. The text says where, what, and what would be right."""

    diagnostics: list[Diagnostic]
    """The faults in a spec, if it is about one."""

    def __init__(self, text: str, diagnostics: str = "[]") -> None:
        super().__init__(text)
        self.diagnostics = diagnostics_of(diagnostics)


class HypeBug(RuntimeError):
    """A fault of `hype` itself, which should be reported."""


class HypeWarning(UserWarning):
    """A note without which findings would be misread, or a warning about a spec."""
