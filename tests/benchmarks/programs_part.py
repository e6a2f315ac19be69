"""What programs ask of a large store: `session_search` in its four shapes, statistics, and what the store takes.

Discovering and scrolling have budgets; statistics are read in steps that say how far they are, and the longest step
has one.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from storage import SessionDB, Sort, session_search
from tests.benchmarks.measure import Row, Times, timed

QUERIES = {
    "common word": "error",
    "two words": "docker error",
    "rare words": "auth refactor",
    "phrase": '"docker build"',
    "prefix": "datab*",
    "OR": "docker OR kubernetes",
    "in every other message": "the",
    "CJK of four": "全文检索",
    "no hit": "zzqqxxyyww",
}

RANKED = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rank LIMIT 300"
"""The barest SQL for the same hits, without a lineage, a role or a window."""

AROUND = "SELECT * FROM messages WHERE session_id = ? AND id {than} ? ORDER BY id {order} LIMIT 20"
BY_SOURCE = "SELECT source, count(*), sum(input_tokens), sum(output_tokens) FROM sessions GROUP BY source"
BY_HOUR = "SELECT CAST(timestamp / 3600 AS INTEGER), count(*) FROM messages GROUP BY 1"


def rows(path: Path, name: str) -> Iterator[Row]:
    """The part of the table for programs."""
    with (
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as bare,
        SessionDB(path, read_only=True) as store,
    ):
        yield from _recall(store, bare, name)
        for by in (Sort.TOKENS, Sort.COST, Sort.MESSAGES):
            yield Row(
                f"top sessions by {by}",
                name,
                timed(partial(store.top_sessions, by), runs=5),
                None,
                100,
                "cpu",
            )
        floor = timed(lambda: [_all(bare, sql) for sql in (BY_SOURCE, BY_HOUR)], runs=3)
        yield Row("statistics, all of them", name, timed(store.statistics, runs=3), floor)
        yield Row("  the longest step", name, _longest_step(store.statistics), None, 150, "cpu")
        yield Row("size by part", name, timed(store.store_size, runs=3), None)


def _recall(store: SessionDB, bare: sqlite3.Connection, name: str) -> Iterator[Row]:
    for kind, query in QUERIES.items():
        floor = timed(partial(_all, bare, RANKED, query), runs=3) if query.isascii() else None
        for sort in (None, "newest", "oldest"):
            call = partial(session_search, query, db=store, sort=sort)
            what = f"recall, {sort or 'by relevance'}: {kind}"
            yield Row(what, name, timed(call, runs=7), floor, 15 if query.isascii() else 40, "cpu")
    hit = session_search(QUERIES["common word"], db=store)["results"][0]
    place = {"session_id": hit["session_id"], "around_message_id": hit["match_message_id"]}
    floor = timed(partial(_around, bare, *place.values()))
    call = partial(session_search, db=store, window=20, **place)
    yield Row("recall, scroll", name, timed(call), floor, 2, "cpu")
    yield Row("recall, read", name, timed(partial(session_search, db=store, session_id=hit["session_id"])))
    yield Row("recall, browse", name, timed(partial(session_search, db=store), runs=3))


def _all(bare: sqlite3.Connection, sql: str, *values: str) -> list[Any]:
    return bare.execute(sql, values).fetchall()


def _around(bare: sqlite3.Connection, session_id: str, message_id: int) -> None:
    for than, order in (("<", "DESC"), (">=", "ASC")):
        bare.execute(AROUND.format(than=than, order=order), (session_id, message_id)).fetchall()


def _longest_step(call: Callable[..., Any]) -> Times:
    walls, cpus = [time.perf_counter()], [time.process_time()]

    def step(_done: int, _total: int) -> None:
        walls.append(time.perf_counter())
        cpus.append(time.process_time())

    call(progress=step)
    wall, cpu = (
        max(after - before for before, after in pairwise(moments)) * 1e3 for moments in (walls, cpus)
    )
    return Times(wall, cpu)
