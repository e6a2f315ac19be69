"""`hermes-tui sessions list`: the conversations of the browser, on paper."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hermes_tui.cli import exits
from hermes_tui.cli.output import Output
from hermes_tui.options import Options
from hermes_tui.text.figures import count, plural
from hermes_tui.text.relative_time import relative
from hermes_tui.text.safe_text import cut, fit
from storage import Conversation, Listing, SessionDB

if TYPE_CHECKING:
    from storage import SessionQuery

_NOTHING = "No sessions found."
_ALL = 1 << 31
"""More conversations than any store has."""


def list_conversations(options: Options, output: Output, *, line: str = "", as_json: bool = False) -> int:
    """Print the conversations, last active first; pins stay in their place. What words find: newest hit first.

    A line that is not understood prints nothing: whoever asks for a part must not be handed everything.

    Args:
        line: Words and filters as in the search box; empty for all conversations.

    Returns:
        The exit status.

    Raises:
        StoreError: The store cannot be opened or read.
    """
    query = _query(line, options.source)
    if query is not None and query.ignored:
        output.error(_misunderstood(query.ignored))
        return exits.USAGE
    with SessionDB(options.db_path, read_only=True, clock=options.clock) as db:
        listing = _listing(db, query, options.limit)
        entries = listing.entries[: options.limit]
        conversations = db.details(entries)
    if as_json:
        output.json(as_array(conversations))
    else:
        lines = as_table if output.columns is None else as_screen_table
        for text in lines(conversations, options.clock(), output):
            output.line(text)
    if len(entries) < len(listing.entries) and (output.is_watched or not as_json):
        more = f"{count(len(listing.entries) - len(entries))} more" if listing.complete else "more"
        output.remark(f"{output.marks.ellipsis} {more} not shown (use --limit N to see more)")
    for note in dict.fromkeys(listing.notes):
        output.remark(output.show(note))
    shown = query.shown_classes if query is not None else ()
    hidden = sum(number for kind, number in listing.hidden.items() if kind not in shown)
    if hidden and output.is_watched:
        output.remark(f"{plural(hidden, 'conversation')} hidden: archived, subagents, cron or tools")
    return exits.OK


def _misunderstood(ignored: Sequence[str]) -> str:
    what = "; ".join(note.removeprefix("without: ") for note in ignored)
    return f"Not understood, so nothing was listed: {what}."


def _query(line: str, source: str | None) -> SessionQuery | None:
    """What is asked for; None for everything. A source in the line goes before the option."""
    if not line.strip() and source is None:
        return None
    from storage import Filter, parse

    query = parse(line, typing=False)
    if source is None or query.sources:
        return query
    return replace(query, filters=(*query.filters, Filter("source", source)))


def _listing(db: SessionDB, query: SessionQuery | None, limit: int | None) -> Listing:
    """The conversations in order, at least one more than the limit if there are so many."""
    if query is not None and query.is_search:
        found = db.search(query, limit=limit + 1 if limit else _ALL)
        entries = tuple(hit.entry for hit in found.hits)
        return Listing(entries, found.hidden, complete=found.exhausted, total=len(entries), notes=found.notes)
    page = _newest(db, limit) if limit and query is None else None
    return page or db.listing(query, pins_first=False, fresh=False)


def _newest(db: SessionDB, limit: int) -> Listing | None:
    """One conversation more than the limit, without reading all of a large store; None for a small one."""
    page = db.first_page(limit=limit + 1)
    if page.complete:
        return None
    # Here a pin keeps the place that its last activity gives it.
    entries = sorted(page.entries, key=lambda entry: entry.last_active or 0.0, reverse=True)
    return replace(page, entries=tuple(entries))


def as_array(conversations: Sequence[Conversation]) -> list[dict[str, Any]]:
    """What `--json` says of each, text as stored."""
    return [
        {
            "id": row.id,
            "title": row.title or None,
            "source": row.source,
            "model": row.model,
            "started_at": row.started_at,
            "last_active": row.last_active,
            "ended_at": row.ended_at,
            "status": row.status.value,
            "messages": row.messages,
            "parts": row.parts,
            "preview": row.preview,
            "cwd": row.cwd,
            "archived": row.archived,
            "pinned": row.pinned,
        }
        for row in conversations
    ]


def as_table(conversations: Sequence[Conversation], now: float, output: Output) -> Iterator[str]:
    """The four layouts of spec 5.2: with titles or without, with working directories or without."""
    show, rule, dash = output.show, output.marks.rule, output.marks.dash
    column = partial(_column, output.marks.ellipsis)
    if not conversations:
        yield _NOTHING
        return
    titles, places = _layout(conversations)
    if titles and places:
        yield f"{'Title':<28} {'Workspace':<18} {'Last Active':<13} ID"
        yield rule * 110
    elif titles:
        yield f"{'Title':<32} {'Preview':<40} {'Last Active':<13} ID"
        yield rule * 110
    elif places:
        yield f"{'Preview':<38} {'Workspace':<18} {'Last Active':<13} {'Src':<6} ID"
        yield rule * 100
    else:
        yield f"{'Preview':<50} {'Last Active':<13} {'Src':<6} ID"
        yield rule * 95
    for row in conversations:
        active = fit(relative(row.last_active, now), 13)
        id_, source = show(row.id), _padded(show(row.source), 6)
        title, preview = show(row.title) or dash, show(row.preview)
        workspace = column(show(_workspace(row)) or dash, 18)
        if titles and places:
            yield f"{column(title, 28)} {workspace} {active} {id_}"
        elif titles:
            yield f"{column(title, 32)} {column(preview, 40)} {active} {id_}"
        elif places:
            yield f"{column(preview, 38)} {workspace} {active} {source} {id_}"
        else:
            yield f"{column(preview, 50)} {active} {source} {id_}"


def as_screen_table(conversations: Sequence[Conversation], now: float, output: Output) -> Iterator[str]:
    """The same columns, in the width of the terminal; what has no title is named by its preview."""
    if not conversations:
        yield _NOTHING
        return
    from hermes_tui.cli.columns import Column, table

    titles, places = _layout(conversations)
    show, dash = output.show, output.marks.dash
    previews = [show(row.preview) for row in conversations]
    columns = []
    if titles:
        names = [
            show(row.title) or preview or dash for row, preview in zip(conversations, previews, strict=True)
        ]
        columns.append(Column("Title", names, 4, most=32, least=12))
    else:
        columns.append(Column("Preview", previews, 4, most=50, least=12))
    if places:
        workspaces = [show(_workspace(row)) or dash for row in conversations]
        columns.append(Column("Workspace", workspaces, 1, most=18, least=9))
    elif titles:
        rest = [
            preview if show(row.title) else "" for row, preview in zip(conversations, previews, strict=True)
        ]
        columns.append(Column("Preview", rest, 0, most=40, least=20))
    columns.append(Column("Last Active", [relative(row.last_active, now) for row in conversations], 3))
    if not titles:
        columns.append(Column("Src", [show(row.source) for row in conversations], 2, most=16, least=6))
    columns.append(Column("ID", [show(row.id) for row in conversations], 5))
    yield from table(columns, output.columns or 0, output.marks)


def _layout(conversations: Sequence[Conversation]) -> tuple[bool, bool]:
    """Whether any of them has a title, and whether any has a working directory."""
    return any(row.title for row in conversations), any(row.cwd.strip() for row in conversations)


def _column(ellipsis: str, text: str, cells: int) -> str:
    """Two cells of every column stay free."""
    return fit(cut(text, cells - 2, ellipsis), cells)


def _padded(text: str, cells: int) -> str:
    """At least so wide; a source is told in full."""
    return text if len(text) >= cells else fit(text, cells)


def _workspace(row: Conversation) -> str:
    return os.path.basename(row.cwd.strip().rstrip("/"))
