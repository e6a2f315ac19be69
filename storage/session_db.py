"""SessionDB: the one door to a session store. Each method is one call into a room below."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from storage import locations
from storage.conversation import (
    continuing,
    deleting,
    lineage,
    messages,
    reading,
    replay,
    sessions,
    titles,
    usage,
    writing,
)
from storage.engine.connection import Cancel
from storage.engine.store import Store
from storage.engine.writer import WritePolicy
from storage.errors import WritingNotSupported
from storage.finding import details, excerpt, message_search, rich_list, search
from storage.finding.listing import Lister
from storage.finding.query import SessionQuery
from storage.keeping import exporting, fill, meta, retention, transfer
from storage.records import (
    Changes,
    Conversation,
    ConversationHit,
    Entry,
    Excerpt,
    HiddenClass,
    Lineage,
    Listing,
    SearchResult,
    Sort,
    StoreInfo,
    Transcript,
)

PAGE = 60
"""Conversations in a page."""


class SessionDB(Store):
    """A Hermes session store.

    Reading goes through two read-only connections, one of which can be interrupted; writing through a third one.
    Every method exhausts its cursors before it returns, so nothing ever pins the WAL. All methods may be called from
    any thread, and any number of processes may have the same file open.

    What the browser shows is answered in frozen records; the calls that Hermes' own store has, by its names, in the
    dicts that it gives. Those are functions of the rooms below, taken in as methods: what each one means, returns and
    raises stands with it.

    Args:
        db_path: The store; the default is the one `hermes` itself would use (spec 7).
        read_only: Opens an existing store without changing a byte of it; every write raises OpenedReadOnly.
        migrate: Makes a new store at schema version 23 where there is none, and brings an older one there. False opens
            an existing store as it is, and writes into it as it is.
        policy: How long and how patiently a write waits for other writers.
        clock: Returns the time in Unix seconds: for what is written, what is "running", and what is old.

    Raises:
        StoreMissing, NotAStore, StoreUnreadable, StoreNotWritable, StoreBusy, …: with a sentence to show.
    """

    def __init__(
        self,
        db_path: str | Path | None = None,
        read_only: bool = False,
        *,
        migrate: bool = True,
        policy: WritePolicy | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        path = Path(db_path) if db_path is not None else locations.default_store()
        self._ours = not read_only and not (path.exists() and path.stat().st_size)
        super().__init__(path, read_only=read_only, migrate=migrate, policy=policy, clock=clock)
        self._lister = Lister(self.reader)

    def __enter__(self) -> SessionDB:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what it is

    def info(self) -> StoreInfo:
        """Say what the store is, and what cannot be done with it and why."""
        return self.reader.info()

    # --- the list

    def first_page(self, show: frozenset[HiddenClass] = frozenset(), limit: int = PAGE) -> Listing:
        """The most recently active conversations without reading the whole store (milliseconds at any size).

        Args:
            show: Hidden classes to include.
            limit: Conversations wanted.
        """
        return self._lister.first_page(show, limit)

    def listing(
        self,
        query: SessionQuery | None = None,
        sort: Sort = Sort.ACTIVE,
        show: frozenset[HiddenClass] = frozenset(),
        *,
        pins_first: bool = True,
        fresh: bool = True,
    ) -> Listing:
        """The complete order of the conversations that the query's filters leave.

        Args:
            query: Only its filters count here; its words are for `search`.
            show: Hidden classes to include.
            pins_first: Pinned conversations on top.
            fresh: Read the store again; False answers from what was read last, brought up to date by `changes`.
        """
        return self._lister.listing(query, sort, show, pins_first=pins_first, fresh=fresh)

    def details(self, entries: Sequence[Entry]) -> tuple[Conversation, ...]:
        """The rows of these conversations, in the same order; meant for a visible page (60: about a millisecond).

        A conversation whose sessions are all gone is left out.
        """
        return details.conversations(self.reader, entries, self.clock())

    def find(self, session_id: str) -> Entry | None:
        """The conversation that this session is a part of; None for an unknown id."""
        return self._lister.find(session_id)

    # --- searching

    def search(
        self,
        query: SessionQuery,
        show: frozenset[HiddenClass] = frozenset(),
        *,
        limit: int = PAGE,
        after: SearchResult | None = None,
        cancel: Cancel | None = None,
    ) -> SearchResult:
        """Conversations with a message, title or id that matches, by their newest hit.

        Args:
            limit: Conversations to find (or to find more, with `after`) before the walk stops early.
            after: An earlier answer to the same query; the new one contains it and goes on from there.
            cancel: Cancelling it from another thread stops the query at once.

        Raises:
            Interrupted: `cancel` was cancelled.
        """
        return search.search(self.searcher, self._lister, query, show, limit, after, cancel or Cancel())

    def excerpts(
        self, query: SessionQuery, hits: Sequence[ConversationHit], width: int = 160
    ) -> tuple[Excerpt | None, ...]:
        """The best excerpt of each hit, about `width` characters; None where only the title or an id matched."""
        return excerpt.excerpts(self.reader, query, hits, width)

    # --- reading

    def transcript(self, parts: Sequence[str], tail: int | None = None) -> Transcript:
        """The visible messages of these sessions, as one talk, oldest first.

        Args:
            parts: Session ids in order, usually the main line of an `Entry`.
            tail: Only so many of the last user and assistant messages (and what stands between); None: all.
        """
        return messages.transcript(self.reader, parts, tail)

    def lineage(self, session_id: str) -> Lineage:
        """The whole family of a session.

        Raises:
            UnknownSession: There is no such session.
        """
        return lineage.family(self.reader, session_id)

    # --- what changes meanwhile

    def changes(self) -> Changes | None:
        """What other processes committed since the last call; None when nothing was (one pragma, no lock kept)."""
        return self._lister.changes()

    # --- sessions

    create_session = sessions.create_session
    ensure_session = sessions.ensure_session
    end_session = sessions.end_session
    reopen_session = sessions.reopen_session
    get_session = sessions.get_session
    resolve_session_id = sessions.resolve_session_id
    finalize_orphaned_compression_sessions = sessions.finalize_orphaned_compression_sessions

    delete_session = deleting.delete_session
    delete_sessions = deleting.delete_sessions
    delete_session_if_empty = deleting.delete_session_if_empty
    delete_empty_sessions = deleting.delete_empty_sessions
    prune_empty_ghost_sessions = deleting.prune_empty_ghost_sessions

    # --- messages

    append_message = writing.append_message
    replace_messages = writing.replace_messages
    archive_and_compact = writing.archive_and_compact
    clear_messages = writing.clear_messages
    rewind_to_message = writing.rewind_to_message
    restore_rewound = writing.restore_rewound

    get_messages = reading.get_messages
    get_messages_as_conversation = replay.get_messages_as_conversation
    get_messages_around = reading.get_messages_around
    get_anchored_view = reading.get_anchored_view
    message_count = reading.message_count

    # --- titles

    sanitize_title = staticmethod(titles.sanitize_title)
    set_session_title = titles.set_session_title
    set_auto_title_if_empty = titles.set_auto_title_if_empty
    get_session_title = titles.get_session_title
    get_session_by_title = titles.get_session_by_title
    resolve_session_by_title = titles.resolve_session_by_title
    get_next_title_in_lineage = titles.get_next_title_in_lineage

    # --- tokens and cost

    update_token_counts = usage.update_token_counts
    record_auxiliary_usage = usage.record_auxiliary_usage

    # --- conversations as one

    get_compression_tip = continuing.get_compression_tip
    get_compression_lineage = continuing.get_compression_lineage
    resolve_resume_session_id = continuing.resolve_resume_session_id
    set_session_archived = continuing.set_session_archived
    set_session_pinned = continuing.set_session_pinned

    # --- finding, as Hermes' own store does

    search_messages = message_search.search_messages
    search_sessions = rich_list.search_sessions
    list_sessions_rich = rich_list.list_sessions_rich
    session_count = rich_list.session_count

    # --- keeping

    prune_sessions = retention.prune_sessions
    list_prune_candidates = retention.list_prune_candidates
    preview_prune = retention.preview_prune
    archive_sessions = retention.archive_sessions
    maybe_auto_prune_and_vacuum = retention.maybe_auto_prune_and_vacuum
    optimize_fts = retention.optimize_fts
    vacuum = retention.vacuum_store

    export_session = exporting.export_session
    export_session_lineage = exporting.export_session_lineage
    export_all = exporting.export_all
    import_sessions = transfer.import_sessions

    get_meta = meta.get_meta
    set_meta = meta.set_meta

    # --- filling a store of our own

    def fill(self, sessions: Iterable[Mapping[str, Any]], messages: Iterable[Mapping[str, Any]]) -> None:
        """Write rows into a store that this object created: column name → value, unknown columns refused.

        Raises:
            WritingNotSupported: It did not create it.
            RowRefused: The store cannot hold a row as it is; none was written.
        """
        if not self._ours:
            raise WritingNotSupported(self.path)
        fill.fill(self.path, sessions, messages)
