"""What searching needs: every kind of query, unfiltered, with a dense and a sparse filter, and by relevance.

Each beside the barest SQL that could answer it. Given a copy that may be written to, and the directory of an unpacked
Hermes release, `search_messages` of both is measured as well: see `releases`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from storage import SearchOrder, SessionDB, SessionQuery, parse
from storage.store_view import PAGE
from tests.benchmarks.make_store import RARE_WORD
from tests.benchmarks.measure import Row, Times, of, timed

QUERIES = {
    "common word": "error ",
    "very common word": "the ",
    "the same, being typed": "the",
    "rare word": f"{RARE_WORD} ",
    "phrase": '"docker build" ',
    "AND": "docker error ",
    "AND of three": "docker error build ",
    "OR": "docker OR kubernetes ",
    "OR of four": f"docker OR kubernetes OR error OR {RARE_WORD} ",
    "NOT": "docker -error ",
    "prefix": "datab",
    "one letter": "e",
    "a rarer letter": "z",
    "two letters": "er",
    "a year": "2026",
    "hyphenated": "docker-build ",
    "percent": "100%",
    "CJK of one": "会",
    "CJK of two": "会话",
    "CJK of four": "全文检索",
    "CJK and Latin": "会话 docker ",
    "emoji": "🦀",
    "no hit": "zzqqxxyyww ",
    "two letters, no hit": "zq",
}
"""A blank after a word ends it."""

FILTERS = {"": 15, "source:telegram": 60, "source:slack": 60}
"""None, a dense and a sparse one; milliseconds allowed."""

_SHORT = ("CJK of one", "CJK of two", "emoji")
_ALIKE = ("common word", "rare word", "AND", "OR", "prefix", "CJK of four", "no hit")
"""What the real release answers as well."""

_PAGED = ("common word", "very common word", "AND", "one letter", "two letters", "CJK of one")

READ = (
    "dir:hermes",
    "tokens:>10k",
    "cost:>1",
    "msgs:>50",
    "is:complete",
    "is:error",
    "model:opus",
    "title:docker",
)
"""Filters that have to read rows: measured when they are first asked for, with a word beside them.

On screen what they ask of every conversation is learnt while their value is typed; a program begins with nothing."""

EXCLUDED = ("-the ", "-error ", "-docker ")
"""Alone they filter the list."""

MATCH = "SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT 60"
LIKE = "SELECT id FROM messages WHERE content LIKE '%' || ? || '%' ORDER BY id DESC LIMIT 60"

RELEASE = "HERMES_RELEASE"
"""In the environment: where a release is unpacked (`pip install --no-deps --target DIR hermes-agent==0.19.0`)."""

_DRIVER = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from statistics import median
from hermes_state import SessionDB
db = SessionDB(db_path=__import__("pathlib").Path(sys.argv[2]))
times = {}
for kind, text in json.loads(sys.argv[3]).items():
    walls = []
    for _ in range(7):
        begun = time.perf_counter()
        db.search_messages(text)
        walls.append((time.perf_counter() - begun) * 1e3)
    times[kind] = median(walls[1:])
print(json.dumps(times))
"""


def rows(path: Path, name: str) -> Iterator[Row]:
    """The searching part of the table; figures of a store four times as large may be twice as large."""
    slack = 2 if path.stat().st_size > 2_500_000_000 else 1
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as bare:
        for kind in ("common word", "rare word", "AND", "one letter", "a year", "CJK of two", "no hit"):
            yield Row(
                f"first search, no list read: {kind}",
                name,
                timed(partial(_first, path, kind), runs=3),
                None,
                15 * slack,
                "cpu",
            )
        with SessionDB(path, read_only=True) as store:
            store.listing()
            for kind, text in QUERIES.items():
                sql, value = _barest(text)
                floor = timed(partial(_all, bare, sql, value), runs=5)
                for own, budget in FILTERS.items():
                    query = parse(f"{own} {text}")
                    allowed = 40 if kind in _SHORT and not own else budget
                    times = timed(partial(_page, store, query), runs=5)
                    yield Row(
                        f"search {own or 'everywhere'}: {kind}", name, times, floor, allowed * slack, "cpu"
                    )
                query = parse(text)
                times = timed(partial(_page, store, query, SearchOrder.RELEVANT), runs=5)
                yield Row(f"search by relevance: {kind}", name, times, floor, 60 * slack, "cpu")
            for kind in _PAGED:
                query = parse(QUERIES[kind])
                times = timed(partial(store.search, query, after=store.search(query)), runs=5)
                yield Row(f"search, a further page: {kind}", name, times, None, 3 * slack, "cpu")
            yield from _releases(store, path, name)
        for own in READ:
            key, line = own.partition(":")[0], f"{own} error "
            times = _first_of(path, line, learnt=key)
            yield Row(f"filter at its first use, typed: {line}", name, times, None, 60 * slack, "cpu")
            times = _first_of(path, line)
            yield Row(f"filter at its first use, by a program: {line}", name, times)
        for line in EXCLUDED:
            times = _first_of(path, line, page_first=True)
            yield Row(f"filter at its first use, first page: {line}", name, times, None, 60 * slack, "cpu")
            # As any complete order it is read behind what is on show.
            allowed = 150 if slack == 1 else 900
            yield Row(
                f"filter at its first use, all: {line}", name, _first_of(path, line), None, allowed, "cpu"
            )
        for key in ("dir", "cost", "msgs", "is"):
            times = _slowest_step(path, key)
            yield Row(f"learning what {key}: needs, the longest step", name, times, None, 25, "cpu")


def _page(store: SessionDB, query: SessionQuery, order: SearchOrder = SearchOrder.NEWEST) -> None:
    """What the screen asks for: the first page, with its excerpts."""
    store.excerpts(query, store.search(query, order=order).hits[:PAGE])


def _first(path: Path, kind: str) -> None:
    with SessionDB(path, read_only=True) as store:
        _page(store, parse(QUERIES[kind]))


def _first_of(path: Path, line: str, learnt: str = "", *, page_first: bool = False, runs: int = 5) -> Times:
    """A line that is asked of a store whose list was read, and nothing else but what a key needs."""
    walls, cpus = [], []
    for _ in range(runs):
        with SessionDB(path, read_only=True) as store:
            store.listing()
            deque(store.learning(learnt), maxlen=0)
            cpu, wall = time.process_time(), time.perf_counter()
            query = parse(line)
            if query.is_search:
                _page(store, query)
            elif page_first:
                store.first_page(query=query)
            else:
                store.listing(query, fresh=False)
            walls.append((time.perf_counter() - wall) * 1e3)
            cpus.append((time.process_time() - cpu) * 1e3)
    return of(walls, cpus)


def _slowest_step(path: Path, key: str, runs: int = 5) -> Times:
    """What somebody who searches meanwhile waits for at most."""
    walls, cpus = [], []
    for _ in range(runs):
        with SessionDB(path, read_only=True) as store:
            store.listing()
            steps = []
            cpu, wall = time.process_time(), time.perf_counter()
            for _ in store.learning(key):
                steps.append((time.process_time() - cpu, time.perf_counter() - wall))
                cpu, wall = time.process_time(), time.perf_counter()
        cpus.append(max(step[0] for step in steps) * 1e3)
        walls.append(max(step[1] for step in steps) * 1e3)
    return of(walls, cpus)


def _all(bare: sqlite3.Connection, sql: str, value: str) -> None:
    bare.execute(sql, (value,)).fetchall()


def _barest(text: str) -> tuple[str, str]:
    words = text.split()
    if text.isascii():
        if '"' in text:
            return MATCH.format(table="messages_fts"), text
        quoted = [word if word in ("OR", "NOT") else f'"{word.lstrip("-")}"' for word in words]
        return MATCH.format(table="messages_fts"), " ".join(quoted) + ("" if text.endswith(" ") else "*")
    if all(len(word) > 2 for word in words):
        return MATCH.format(table="messages_fts_trigram"), " ".join(f'"{word}"' for word in words)
    return LIKE, words[0]


def _releases(store: SessionDB, path: Path, name: str) -> Iterator[Row]:
    """`search_messages` beside a real release's, which opens the store for writing."""
    release = os.environ.get(RELEASE)
    if not release:
        return
    asked = {kind: QUERIES[kind].strip() for kind in _ALIKE}
    asked["prefix"] += "*"
    done = subprocess.run(
        [sys.executable, "-c", _DRIVER, release, str(path), json.dumps(asked)],
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    for kind, text in asked.items():
        times = timed(partial(store.search_messages, text), runs=5)
        yield Row(f"search_messages: {kind}", name, times, Times(theirs[kind]), 1, "ratio")
