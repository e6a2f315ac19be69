"""What stands behind an open store: two readers, and a writer from the first write on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from storage.engine.connection import Reader, open_reader
from storage.engine.within import Within
from storage.errors import OpenedReadOnly

if TYPE_CHECKING:
    from storage.engine.writer import WritePolicy, Writer

T = TypeVar("T")


class Store:
    """The connections to one file: what every room of the store is handed.

    Args:
        path: The file.
        read_only: Nothing is ever written, and a file that is not there is not made.
        migrate: Makes a new store where there is none, and brings an older one to the current version, at once.
            Without it a store is written as it is, and nothing is opened for writing before the first write.
        policy: How a write waits for its turn.
        clock: Returns the time in Unix seconds.
    """

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool,
        migrate: bool = True,
        policy: WritePolicy | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self.clock = clock
        self._read_only = read_only
        self._migrate = migrate
        self._policy = policy
        self._writer: Writer | None = None
        self._opening = threading.Lock()
        self._readers: list[Reader] = []
        try:
            if migrate and not read_only:
                self.writer()
            self.reader = self._another_reader()
            """For everything that is quick."""
            self.searcher = self._another_reader()
            """For what may be cancelled."""
        except BaseException:
            self.close()
            raise

    def reading(self) -> Reader:
        """The reader, its layout read again if another process has changed the schema meanwhile."""
        self.reader.refresh_layout()
        return self.reader

    def writer(self) -> Writer:
        """The one connection that writes.

        Raises:
            OpenedReadOnly: The store was opened for reading.
            StoreMissing, NotAStore, StoreNotWritable, StoreBusy, …: It cannot be opened for writing.
        """
        if self._read_only:
            raise OpenedReadOnly(self.path)
        # Here, for a reader should not wait for all that writing needs.
        from storage.engine.writer import open_writer

        with self._opening:
            if self._writer is None:
                self._writer = open_writer(self.path, migrate=self._migrate, policy=self._policy)
            return self._writer

    def write(
        self, work: Callable[[Within], T], *, touches_messages: bool = False, foreign_keys: bool = True
    ) -> T:
        """Run `work` in one transaction and commit it, waiting for other writers.

        Args:
            work: May run more than once: it does nothing but use what it is handed.
            touches_messages: It inserts, deletes or changes rows of `messages`.
            foreign_keys: False lets it write references that lead nowhere, as releases with them off did.

        Raises:
            OpenedReadOnly, StoreBusy, RowRefused, …: with a sentence to show; then nothing was written.
        """
        writer = self.writer()
        return writer.write(
            lambda connection: work(Within(connection, writer.layout)),
            touches_messages=touches_messages,
            foreign_keys=foreign_keys,
        )

    def close(self) -> None:
        """Close every connection. Safe to call twice."""
        for reader in self._readers:
            reader.close()
        if self._writer is not None:
            self._writer.close()

    def _another_reader(self) -> Reader:
        self._readers.append(open_reader(self.path))
        return self._readers[-1]
