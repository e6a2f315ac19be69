"""The one writer: the only place that begins and commits a transaction on somebody's store."""

from __future__ import annotations

import os
import random
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from storage import locations
from storage.engine import cjk_tokenizer, fts, migrations
from storage.engine.creation import claim
from storage.engine.failures import decoded, is_busy, refused
from storage.engine.layout import Layout, look
from storage.engine.opening import text
from storage.errors import (
    IndexStopsWrites,
    NotAStore,
    StoreBusy,
    StoreClosed,
    StoreFenced,
    StoreMissing,
    StoreNotWritable,
    StoreReplaced,
)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


@dataclass(frozen=True, slots=True)
class WritePolicy:
    """How a writer waits for its turn. Times are seconds."""

    budget: float = 16.0
    """For one write, waiting and all; then `StoreBusy`. The seeds allow 15 tries of 1 s and a pause each."""
    busy_wait: float = 1.0
    """How long one try lasts."""
    poll: tuple[float, float] | None = (0.0003, 0.002)
    """The shortest and the longest pause between two looks at the lock in one try; None: SQLite's own, which grow to
    0.1 and let whoever has just written go first again."""
    jitter: tuple[float, float] = (0.020, 0.150)
    """The shortest and the longest pause between two tries; random, so that writers do not meet again."""
    checkpoint_every: int = 50
    """Successful writes between two PASSIVE checkpoints."""


class Writer:
    """One connection that writes. Any thread may call it; one transaction runs at a time.

    What SQLite reports comes out as an error from `storage.errors`, and then nothing of the call was written.
    """

    def __init__(self, path: Path, file: Path, connection: sqlite3.Connection, policy: WritePolicy) -> None:
        self.path = path
        self.policy = policy
        self.layout = Layout()
        """What the store has; looked at again when another process has changed the schema."""
        self._file = file
        self._connection = connection
        self._identity = _identity(file)
        self._schema: int | None = None
        self._writes = 0
        self._rebuilt = False
        self._lock = threading.RLock()
        self._closed = False

    def write(self, work: Work[T], *, touches_messages: bool = False, foreign_keys: bool = True) -> T:
        """Run `work` in one BEGIN IMMEDIATE transaction and commit it.

        Args:
            work: Gets the connection and its result is returned. It runs again when the store was locked, so it
                must do nothing but use the connection, and neither begins nor commits.
            touches_messages: It may insert into or delete from `messages`; a tokenizer that those rows need and
                that is not here is taken care of first (spec 1.6).
            foreign_keys: False lets it write references that lead nowhere, and no deletion cascades.

        Raises:
            StoreBusy: The store stayed locked for the whole budget.
            StoreFenced, StoreReplaced, StoreNotWritable, DiskFull, StoreDamaged, RowRefused, StoreClosed: with a
            sentence to show. An error that `work` raises itself comes out as it is.
        """

        def attempt() -> T:
            if foreign_keys:
                return self._transaction(work, touches_messages)
            with self._references_unchecked():
                return self._transaction(work, touches_messages)

        try:
            result = self._patiently(attempt)
        except IndexStopsWrites:
            if self._rebuilt:
                raise
            self._rebuild_the_index()
            result = self._patiently(attempt)
        self._writes += 1
        if self._writes % self.policy.checkpoint_every == 0:
            self._checkpoint("PASSIVE")
        return result

    def read(self, work: Work[T]) -> T:
        """Run `work` on one consistent state of the store, its own writes included; errors as `write`."""
        return self._patiently(lambda: self._within("BEGIN", "ROLLBACK", work))

    def outside(self, work: Work[T]) -> T:
        """Run `work` without a transaction, for what cannot run in one (VACUUM, checkpoints); errors as `write`."""

        def alone() -> T:
            self._require_writable()
            return work(self._connection)

        return self._patiently(alone)

    def close(self) -> None:
        """Checkpoint what is in the WAL and close. Safe to call twice."""
        with self._lock:
            if not self._closed:
                self._checkpoint("TRUNCATE")
                self._closed = True
                self._connection.close()

    def _patiently(self, attempt: Callable[[], T]) -> T:
        deadline = time.monotonic() + self.policy.budget
        while True:
            try:
                with self._lock, decoded():
                    if self._closed:
                        raise StoreClosed(self.path)
                    return attempt()
            except sqlite3.Error as error:
                if not is_busy(error):
                    raise refused(error, self.path) from error
                pause = random.uniform(*self.policy.jitter)
                if time.monotonic() + pause >= deadline:
                    raise StoreBusy(self.path) from error
            # Outside the lock: another thread's write may go first.
            time.sleep(pause)

    def _rebuild_the_index(self) -> None:
        """Build a damaged index anew, so that a message is not lost for it (spec 3.4); not again and again."""
        self._rebuilt = True
        self._patiently(
            lambda: self._transaction(lambda connection: fts.rebuild(connection, self.layout), False)
        )

    def _transaction(self, work: Work[T], touches_messages: bool) -> T:
        def checked(connection: sqlite3.Connection) -> T:
            self._require_writable()
            if touches_messages and self.layout.cjk_triggers:
                cjk_tokenizer.make_writable(connection, self._file)
            return work(connection)

        return self._within("BEGIN IMMEDIATE", "COMMIT", checked)

    @contextmanager
    def _references_unchecked(self) -> Iterator[None]:
        # Outside of the transaction, where alone it works; under the lock, so that it is true of this one only.
        self._connection.execute("PRAGMA foreign_keys=OFF")
        try:
            yield
        finally:
            self._connection.execute("PRAGMA foreign_keys=ON")

    def _within(self, begin: str, end: str, work: Work[T]) -> T:
        try:
            self._execute_in_turn(begin)
            self._refresh_layout()
            result = work(self._connection)
            self._refresh_layout()
            if end == "COMMIT":
                self._require_same_file()
            self._execute_in_turn(end)
        except BaseException:
            # SQLite has rolled back by itself after some errors, a full disk among them.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._schema = None
            raise
        return result

    def _execute_in_turn(self, sql: str) -> None:
        """Run a statement that a lock can stop, looking again and again for the time of one try."""
        deadline = time.monotonic() + self.policy.busy_wait
        while True:
            try:
                self._connection.execute(sql)
                return
            except sqlite3.OperationalError as error:
                if self.policy.poll is None or not is_busy(error) or time.monotonic() >= deadline:
                    raise
            time.sleep(random.uniform(*self.policy.poll))

    def _refresh_layout(self) -> None:
        schema = int(self._connection.execute("PRAGMA schema_version").fetchone()[0])
        if schema != self._schema:
            self.layout = look(lambda sql: self._connection.execute(sql).fetchall())
            self._schema = schema

    def _require_writable(self) -> None:
        if self.layout.turn_fences:
            raise StoreFenced(self.path)
        for table, what in self.layout.odd.items():
            raise StoreNotWritable(self.path, f"its table {table} is {what}, as no Hermes makes it")
        self._require_same_file()

    def _require_same_file(self) -> None:
        # A write into a file that has lost its name would succeed and be gone.
        if _identity(self._file) != self._identity:
            raise StoreReplaced(self.path)

    def _checkpoint(self, mode: str) -> None:
        # Only housekeeping: the commits are safe in the WAL, and the next checkpoint takes what this one left.
        with self._lock, suppress(sqlite3.DatabaseError), decoded():
            if _identity(self._file) == self._identity:
                self._connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()


def open_writer(path: str | Path, *, migrate: bool = True, policy: WritePolicy | None = None) -> Writer:
    """Open a store for writing.

    Args:
        migrate: True brings an older store to schema version 23 first, and makes a new one where there is none
            (a file of 0 bytes is none). False writes into the store as it is and creates nothing.

    Raises:
        StoreMissing: There is no file, and `migrate` is False.
        CannotCreate: A new store cannot be made there.
        NotAStore, StoreNotWritable, StoreBusy, StoreDamaged, DiskFull: with a sentence to show.
    """
    place = locations.absolute(path)
    file = Path(os.path.realpath(place))
    if migrate:
        claim(file)
    writer = _opened(place, file, policy or WritePolicy())
    try:
        layout = writer.read(lambda _: writer.layout)
        if layout.refusal and (layout.columns or layout.odd):
            raise NotAStore(place, layout.refusal)
        if migrate:
            migrations.migrate(writer)
    except BaseException:
        writer.close()
        raise
    return writer


def _opened(place: Path, file: Path, policy: WritePolicy) -> Writer:
    try:
        if not file.is_file():
            raise NotAStore(place, "is not a file") if file.exists() else StoreMissing(place)
        connection = sqlite3.connect(
            f"{file.as_uri()}?mode=rw",
            uri=True,
            timeout=policy.busy_wait if policy.poll is None else 0,
            isolation_level=None,
            check_same_thread=False,
        )
        with decoded():
            connection.execute("PRAGMA foreign_keys=ON")
    except sqlite3.Error as error:
        raise refused(error, place) from error
    connection.text_factory = text
    if sys.platform == "darwin":
        # There fsync alone does not reach the medium (spec 3.2).
        connection.execute("PRAGMA checkpoint_fullfsync=1")
        connection.execute("PRAGMA synchronous=FULL")
    return Writer(place, file, connection, policy)


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
