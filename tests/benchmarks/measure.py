"""Measuring, and the one table that comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Literal


@dataclass(frozen=True, slots=True)
class Times:
    """Medians in milliseconds."""

    wall: float
    cpu: float | None = None
    """Of this process; None where another one did the work."""
    p95: float | None = None
    """Of the wall time."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    `budget` is in milliseconds (or a ratio to the floor when `by` is "ratio"), for the value that `by` names;
    None where there is none.
    """

    what: str
    store: str
    times: Times
    floor: Times | None = None
    budget: float | None = None
    by: Literal["wall", "cpu", "p95", "ratio"] = "wall"

    @property
    def ratio(self) -> float | None:
        return self.times.wall / self.floor.wall if self.floor and self.floor.wall else None

    @property
    def value(self) -> float | None:
        return self.ratio if self.by == "ratio" else getattr(self.times, self.by)

    @property
    def verdict(self) -> str:
        if self.budget is None or self.value is None:
            return ""
        return "pass" if self.value <= self.budget else "FAIL"


def timed(call: Callable[[], object], runs: int = 15, warm: int = 2) -> Times:
    """Call so often and take the medians."""
    for _ in range(warm):
        call()
    walls, cpus = [], []
    for _ in range(runs):
        cpu, wall = time.process_time(), time.perf_counter()
        call()
        walls.append((time.perf_counter() - wall) * 1e3)
        cpus.append((time.process_time() - cpu) * 1e3)
    return of(walls, cpus)


def of(walls: Iterable[float], cpus: Iterable[float] = ()) -> Times:
    """Medians of milliseconds that were measured elsewhere."""
    ordered = sorted(walls)
    cpu = list(cpus)
    return Times(median(ordered), median(cpu) if cpu else None, ordered[int(len(ordered) * 0.95 - 0.01)])


HEADINGS = ("what", "store", "wall ms", "p95", "cpu ms", "floor ms", "ratio", "budget", "")


def table(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table, in columns."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    lines = [_line(line, widths) for line in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _cells(row: Row) -> tuple[str, ...]:
    floor = row.floor.wall if row.floor else None
    unit = "×" if row.by == "ratio" else f" {row.by}" if row.by != "wall" else ""
    budget = f"≤ {row.budget:g}{unit}" if row.budget is not None else ""
    figures = (row.times.wall, row.times.p95, row.times.cpu, floor, row.ratio)
    return (row.what, row.store, *(_figure(value) for value in figures), budget, row.verdict)


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    padded = (
        cell.ljust(width) if column < 2 or column > 6 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return f"| {' | '.join(padded)} |"
