"""What the store needs: opening, the list, searching; each beside the barest SQL that could do it.

Judged by the processor's time: all of it is spent in this thread, and neighbours do not count.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from storage import SessionDB, parse
from tests.benchmarks.make_store import RARE_WORD
from tests.benchmarks.measure import Row, timed

PAGE = 60
QUERIES = {
    "common word": "error ",
    "middling word": "kubernetes ",
    "rare word": f"{RARE_WORD} ",
    "two words": "docker error ",
    "prefix of three": "kub",
    "prefix of five": "datab",
    "no hit": "zzqqxxyyww ",
}
"""A blank after a word ends it; the last word of the others is still being typed."""

NEWEST = "SELECT session_id FROM messages ORDER BY id DESC"
LAST_ACTIVE = """
SELECT json_group_array(json_array(s.id, s.source, s.archived, s.parent_session_id, s.end_reason, s.model_config,
  COALESCE((SELECT max(timestamp) FROM messages m WHERE m.session_id = s.id AND m.timestamp < 32503680000),
           s.started_at)))
FROM sessions s"""
MATCH = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid DESC LIMIT 50"


def rows(path: Path, name: str) -> Iterator[Row]:
    """The storage half of the table."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as bare:
        opened = timed(lambda: SessionDB(path, read_only=True).close())
        yield Row("open", name, opened, timed(lambda: _connect(path)))
        with SessionDB(path, read_only=True) as store:
            yield Row(
                "first page",
                name,
                timed(lambda: _page(store)),
                timed(lambda: _bare_first_page(bare)),
                15,
                "cpu",
            )
            order = store.listing().entries
            page = order[PAGE : 2 * PAGE]
            floor = timed(lambda: _rows_of(bare, [entry.id for entry in page]))
            yield Row("each further page", name, timed(lambda: store.details(page)), floor, 3, "cpu")
            floor = timed(lambda: bare.execute(LAST_ACTIVE).fetchall(), runs=5)
            yield Row("complete order", name, timed(store.listing, runs=5), floor, 150, "cpu")
            for kind, text in QUERIES.items():
                yield from _searches(store, bare, name, kind, text)


def _searches(store: SessionDB, bare: sqlite3.Connection, name: str, kind: str, text: str) -> Iterator[Row]:
    query = parse(text)

    def page() -> None:
        hits = store.search(query, limit=PAGE).hits[:PAGE]
        store.excerpts(query, hits)
        store.details([hit.entry for hit in hits])

    floor = timed(lambda: bare.execute(MATCH, (_fts(text),)).fetchall())
    yield Row(f"search: {kind}", name, timed(page), floor, 15, "cpu")
    yield Row("  without its rows", name, timed(lambda: store.search(query, limit=PAGE)), floor)


def _connect(path: Path) -> None:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()


def _page(store: SessionDB) -> None:
    store.details(store.first_page(limit=PAGE).entries[:PAGE])


def _bare_first_page(bare: sqlite3.Connection) -> None:
    newest: dict[str, None] = {}
    cursor = bare.execute(NEWEST)
    for (session_id,) in cursor:
        newest[session_id] = None
        if len(newest) == PAGE:
            break
    cursor.close()
    _rows_of(bare, list(newest))


def _rows_of(bare: sqlite3.Connection, ids: list[str]) -> None:
    marks = ",".join("?" * len(ids))
    bare.execute(f"SELECT id, title, source, started_at FROM sessions WHERE id IN ({marks})", ids).fetchall()


def _fts(text: str) -> str:
    words = " ".join(f'"{word}"' for word in text.split())
    return words if text.endswith(" ") else f"{words}*"
