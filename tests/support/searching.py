"""Short words for searches, and what the layouts of an index know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from storage import (
    SearchResult,
    SessionDB,
    parse,
)
from tests.support.layouts import INDEXES, Row


@contextmanager
def opened(path: Path) -> Iterator[SessionDB]:
    with SessionDB(path, read_only=True) as db:
        yield db


def look(path: Path, text: str, *, typing: bool = False, **options: Any) -> SearchResult:
    with opened(path) as db:
        return db.search(parse(text, typing=typing), **options)


def found(result: SearchResult) -> dict[str, int]:
    """Conversations and their hits, in order."""
    return {hit.entry.id: hit.hits for hit in result.hits}


def encoded(*parts: object) -> str:
    return "\x00json:" + json.dumps(parts)


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo zebra"}}

ONE_COLUMN = ("one column", "v10")
"""Layouts whose index of words knows nothing but content."""

WHY_SCANNED = {
    "none": "search index missing",
    "stale": "search index out of date",
    "marked stale": "search index out of date",
}

PARTS_UNKNOWN = {"one column", "inline", "external", "rebuilding", "trigrams stale"}
"""Layouts with nothing that knows a word inside a longer one."""

WITHOUT_TRIGRAMS = [name for name, sql in INDEXES.items() if "trigram" not in sql]

TALK = [
    Row("a", "deploy with docker"),
    Row("b", "the docker daemon", "assistant"),
    Row("c", "nothing to see"),
    Row(
        "a",
        None,
        "assistant",
        None,
        '[{"function":{"name":"terminal","arguments":"{\\"cmd\\":\\"docker ps\\"}"}}]',
    ),
    Row("a", "CONTAINER ID", "tool", "docker_tool"),
    Row("d", "rewound docker", active=0),
    Row("d", "compacted docker", active=0, compacted=1),
    Row("e", "hidden docker", display_kind="hidden"),
    Row("e", "docker meta", "session_meta"),
]
