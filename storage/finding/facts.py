"""Columns of all sessions, read when first asked for: what orders and filters need and the catalog does not hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from storage.conversation.expressions import cost, message_count, text, tokens, visible
from storage.engine.connection import Cancel, Reader
from storage.finding import details
from storage.records import Edge, Entry, Status

if TYPE_CHECKING:
    from storage.finding.filter_values import Filter
    from storage.finding.terms import Term

NEWEST_MESSAGES = 20_000
"""Messages in which the names of tools are looked for; they cost a few milliseconds at any size."""

MANY = 1_000
"""Sessions from which on all are read: a seek for each takes as long."""

SLICE = 1_000
"""Sessions of which a column is read at a time: ten milliseconds, for which a search may have to wait."""

_COLUMNS = {"title": "title", "model": "model", "dir": "cwd", "branch": "git_branch"}
"""Where a session holds the values of these keys."""

T = TypeVar("T")


class Facts:
    """Columns of the sessions of one store, read when they are first asked for, then kept.

    Each is read for the few conversations that matter, as long as they are few: in a row it stands behind the system
    prompt. Whoever keeps it throws it away when the store moves on, but for what stays true `without` some sessions.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._kept: dict[str, Any] = {}
        self._columns: dict[str, dict[str, Any]] = {}
        self._whole: set[str] = set()
        self._reached: dict[str, int | str] = {}
        """The key of the last session of which a column was read."""
        self._lock = Lock()
        """Held by whoever reads a slice."""

    def knows(self, key: str) -> bool:
        """Whether a column is known of all sessions."""
        return key in self._whole

    def learn(self, key: str, entries: Sequence[Entry] | None, cancel: Cancel | None = None) -> None:
        """Read a column (of `words` or `amount`) of these conversations, or whole: None, or where they are many."""
        if key in self._whole:
            return
        values = self._columns.setdefault(key, {})
        if entries is not None:
            missing = [id_ for entry in entries for id_ in entry.parts if id_ not in values]
            if len(missing) <= MANY:
                if missing:
                    values.update(dict.fromkeys(missing) | self._read(key, missing, cancel))
                return
        for _ in self.learning(key, cancel):
            pass

    def learning(self, key: str, cancel: Cancel | None = None) -> Iterator[None]:
        """Read a column whole, a slice with each step; whoever else needs it meanwhile goes on from there."""
        while key not in self._whole:
            with self._lock:
                if key not in self._whole:
                    self._learn_slice(key, cancel)
            yield

    def without(self, session_ids: Collection[str]) -> Facts:
        """What stays true when nothing but these sessions has changed: their columns are read again."""
        gone = frozenset(session_ids)
        kept = Facts(self._reader)
        with self._lock:
            kept._whole, kept._reached = set(self._whole), dict(self._reached)
            for key, values in dict(self._columns).items():
                # Also where the slices are beyond them: nobody comes back.
                kept._columns[key] = dict(values) | dict.fromkeys(gone) | self._read(key, [*gone], None)
            settled: dict[str, Status] = self._kept.get("settled", {})
            kept._kept["settled"] = {id_: status for id_, status in settled.items() if id_ not in gone}
        return kept

    def words(self, key: str, entry: Entry, cancel: Cancel | None = None) -> str:
        """The title, model, dir or branch that a conversation is shown with: the newest one on its main line."""
        values = self._columns[key] if key in self._whole else self._column(key, entry, cancel)
        # Asked of every conversation: most are one session, and a loop is quicker than a generator.
        for id_ in reversed(entry.parts[: entry.main]):
            if value := values.get(id_):
                return str(value)
        return ""

    def amount(self, key: str, entry: Entry, cancel: Cancel | None = None) -> float | None:
        """Its msgs, tokens or cost (US dollars) over all parts; None where no cost is known."""
        values = self._columns[key] if key in self._whole else self._column(key, entry, cancel)
        if len(entry.parts) == 1 and (value := values.get(entry.id)) is not None:
            return float(value)
        known = [value for id_ in entry.parts if (value := values.get(id_)) is not None]
        return sum(known) if known else None if key == "cost" else 0

    def says(self, one: Filter, entry: Entry, cancel: Cancel | None = None) -> bool:
        """Whether it has a message of this role, or one that calls this tool or is its answer."""
        return not self._sayers(one, cancel).isdisjoint(entry.parts)

    def statuses(
        self, entries: Sequence[Entry], now: float, cancel: Cancel | None = None
    ) -> Mapping[str, Status]:
        """How these conversations stand; kept for all that the passing of time does not change."""
        found: dict[str, Status] = {}
        for start in range(0, len(entries), SLICE):
            found |= self._standing(entries[start : start + SLICE], now, cancel)
        return found

    def standing(self, entries: Sequence[Entry], now: float, cancel: Cancel | None = None) -> Iterator[None]:
        """Find out how these conversations stand, a slice with each step."""
        for start in range(0, len(entries), SLICE):
            self._standing(entries[start : start + SLICE], now, cancel)
            yield

    def titled(self, term: Term, cancel: Cancel | None = None) -> frozenset[str]:
        """The sessions whose own title holds the term: found sooner than the titles are looked at one by one."""
        from storage.finding import names
        from storage.finding.query import SessionQuery

        return names.titled(self._reader, SessionQuery.of_terms([term]), cancel or Cancel())

    def holding(self, term: Term, read: Callable[[Term], frozenset[str]]) -> frozenset[str]:
        """The sessions in which anything matches the term; `read` finds them, once."""
        return self._keep(f"holding:{term}", lambda: read(term))

    def known_to_hold(self, term: Term) -> frozenset[str] | None:
        """The same; None where nobody has asked for it yet."""
        known: frozenset[str] | None = self._kept.get(f"holding:{term}")
        return known

    def left_by(self, filters: Sequence[Filter], read: Callable[[], T]) -> T:
        """What these filters leave, which does not change with time; only the last of them is kept."""
        kept = self._kept.get("left by")
        if kept is None or kept[0] != filters:
            kept = self._kept["left by"] = (filters, read())
        left: T = kept[1]
        return left

    def parents(self, entries: Iterable[Entry], cancel: Cancel | None = None) -> frozenset[str]:
        """Sessions below which one of these conversations hangs."""
        layout = self._reader.layout

        def read() -> frozenset[str]:
            tops = [entry.parts[0] for entry in entries if entry.edge not in (Edge.ROOT, Edge.MISSING)]
            if not tops:
                return frozenset()
            parent = text(layout.column("sessions", "parent_session_id", "NULL", "s"))
            return frozenset(
                self._reader.json(
                    f"""SELECT json_group_array(DISTINCT {parent})
                    FROM json_each(?1) top CROSS JOIN sessions s ON s.id = top.value WHERE {parent} IS NOT NULL""",
                    (json.dumps(tops),),
                    cancel,
                )
            )

        return self._keep("parents", read)

    def values(
        self, key: str, entries: Iterable[Entry], cancel: Cancel | None = None
    ) -> tuple[tuple[str, int], ...]:
        """The values there are for a key, each with its number of conversations, most frequent first.

        Of source, model, dir and branch; of tool only what the NEWEST_MESSAGES call; of any other key none.
        """
        if key == "tool":
            counted = self._newest_tools(cancel)
        elif key == "source":
            counted = self._keep("count:source", lambda: Counter(entry.source for entry in entries))
        elif key in ("model", "dir", "branch"):
            self.learn(key, None, cancel)
            counted = self._keep(
                f"count:{key}", lambda: Counter(self.words(key, entry, cancel) for entry in entries)
            )
        else:
            return ()
        counted.pop("", None)
        return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    def _column(self, key: str, entry: Entry, cancel: Cancel | None) -> Mapping[str, Any]:
        """What is known of the column, of this conversation at least."""
        values = self._columns.get(key, {})
        if any(id_ not in values for id_ in entry.parts):
            self.learn(key, None, cancel)
        return self._columns[key]

    def _read(self, key: str, session_ids: Sequence[str], cancel: Cancel | None) -> dict[str, Any]:
        """The column of these sessions, where there is something in it."""
        value = self._value(key)
        sql = f"""SELECT w.value AS id, {value} AS value
            FROM json_each(?1) w CROSS JOIN sessions s ON s.id = w.value LIMIT -1"""
        return self._by_session(sql, (json.dumps(session_ids),), cancel) if value else {}

    def _learn_slice(self, key: str, cancel: Cancel | None) -> None:
        """Read the column of the sessions that are stored next, or whole where it is found without their rows."""
        layout, value = self._reader.layout, self._value(key)
        values = self._columns.setdefault(key, {})
        if key == "title" and value:
            # From its index, which is in another order.
            sql = (
                f"SELECT {text('s.id')} AS id, {value} AS value FROM sessions s WHERE s.title <> '' LIMIT -1"
            )
            values.update(self._by_session(sql, (), cancel))
        elif key == "msgs" and value and "idx_messages_session" not in layout.indexes:
            counted = f"{text('m.session_id')} AS id, count(*) AS value FROM messages m"
            sql = f"SELECT {counted} WHERE {visible(layout)} GROUP BY m.session_id"
            values.update(self._by_session(sql, (), cancel))
        elif value:
            of, reached = f"s.{layout.key('sessions')}", self._reached.get(key)
            beyond = f"{of} > ?1" if reached is not None else "?1 IS NULL"
            last, number, found = self._reader.json(
                f"""SELECT json_array(max(key), count(*),
                    json_group_array(json_array(id, value)) FILTER (WHERE id IS NOT NULL AND value IS NOT NULL))
                FROM (SELECT {of} AS key, {text("s.id")} AS id, {value} AS value FROM sessions s
                    WHERE {beyond} ORDER BY {of} LIMIT {SLICE})""",
                (reached,),
                cancel,
            )
            values.update(found)
            if number == SLICE:
                self._reached[key] = last
                return
        self._whole.add(key)

    def _value(self, key: str) -> str:
        """SQL: what a session `s` has in this column, NULL for nothing; empty where the store has no such column."""
        layout = self._reader.layout
        if not layout.has("sessions", _COLUMNS.get(key, "id")) or (
            key == "msgs" and not layout.has("messages", "session_id")
        ):
            return ""
        if key in _COLUMNS:
            return f"nullif({text(f's.{_COLUMNS[key]}')}, '')"
        amounts = {
            "msgs": message_count(layout, "s.id"),
            "tokens": tokens(layout, "s"),
            "cost": cost(layout, "s"),
        }
        return amounts[key]

    def _standing(self, entries: Sequence[Entry], now: float, cancel: Cancel | None) -> dict[str, Status]:
        settled: dict[str, Status] = self._kept.setdefault("settled", {})
        with self._lock:
            unknown = [entry for entry in entries if entry.id not in settled]
            found = details.statuses(self._reader, unknown, now, cancel) if unknown else {}
            settled.update(
                (entry.id, found[entry.id]) for entry in unknown if not details.is_recent(entry, now)
            )
        return found | {entry.id: settled[entry.id] for entry in entries if entry.id in settled}

    def _sayers(self, one: Filter, cancel: Cancel | None) -> frozenset[str]:
        layout = self._reader.layout

        def read() -> frozenset[str]:
            if not (layout.has("messages", "session_id") and layout.has("sessions", "id")):
                return frozenset()
            from storage.conversation.messages import shown
            from storage.finding import message_filters
            from storage.finding.filter_values import Filter

            wanted, values = message_filters.condition(layout, [Filter(one.key, one.value)])
            # A probe for each session: it ends at the first message.
            return frozenset(
                self._reader.json(
                    f"""SELECT json_group_array({text("s.id")}) FROM sessions s WHERE EXISTS (
                    SELECT 1 FROM messages m WHERE m.session_id = s.id AND {shown(layout)} AND {wanted})""",
                    values,
                    cancel,
                )
            )

        return self._keep(f"{one.key}:{one.value}", read)

    def _newest_tools(self, cancel: Cancel | None) -> Counter[str]:
        layout = self._reader.layout

        def read() -> dict[str, int]:
            if not (layout.has("messages", "id") and layout.has("messages", "tool_name")):
                return {}
            return dict(
                self._reader.json(
                    f"""SELECT json_group_array(json_array(name, number)) FROM (
                    SELECT {text("m.tool_name")} AS name, count(DISTINCT m.session_id) AS number FROM (
                        SELECT tool_name, session_id FROM messages ORDER BY id DESC LIMIT {NEWEST_MESSAGES}) m
                    WHERE m.tool_name <> '' GROUP BY name)""",
                    (),
                    cancel,
                )
            )

        return Counter(self._keep("newest tools", read))

    def _keep(self, name: str, read: Callable[[], T]) -> T:
        if name not in self._kept:
            self._kept[name] = read()
        kept: T = self._kept[name]
        return kept

    def _by_session(self, query: str, values: Sequence[str], cancel: Cancel | None) -> dict[str, Any]:
        """What the query finds of `id` and `value`; in a query with a limit SQLite reads each value once."""
        return dict(
            self._reader.json(
                f"""SELECT json_group_array(json_array(id, value)) FROM ({query})
                WHERE id IS NOT NULL AND value IS NOT NULL""",
                values,
                cancel,
            )
        )
