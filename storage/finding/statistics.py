"""What a store adds up to: by source, by model, by day and by hour; and its largest sessions.

Sessions, tokens and cost belong to the day and hour on which the session was started, messages to those on which they
were written. A conversation has the source of its live tip and the model that it is shown with.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, tzinfo
from heapq import nsmallest
from typing import Any

from storage.conversation import expressions, relatives
from storage.conversation.family import LATEST_TIME, readable
from storage.engine import session_ids
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.errors import BadFilter
from storage.finding.catalog import conversations, distinct
from storage.finding.local_time import QUARTER, LocalTime
from storage.finding.tallies import Statistics, Sum, Tally, TopSession
from storage.records import Sort

Progress = Callable[[int, int], None]
"""Told how much is done, of how much."""

_SLICE = 1_000
"""Sessions that are read at a time, with all their messages: some tens of milliseconds."""


def statistics(
    reader: Reader, tz: tzinfo | None, progress: Progress | None, cancel: Cancel | None
) -> Statistics:
    """All numbers of a store, read slice by slice: see `SessionDB.statistics`."""
    gathered = _Gathered(LocalTime(tz))
    kin = relatives.everyone(reader, cancel)
    steps = list(_slices(reader.layout, list(kin)))
    done, total = 0, len(kin)
    for ids in steps:
        if progress is not None:
            progress(done, total)
        for place, model, *used in _sessions(reader, ids, cancel):
            one = kin[ids[place]]
            gathered.add_session(one.id, one.source, model, one.started_at, used)
        for place, quarter, number in _messages(reader, ids, cancel):
            gathered.add_messages(ids[place], kin[ids[place]].source, quarter, number)
        for second, number in _seconds(reader, ids, gathered.take_torn(), cancel):
            gathered.add_dated(second, number)
        done += len(ids)
    for entry in distinct(conversations(kin).values()):
        gathered.add_conversation(entry.source, entry.parts[: entry.main], entry.started_at)
    if progress is not None:
        progress(total, total)
    return gathered.result()


class _Gathered:
    """The sums while they grow."""

    def __init__(self, local: LocalTime) -> None:
        self._local = local
        self._total, self._undated = Sum(), Sum()
        self._sources: dict[str, Sum] = defaultdict(Sum)
        self._models: dict[str, Sum] = defaultdict(Sum)
        self._days: dict[date, Sum] = defaultdict(Sum)
        self._hours = [Sum() for _ in range(24)]
        self._model_of: dict[str, str] = {}
        self._torn: set[int] = set()

    def add_session(
        self,
        id_: str,
        source: str,
        model: str,
        started: float | None,
        used: Sequence[Any],
    ) -> None:
        self._model_of[id_] = model
        for one in (self._total, self._sources[source], self._models[model], *self._at(started)):
            one.add_session(*used)

    def add_messages(self, id_: str, source: str, quarter: int | None, number: int) -> None:
        """Count messages of a session, written in this quarter of an hour; None: at no readable time."""
        for one in (self._total, self._sources[source], self._models[self._model_of.get(id_, "")]):
            one.messages += number
        if quarter is None:
            self._undated.messages += number
        elif (place := self._local.of_quarter(quarter)) is None:
            self._torn.add(quarter)
        else:
            self._days[place[0]].messages += number
            self._hours[place[1]].messages += number

    def take_torn(self) -> list[int]:
        """The quarters that lie in two hours, to be counted second by second; they are forgotten here."""
        torn, self._torn = sorted(self._torn), set()
        return torn

    def add_dated(self, second: int, number: int) -> None:
        """Count messages of a second, for its day and hour alone."""
        for one in self._at(second):
            one.messages += number

    def add_conversation(self, source: str, line: Sequence[str], started: float | None) -> None:
        """Count a conversation with this main line."""
        model = next((model for id_ in reversed(line) if (model := self._model_of.get(id_))), "")
        for one in (self._total, self._sources[source], self._models[model], *self._at(started)):
            one.conversations += 1

    def result(self) -> Statistics:
        sources = {name: one.tally() for name, one in self._sources.items()}
        models = {name: one.tally() for name, one in self._models.items()}
        return Statistics(
            total=self._total.tally(),
            sources=dict(sorted(sources.items(), key=lambda item: (-item[1].sessions, item[0]))),
            models=dict(sorted(models.items(), key=_dearest_first)),
            days={day: self._days[day].tally() for day in sorted(self._days)},
            hours=tuple(one.tally() for one in self._hours),
            undated=self._undated.tally(),
        )

    def _at(self, moment: float | None) -> tuple[Sum, ...]:
        if moment is None:
            return (self._undated,)
        day, hour = self._local.place(moment)
        return self._days[day], self._hours[hour]


def _dearest_first(item: tuple[str, Tally]) -> tuple[float, int, str]:
    name, tally = item
    return (-(tally.cost or 0.0), -tally.tokens, name)


def _slices(layout: Layout, ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """The sessions some at a time; all at once where each slice would read every message."""
    size = _SLICE if "idx_messages_session" in layout.indexes else max(1, len(ids))
    for start in range(0, len(ids), size):
        yield ids[start : start + size]


def _sessions(reader: Reader, ids: Sequence[str], cancel: Cancel | None) -> Iterable[Any]:
    """Place among these sessions, model, input and output tokens and cost of each of them."""
    layout = reader.layout
    model = expressions.text(layout.column("sessions", "model", "NULL", "s"))
    sent, received = (
        f"coalesce({expressions.number(layout.column('sessions', name, '0', 's'))}, 0)"
        for name in ("input_tokens", "output_tokens")
    )
    return reader.json(  # type: ignore[no-any-return]
        f"""
        SELECT json_group_array(json_array(
            wanted.key, coalesce({model}, ''), {sent}, {received}, {expressions.cost(layout, "s")}))
        FROM json_each(?1) wanted CROSS JOIN sessions s ON s.id = wanted.value
        """,
        (json.dumps(ids),),
        cancel,
    )


def _messages(reader: Reader, ids: Sequence[str], cancel: Cancel | None) -> Iterator[Any]:
    """Place among these sessions, quarter of an hour, and number of the visible messages."""
    layout = reader.layout
    if not layout.has("messages", "session_id"):
        return
    quarter = _in_steps_of(QUARTER, layout)
    for condition in _visible(layout):
        yield from reader.json(
            f"""
            SELECT json_group_array(json_array(place, quarter, number)) FROM (
                SELECT wanted.key AS place, {quarter} AS quarter, count(*) AS number
                FROM json_each(?1) wanted CROSS JOIN messages m ON m.session_id = wanted.value
                WHERE {condition} GROUP BY 1, 2)
            """,
            (json.dumps(ids),),
            cancel,
        )


def _seconds(
    reader: Reader, ids: Sequence[str], quarters: Sequence[int], cancel: Cancel | None
) -> Iterator[Any]:
    """Second and number of the visible messages of these quarters."""
    layout = reader.layout
    for condition in _visible(layout) if quarters else ():
        yield from reader.json(
            f"""
            SELECT json_group_array(json_array(second, number)) FROM (
                SELECT {_in_steps_of(1, layout)} AS second, count(*) AS number
                FROM messages m WHERE m.session_id IN (SELECT value FROM json_each(?1)) AND {condition}
                AND {_in_steps_of(QUARTER, layout)} IN (SELECT value FROM json_each(?2)) GROUP BY 1)
            """,
            (json.dumps(ids), json.dumps(quarters)),
            cancel,
        )


def _visible(layout: Layout) -> tuple[str, ...]:
    """What `expressions.visible` says, in two conditions of which at most one holds.

    The first, which nearly always does, is answered from an index alone.
    """
    active, compacted = (
        layout.column("messages", name, default, "m")
        for name, default in (("active", "1"), ("compacted", "0"))
    )
    return expressions.live(layout), f"{active} = 0 AND {compacted} = 1"


def _in_steps_of(seconds: int, layout: Layout) -> str:
    """SQL: the number of the step since 1970 that the message `m` was written in; NULL at no readable time."""
    time = layout.column("messages", "timestamp", "NULL", "m")
    return f"CASE WHEN +{time} > 0 AND +{time} < {LATEST_TIME} THEN CAST({time} / {seconds} AS INTEGER) END"


# --- the largest


def top_sessions(reader: Reader, by: Sort, limit: int, cancel: Cancel | None) -> tuple[TopSession, ...]:
    """The largest sessions: see `SessionDB.top_sessions`."""
    layout = reader.layout
    if by not in (Sort.MESSAGES, Sort.TOKENS, Sort.COST):
        raise BadFilter(f"sessions are measured by messages, tokens or cost, not by {by}")
    if "sessions" not in layout.columns or limit < 1:
        return ()
    if by is Sort.MESSAGES:
        counted = _message_counts(reader, cancel)
        ids = nsmallest(limit, counted, key=lambda id_: (-counted[id_], id_))
    else:
        amount = (expressions.tokens if by is Sort.TOKENS else expressions.cost)(layout, "s")
        named = session_ids.text("s.id")
        ids = reader.json(
            f"""SELECT json_group_array(id) FROM (
            SELECT {named} AS id FROM sessions s WHERE {amount} > 0 AND {named} IS NOT NULL
            ORDER BY {amount} DESC, s.id LIMIT ?)""",
            (limit,),
            cancel,
        )
    title, source, model = (
        f"coalesce({expressions.text(layout.column('sessions', name, 'NULL', 's'))}, '')"
        for name in ("title", "source", "model")
    )
    started = expressions.number(layout.column("sessions", "started_at", "NULL", "s"))
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(wanted.value, {title}, {source}, {model}, {started},
            {expressions.message_count(layout, "s.id")}, {expressions.tokens(layout, "s")},
            {expressions.cost(layout, "s")}))
        FROM json_each(?1) wanted CROSS JOIN sessions s ON s.id = wanted.value
        """,
        (json.dumps(ids),),
        cancel,
    )
    return tuple(
        TopSession(id_, title, source, model, readable(started), messages, int(tokens), cost)
        for id_, title, source, model, started, messages, tokens, cost in rows
    )


def _message_counts(reader: Reader, cancel: Cancel | None) -> Counter[str]:
    """The number of visible messages of every session that has any."""
    counted: Counter[str] = Counter()
    if not reader.layout.has("messages", "session_id"):
        return counted
    for condition in _visible(reader.layout):
        rows = reader.json(
            f"""
            SELECT json_group_array(json_array(session, number)) FROM (
                SELECT {session_ids.text("m.session_id")} AS session, count(*) AS number
                FROM messages m WHERE {condition} GROUP BY m.session_id)
            WHERE session IN (SELECT id FROM sessions)
            """,
            (),
            cancel,
        )
        for id_, number in rows:
            counted[id_] += number
    return counted
