"""Conversations that filters choose, and the preview of them (spec 5.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from hermes_tui.cli.output import Output
from hermes_tui.text.figures import plural
from hermes_tui.text.relative_time import minute
from hermes_tui.text.safe_text import cut, fit

if TYPE_CHECKING:
    from storage import SessionDB

_SHOWN = 15
"""Sessions that a preview lists where it is followed by a question."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A conversation that was chosen."""

    id: str
    """Its live tip."""
    last_active: float | None
    """Unix seconds."""
    rows: tuple[dict[str, Any], ...]
    """What is known of each part, in the order of the chain, as `SessionDB.list_prune_candidates` says it."""

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(row["id"] for row in self.rows)

    @property
    def is_open(self) -> bool:
        """Whether any part has not ended."""
        return any(row["ended_at"] is None for row in self.rows)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What filters leave."""

    chosen: tuple[Candidate, ...]
    """Longest ago first."""
    spared: int = 0
    """Conversations that match and were left out because a part of them is open."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Every session of them."""
        return [row for one in self.chosen for row in one.rows]

    @property
    def span(self) -> str:
        """Their last activities: "oldest 2026-01-02 10:00, newest 2026-02-03 11:00"."""
        times = [one.last_active for one in self.chosen if one.last_active is not None]
        return f"oldest {minute(min(times, default=None))}, newest {minute(max(times, default=None))}"

    def facts(self) -> dict[str, Any]:
        """What `--json` says of them."""
        times = [one.last_active for one in self.chosen if one.last_active is not None]
        return {
            "sessions": [
                {
                    "id": row["id"],
                    "conversation": row["conversation"],
                    "title": text(row["title"]) or None,
                    "source": text(row["source"]),
                    "model": text(row["model"]) or None,
                    "started_at": time(row["started_at"]),
                    "ended_at": time(row["ended_at"]),
                    "last_active": row["last_active"],
                    "message_count": row["message_count"],
                    "archived": bool(row["archived"]),
                }
                for row in self.rows
            ],
            "conversations": len(self.chosen),
            "oldest": min(times, default=None),
            "newest": max(times, default=None),
            "open_skipped": self.spared,
        }


def find(db: SessionDB, *, include_open: bool = False, **filters: Any) -> Candidates:
    """The conversations that pass the filters of `SessionDB.list_prune_candidates`, the longest ago first."""
    rows = db.list_prune_candidates(include_open=True, **filters)
    found = [
        Candidate(tip, parts[0]["last_active"], tuple(parts))
        for tip, group in groupby(rows, key=lambda row: str(row["conversation"]))
        if (parts := list(group))
    ]
    chosen = tuple(one for one in found if include_open or not one.is_open)
    return Candidates(chosen, len(found) - len(chosen))


def preview(found: Candidates, phrases: str, output: Output, *, whole: bool) -> Iterator[str]:
    """The lines that say what was found: the first of them, or all.

    Args:
        phrases: How the filters are said; safe text.
    """
    rows = found.rows
    # "session(s)" here and in the questions and answers that follow is how Hermes says it (spec 5.2).
    yield f"{len(rows)} session(s) match ({output.show(phrases)}; {found.span}):"
    shown = rows if whole else rows[:_SHOWN]
    if output.columns is None:
        yield from (_line(row, output) for row in shown)
    else:
        yield from _screen_lines(shown, output, output.columns)
    if len(rows) > len(shown):
        yield f"  {output.marks.ellipsis} and {len(rows) - len(shown)} more"


def spared(found: Candidates) -> list[str]:
    """The line that says how many were left out, if any were."""
    return [f"{plural(found.spared, 'open session')} skipped"] if found.spared else []


def text(value: object) -> str:
    """A column that should hold text, whatever it holds; unsafe to print."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def time(value: object) -> float | None:
    """A column that should hold Unix seconds; None where it holds no time."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _line(row: dict[str, Any], output: Output) -> str:
    cells = (
        output.show(row["id"]),
        fit(minute(row["last_active"]), 17),
        _padded(output.show(text(row["source"])), 10),
        fit(cut(_model(row, output), 24, output.marks.ellipsis), 24),
        f"{_messages(row):>9} ",
        cut(output.show(text(row["title"])), 36, output.marks.ellipsis),
    )
    return "  " + " ".join(cells[:1]) + "  " + " ".join(cells[1:]).rstrip()


def _screen_lines(rows: Sequence[dict[str, Any]], output: Output, cells: int) -> Iterator[str]:
    """The same columns, in the width of the terminal; the id is never cut."""
    from hermes_tui.cli.columns import Column, table

    show = output.show
    columns = (
        Column("", [show(row["id"]) for row in rows], 5),
        Column("", [minute(row["last_active"]) for row in rows], 3),
        Column("", [show(text(row["source"])) for row in rows], 1, most=10, least=8),
        Column("", [_model(row, output) for row in rows], 0, most=24, least=16),
        Column("", [_messages(row) for row in rows], 2, align="right"),
        Column("", [show(text(row["title"])) for row in rows], 4, most=36, least=8),
    )
    for line in islice(table(columns, cells - 2, output.marks), 2, None):
        yield f"  {line}"


def _model(row: dict[str, Any], output: Output) -> str:
    return output.show(text(row["model"])).rpartition("/")[2]


def _messages(row: dict[str, Any]) -> str:
    return f"{text(row['message_count']) or '0'} msgs"


def _padded(shown: str, cells: int) -> str:
    return shown if len(shown) >= cells else fit(shown, cells)


def matched(conversations: int, sessions: int) -> str:
    """Say how much that is: "3 conversations (7 sessions)"; sessions only where they are more."""
    more = f" ({plural(sessions, 'session')})" if sessions > conversations else ""
    return plural(conversations, "conversation") + more
