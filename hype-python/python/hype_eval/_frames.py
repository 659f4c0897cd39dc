"""Tables that calls return."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from . import _hype

if TYPE_CHECKING:
    import pandas
    import polars

SHOWN = 20
"""The most rows that are printed."""


class Frame:
    """A table: pass it to polars, pyarrow, pandas or DuckDB, which read its Arrow memory, or read its columns here.

    `pl.DataFrame(frame)`, `pa.table(frame)` and `frame.to_pandas()` make frames of other libraries.
    """

    def __init__(self, batch: _hype.Batch) -> None:
        self._batch = batch
        self._lists: dict[str, list[Any]] | None = None

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule interface."""
        return self._batch.__arrow_c_stream__(requested_schema)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists, by their names."""
        if self._lists is None:
            self._lists = dict(json.loads(self._batch.columns()))
        return self._lists

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.to_dict())

    def __len__(self) -> int:
        return len(self._batch)

    def __getitem__(self, column: str) -> list[Any]:
        return self.to_dict()[column]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        columns = self.to_dict()
        return (dict(zip(columns, row)) for row in zip(*columns.values()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def where(
        self,
        keep: Callable[[dict[str, Any]], bool],
        *,
        drop: tuple[str, ...] = (),
        rename: dict[str, str] | None = None,
    ) -> Frame:
        """The rows that are kept, without empty columns and those in `drop`, and with other names for some columns."""
        rows = [place for place, row in enumerate(self) if keep(row)]
        columns = self.to_dict()
        filled = [
            name
            for name, cells in columns.items()
            if name not in drop and any(cells[row] is not None and cells[row] != "" for row in rows)
        ]
        names = [(rename or {}).get(name, name) for name in filled]
        return Frame(self._batch.part(rows, filled, names))

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a frame of pandas."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_polars(self) -> polars.DataFrame:
        """The table as a frame of polars."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        names, rows = self._printed()
        widths = [max(map(len, column)) for column in zip(names, *rows)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [names, *rows]]
        if len(self) > SHOWN:
            lines.append(f"… {len(self)} rows in all")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        names, rows = self._printed()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        more = f"<caption>{len(self)} rows in all</caption>" if len(self) > SHOWN else ""
        return f"<table>{more}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _printed(self) -> tuple[list[str], list[list[str]]]:
        columns = self.to_dict()
        rows = [[_cell(cells[row]) for cells in columns.values()] for row in range(min(SHOWN, len(self)))]
        return list(columns), rows


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)
