"""Columns of all sessions, read when first asked for: what orders and filters need and the catalog does not hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from storage.conversation.expressions import cost, text, tokens, visible
from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.finding import details, message_filters
from storage.finding.filter_values import Filter
from storage.finding.terms import Term
from storage.records import Edge, Entry, Status

NEWEST_MESSAGES = 20_000
"""Messages in which the names of tools are looked for; they cost a few milliseconds at any size."""

_COLUMNS = {"title": "title", "model": "model", "dir": "cwd", "branch": "git_branch"}
"""Where a session holds the values of these keys."""

T = TypeVar("T")


class Facts:
    """Columns of the sessions of one store, each read whole when it is first asked for, then kept.

    Whoever keeps it throws it away when the store moves on.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._kept: dict[str, Any] = {}

    def words(self, key: str, entry: Entry, cancel: Cancel | None = None) -> str:
        """The title, model, dir or branch that a conversation is shown with: the newest one on its main line."""
        values = self._column(key, cancel)
        return next((value for id_ in reversed(entry.parts[: entry.main]) if (value := values.get(id_))), "")

    def amount(self, key: str, entry: Entry, cancel: Cancel | None = None) -> float | None:
        """Its msgs, tokens or cost (US dollars) over all parts; None where no cost is known."""
        values = self._amounts(key, cancel)
        known = [values[id_] for id_ in entry.parts if id_ in values]
        return sum(known) if known else None if key == "cost" else 0

    def says(self, one: Filter, entry: Entry, cancel: Cancel | None = None) -> bool:
        """Whether it has a message of this role, or one that calls this tool or is its answer."""
        return not self._sayers(one, cancel).isdisjoint(entry.parts)

    def statuses(
        self, entries: Sequence[Entry], now: float, cancel: Cancel | None = None
    ) -> Mapping[str, Status]:
        """How these conversations stand; kept for all that the passing of time does not change."""
        settled: dict[str, Status] = self._kept.setdefault("settled", {})
        found = details.statuses(
            self._reader, [entry for entry in entries if entry.id not in settled], now, cancel
        )
        for entry in entries:
            if entry.id in found and not details.is_recent(entry, now):
                settled[entry.id] = found[entry.id]
        return {**settled, **found}

    def holding(self, term: Term, read: Callable[[Term], frozenset[str]]) -> frozenset[str]:
        """The sessions in which anything matches the term; `read` finds them, once."""
        return self._keep(f"holding:{term}", lambda: read(term))

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
            counted = Counter(entry.source for entry in entries)
        elif key in ("model", "dir", "branch"):
            counted = self._keep(
                f"count:{key}", lambda: Counter(self.words(key, entry, cancel) for entry in entries)
            )
        else:
            return ()
        counted.pop("", None)
        return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    def _column(self, key: str, cancel: Cancel | None) -> Mapping[str, str]:
        column = _COLUMNS[key]

        def read() -> dict[str, str]:
            if not self._reader.layout.has("sessions", column):
                return {}
            return self._by_session(
                f"SELECT {text('id')} AS id, {text(column)} AS value FROM sessions WHERE {column} <> ''",
                cancel,
            )

        return self._keep(key, read)

    def _amounts(self, key: str, cancel: Cancel | None) -> Mapping[str, float]:
        layout = self._reader.layout

        def read() -> dict[str, float]:
            if key == "msgs":
                if not layout.has("messages", "session_id"):
                    return {}
                return self._by_session(
                    f"""SELECT {text("m.session_id")} AS id, count(*) AS value FROM messages m
                    WHERE {visible(layout)} GROUP BY m.session_id""",
                    cancel,
                )
            if "sessions" not in layout.columns:
                return {}
            value = (tokens if key == "tokens" else cost)(layout, "s")
            return self._by_session(
                f"SELECT {text('s.id')} AS id, {value} AS value FROM sessions s WHERE {value} IS NOT NULL",
                cancel,
            )

        return self._keep(key, read)

    def _sayers(self, one: Filter, cancel: Cancel | None) -> frozenset[str]:
        layout = self._reader.layout

        def read() -> frozenset[str]:
            if not (layout.has("messages", "session_id") and layout.has("sessions", "id")):
                return frozenset()
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

    def _by_session(self, query: str, cancel: Cancel | None) -> dict[str, Any]:
        return dict(
            self._reader.json(
                f"SELECT json_group_array(json_array(id, value)) FROM ({query}) WHERE id IS NOT NULL",
                (),
                cancel,
            )
        )
