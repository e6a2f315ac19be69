"""What an index knows only in part is looked at one by one, beside what it finds."""

from __future__ import annotations

import json
from dataclasses import dataclass

from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.finding import evidence, hits, sieve
from storage.finding.hits import Route, Slice
from storage.finding.query import SessionQuery
from storage.finding.scope import Ids, Scope, between
from storage.finding.standing import standing

CUT = 8192
"""Characters of tool output that the index knows in layout C3 (spec 1.5); nothing of it where it is encoded."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A Route by an index, and through the messages of which it may not know all."""

    route: Route
    partly: tuple[str, ...]
    """SQL for each kind of these messages `m`."""

    def __call__(
        self, reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel, /
    ) -> Slice:
        found = self.route(reader, query, scope, wanted, cancel)
        columns = evidence.searched(reader.layout)
        likely, needles = evidence.may_be_in(query, columns, columns[2])
        known = standing(reader).beside(" OR ".join(self.partly), found.lowest, cancel)
        beside = between(known, Ids(found.lowest, wanted.before))
        if scope.own is not None:
            beside = tuple(set(scope.own).intersection(beside))
        if not beside:
            return found
        ids: list[int] = reader.json(
            f"""SELECT json_group_array(m.id) FROM messages m WHERE m.id IN (SELECT value FROM json_each(?))
            AND ({encoded(reader.layout)} OR {likely})""",
            (json.dumps(beside), *needles),
            cancel,
        )
        candidates = set(ids).difference(id_ for hit in found.hits for id_ in hit.ids)
        if not candidates:
            return found
        more = hits.verified(reader, query, scope, *sieve.listed(candidates), cancel)
        newest_first = sorted((*found.hits, *more), key=lambda hit: hit.ids[0], reverse=True)
        return Slice(tuple(newest_first), found.lowest, found.scanned)


def wide(layout: Layout) -> str:
    """SQL: whether the message `m` holds more than ASCII, in what is not encoded."""
    columns = evidence.searched(layout)
    content, *others = (f"length({column}) <> length(CAST({column} AS BLOB))" for column in columns)
    others.append(f"instr({columns[2]}, '\\u')")
    return f"coalesce(NOT {encoded(layout)} AND {content}, 0) OR coalesce({' OR '.join(others)}, 0)"


def from_tools(layout: Layout) -> str:
    """SQL: whether the message `m` is what a tool said."""
    return f"({layout.column('messages', 'role', 'NULL', 'm')} IS 'tool')"


def cut(layout: Layout) -> str:
    """SQL: whether the index of layout C3 knows only the beginning of the message `m`."""
    content = evidence.searched(layout)[0]
    return f"({from_tools(layout)} AND ({encoded(layout)} OR length({content}) > {CUT}))"


def encoded(layout: Layout) -> str:
    """SQL: whether the content of the message `m` is stored as JSON."""
    content = evidence.searched(layout)[0]
    # Text may begin with such a byte, too; the bytes are asked for of little else.
    marked = f"substr(CAST({content} AS BLOB), 1, 6) IN (x'006a736f6e3a', x'016a736f6e3a')"
    return f"coalesce({content} > '' AND {content} < char(2) AND {marked}, 0)"
