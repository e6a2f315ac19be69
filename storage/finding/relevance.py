"""The most relevant first: what the index thinks of the newest hits, and how long ago they were."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from statistics import median

from storage.engine.connection import Cancel, Reader
from storage.errors import IndexDamaged
from storage.finding import sieve
from storage.finding.findings import KEPT, Findings
from storage.finding.hits import Hits
from storage.finding.query import SessionQuery
from storage.readings import ConversationHit

ENOUGH = 2_000
"""Hits that are weighed at a time: weighing costs some microseconds each, and there may be a million."""

_HALF_LIFE = 30 * 86_400.0
"""Seconds after which the part of a weight that fades is half of what it was."""

_LASTING = 0.4
"""The part that does not fade."""

_FEW = 3
"""Letters from which on a beginning of a word is not in nearly every message."""


def ranked(
    reader: Reader,
    query: SessionQuery,
    findings: Findings,
    walked: Sequence[Hits],
    before: Sequence[ConversationHit],
    cancel: Cancel,
) -> tuple[ConversationHit, ...]:
    """What was found, the most relevant first, behind what stood there `before`.

    A conversation weighs as much as its best message, a little more for each further one, and twice as much where its
    title matches. Words are weighed by bm25; what the index of words does not know weighs as an average word.

    Args:
        walked: The hits that were met since then.
    """
    weights = _weights(reader, query, walked, cancel)
    average = median(weights.values()) if weights else 1.0
    latest = max((hit.time for hit in walked if hit.time is not None), default=0.0)
    best: dict[str, float] = {}
    messages: dict[str, list[tuple[float, int]]] = {}
    for hit in walked:
        entry = findings.conversation(hit.session_id)
        if entry is None:
            continue
        fading = _fading(latest - hit.time) if hit.time is not None else _LASTING
        own = [(weights.get(id_, average) * fading, id_) for id_ in hit.ids]
        best[entry.id] = max(best.get(entry.id, 0.0), max(own)[0])
        messages.setdefault(entry.id, []).extend(own)
    top = max(best.values(), default=1.0)

    def weight(hit: ConversationHit) -> tuple[float, float]:
        own = best.get(hit.entry.id, 0.0) * (1 + math.log1p(hit.hits) / 10) + top * hit.by_name
        return own, hit.entry.last_active or 0.0

    known = {hit.entry.id: hit for hit in findings.ranked(complete=True)}
    earlier = tuple(known.pop(hit.entry.id, hit) for hit in before)
    found = [
        ConversationHit(hit.entry, hit.hits, _best(messages.get(id_), hit.messages), hit.by_name)
        for id_, hit in known.items()
    ]
    return (*earlier, *sorted(found, key=weight, reverse=True))


def _best(weighed: Sequence[tuple[float, int]] | None, newest: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(id_ for _, id_ in sorted(weighed, reverse=True)[:KEPT]) if weighed else newest


def _fading(age: float) -> float:
    return _LASTING + (1 - _LASTING) * math.pow(0.5, max(0.0, age) / _HALF_LIFE)


def _weights(
    reader: Reader, query: SessionQuery, walked: Sequence[Hits], cancel: Cancel
) -> Mapping[int, float]:
    """What the index of words thinks of these messages, by id; nothing where it cannot be asked."""
    words = sieve.of_words(query)
    common = any(term.words and term.opens and len(term.words[-1]) < _FEW for term in query.terms)
    ids = [id_ for hit in walked for id_ in hit.ids]
    if not words or common or not ids or _is_everywhere(query, ids) or reader.layout.fts is None:
        return {}
    try:
        rows: list[tuple[int, float]] = reader.json(
            """
            WITH weighed AS MATERIALIZED (
                SELECT rowid AS id, -bm25(messages_fts) AS weight FROM messages_fts
                WHERE messages_fts MATCH ? AND rowid BETWEEN ? AND ?
                    AND +rowid IN (SELECT value FROM json_each(?)))
            SELECT json_group_array(json_array(id, weight)) FROM weighed
            """,
            (words, min(ids), max(ids), json.dumps(ids)),
            cancel,
        )
    except IndexDamaged:
        return {}
    return dict(rows)


def _is_everywhere(query: SessionQuery, ids: Sequence[int]) -> bool:
    """Whether it is one thing that more than half of the messages hold, as far as was walked.

    It tells nothing to bm25, which would ask the index for all of them, and for a beginning of words twice.
    """
    return len(query.terms) == 1 and len(ids) >= ENOUGH and 2 * len(ids) > max(ids) - min(ids)
