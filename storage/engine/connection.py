"""Readers: read-only connections that can be interrupted and that keep nothing open between two calls."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from storage import locations
from storage.engine.failures import as_reported, named
from storage.engine.layout import look
from storage.engine.notes import notes
from storage.engine.opening import Opened, connect, side_file, text
from storage.engine.session_ids import unusable
from storage.errors import Interrupted, NotAStore, StoreClosed, StoreUnreadable
from storage.records import StoreInfo

Row = tuple[Any, ...]

T = TypeVar("T")

_STEPS_BETWEEN_LOOKS = 100_000
"""SQLite's own steps (some milliseconds) between two looks at whether the call was cancelled."""

_INFINITY = re.compile(r'"(?:[^"\\]|\\.)*"|Inf')


class Cancel:
    """A token to stop one call, or a chain of calls, from another thread. It stays cancelled."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._running: sqlite3.Connection | None = None

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Stop the statement that runs under this token and refuse the next; returns at once."""
        with self._lock:
            self._cancelled = True
            if self._running is not None:
                self._running.interrupt()

    def check(self) -> None:
        """Raise Interrupted if the token was cancelled."""
        if self._cancelled:
            raise Interrupted

    def run(self, connection: sqlite3.Connection, statement: Callable[[], T]) -> T:
        """Run a statement of this connection under the token.

        Raises:
            Interrupted: It was cancelled before.
        """
        # An interrupt is sent under the same lock, so it never reaches the statement of a later call.
        with self._lock:
            self.check()
            self._running = connection
        try:
            return statement()
        finally:
            with self._lock:
                self._running = None


class Reader:
    """One read-only connection. Any thread may call it; one statement runs at a time.

    Every method reads its cursor to the end before it returns: no lock on the store and no mark in its WAL
    outlives a call. What SQLite reports comes out as an error from `storage.errors`.
    """

    def __init__(self, path: Path, opened: Opened) -> None:
        self.path = path
        self._file = opened.file
        self._connection = opened.connection
        self._immutable = opened.immutable
        self._frozen = self._trace() if opened.immutable else None
        self._lock = threading.RLock()
        self._cancel = Cancel()
        self._closed = False
        self._connection.text_factory = text
        # An interrupt that comes between preparing a statement and its first step is lost; this finds it.
        self._connection.set_progress_handler(self._must_stop, _STEPS_BETWEEN_LOOKS)
        self._data = self.data_version()
        self._schema = self._schema_version()
        self._learned: dict[str, Any] = {}
        self.layout = look(self.rows)
        """What the store has; `refresh_layout` renews it."""

    def rows(self, sql: str, params: Sequence[Any] = (), cancel: Cancel | None = None) -> list[Row]:
        """All rows of one statement.

        Raises:
            Interrupted: `cancel` was cancelled before or while it ran.
            IndexDamaged: The statement names a search index that cannot be used.
            StoreBusy, StoreUnreadable, NotAStore: with a sentence to show.
        """
        rows: list[Row] = self._run(sql, params, cancel, sqlite3.Cursor.fetchall)
        return rows

    def one(self, sql: str, params: Sequence[Any] = (), cancel: Cancel | None = None) -> Row | None:
        """The first row, or None; errors as `rows`."""
        row: Row | None = self._run(sql, params, cancel, sqlite3.Cursor.fetchone)
        return row

    def dicts(
        self, sql: str, params: Sequence[Any] = (), cancel: Cancel | None = None
    ) -> list[dict[str, Any]]:
        """All rows, column name → value each; errors as `rows`."""
        found: list[dict[str, Any]] = self._run(sql, params, cancel, by_name)
        return found

    def json(self, sql: str, params: Sequence[Any] = (), cancel: Cancel | None = None) -> Any:
        """The parsed JSON text in the only column of the only row, None for NULL or no row; errors as `rows`.

        A long result crosses much faster as one text than row by row. SQLite puts no BLOB into JSON: cast it.
        """
        row = self.one(sql, params, cancel)
        if row is None or row[0] is None:
            return None
        try:
            return json.loads(row[0])
        except ValueError:
            # SQLite 3.40 writes an infinite REAL as Inf.
            return json.loads(_INFINITY.sub(lambda m: "Infinity" if m[0] == "Inf" else m[0], row[0]))

    def data_version(self) -> int:
        """A number that changes when another connection has committed (`PRAGMA data_version`)."""
        return int(self.rows("PRAGMA data_version")[0][0])

    def refresh_layout(self) -> None:
        """Forget what was learned if somebody has committed; read the layout again if that changed the schema."""
        with self._lock:
            data = self.data_version()
            if data == self._data:
                return
            schema = self._schema_version()
            if schema != self._schema:
                self.layout = look(self.rows)
                self._schema = schema
            self._learned.clear()
            self._data = data

    def learned(self, what: str, learn: Callable[[], T]) -> T:
        """What `learn` finds out about the store, asked once until `refresh_layout` sees that somebody has committed.

        Args:
            what: Names it; always the same for the same `learn`.
        """
        with self._lock:
            if what not in self._learned:
                self._learned[what] = learn()
            found: T = self._learned[what]
            return found

    def can_read_cjk(self) -> bool:
        """Whether `messages_fts_cjk` can be asked, which needs a tokenizer that SQLite does not have (spec 1.6)."""
        from storage.engine import cjk_tokenizer

        with self._lock:
            return not self._closed and cjk_tokenizer.make_readable(self._connection, self._file)

    def info(self) -> StoreInfo:
        """What the store is, and what cannot be done with it."""
        with self._lock:
            self.refresh_layout()
            journal = "wal" if self._immutable else str(self.rows("PRAGMA journal_mode")[0][0])
            counted = self.one("SELECT count(*) FROM sessions") if "sessions" in self.layout.columns else None
            unnamed = unusable(self.rows) if counted else 0
            return StoreInfo(
                path=self.path,
                version=self.layout.version,
                layout=self.layout.fts.kind.replace("external", "external content")
                if self.layout.fts
                else "none",
                journal=journal,
                immutable=self._immutable,
                size=_size(self._file),
                sessions=counted[0] if counted else 0,
                unnamed=unnamed,
                notes=notes(self.layout, self.rows, immutable=self._immutable, unnamed=unnamed),
            )

    def close(self) -> None:
        """Stop what is running and close. Safe to call twice; every call after it raises StoreClosed."""
        if self._closed:
            return
        self._closed = True
        self._connection.interrupt()
        with self._lock:
            self._connection.close()

    def _run(
        self, sql: str, params: Sequence[Any], cancel: Cancel | None, fetch: Callable[[sqlite3.Cursor], Any]
    ) -> Any:
        token = cancel or Cancel()
        with self._lock:
            if self._closed:
                raise StoreClosed(self.path)
            self._require_unchanged()
            self._cancel = token
            try:
                return token.run(self._connection, lambda: self._fetched(sql, params, fetch))
            except sqlite3.DatabaseError as error:
                if self._closed:
                    raise StoreClosed(self.path) from error
                raise named(error, self.path, sql) from error

    def _fetched(self, sql: str, params: Sequence[Any], fetch: Callable[[sqlite3.Cursor], Any]) -> Any:
        # Most calls take microseconds: a context manager that is a generator costs as much as a statement.
        try:
            cursor = self._connection.execute(sql, params)
            try:
                return fetch(cursor)
            finally:
                cursor.close()
        except UnicodeDecodeError as undecodable:
            raise as_reported(undecodable) from undecodable

    def _must_stop(self) -> bool:
        return self._closed or self._cancel.cancelled

    def _schema_version(self) -> int:
        return int(self.rows("PRAGMA schema_version")[0][0])

    def _trace(self) -> tuple[int, int, int]:
        """What changes about the file itself when somebody writes to it, seen without opening it."""
        try:
            status = self._file.stat()
        except OSError as error:
            raise StoreUnreadable(self.path, error.strerror or str(error)) from error
        return status.st_ino, status.st_size, status.st_mtime_ns

    def _require_unchanged(self) -> None:
        # An immutable connection would go on showing what it read first. It cannot be opened anew here, for
        # closing it drops the locks of every other connection of this process to the file.
        if self._frozen is None:
            return
        if (
            self._trace() != self._frozen
            or side_file(self._file, "-wal")
            or side_file(self._file, "-journal")
        ):
            raise StoreUnreadable(
                self.path, "somebody began to write to it after it was opened; open it again"
            )


def open_reader(path: str | Path) -> Reader:
    """Open a store read-only.

    A file of 0 bytes opens as a store without sessions; any version, layout and journal mode opens.

    Raises:
        StoreMissing: There is no file; none is made.
        NotAStore: It is not a database, or not one with sessions.
        StoreUnreadable, StoreBusy: with a sentence to show.
    """
    place = locations.absolute(path)
    opened = connect(place)
    reader: Reader | None = None
    try:
        reader = Reader(place, opened)
        if reader.layout.refusal and _size(opened.file) > 0:
            raise NotAStore(place, reader.layout.refusal)
    except BaseException:
        opened.connection.close()
        raise
    return reader


def by_name(cursor: sqlite3.Cursor) -> list[dict[str, Any]]:
    """All rows of the cursor, column name → value each."""
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
