"""SessionDB: the one door to a session store. Each method is one call into a room below."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage import locations
from storage.engine.later import Room
from storage.errors import WritingNotSupported
from storage.store_view import StoreView

if TYPE_CHECKING:
    from storage.conversation import (
        continuing,
        deleting,
        reading,
        renaming,
        replay,
        sessions,
        titles,
        usage,
        writing,
    )
    from storage.engine.writer import WritePolicy
    from storage.finding import message_search, rich_list
    from storage.gateway import handoff
    from storage.keeping import (
        exporting,
        meta,
        retention,
        structure,
        transfer,
        trash,
        trash_list,
        trash_preview,
        trash_restore,
    )
else:
    continuing, deleting, reading, renaming, replay, sessions, titles, usage, writing = (
        Room(f"storage.conversation.{name}")
        for name in (
            "continuing", "deleting", "reading", "renaming", "replay", "sessions", "titles", "usage", "writing"
        )
    )  # fmt: skip
    message_search, rich_list = (Room(f"storage.finding.{name}") for name in ("message_search", "rich_list"))
    handoff = Room("storage.gateway.handoff")
    exporting, meta, retention, structure, transfer = (
        Room(f"storage.keeping.{name}")
        for name in ("exporting", "meta", "retention", "structure", "transfer")
    )
    trash, trash_list, trash_preview, trash_restore = (
        Room(f"storage.keeping.{name}") for name in ("trash", "trash_list", "trash_preview", "trash_restore")
    )


class SessionDB(StoreView):
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
        super().__init__(path, read_only, migrate=migrate, policy=policy, clock=clock)

    # --- sessions

    create_session = sessions.create_session
    ensure_session = sessions.ensure_session
    end_session = sessions.end_session
    reopen_session = sessions.reopen_session
    get_session = sessions.get_session
    resolve_session_id = sessions.resolve_session_id
    find_session_ids = sessions.find_session_ids
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
    check_title = renaming.check_title
    rename_session = renaming.rename_session
    undo_rename = renaming.undo_rename

    # --- tokens and cost

    update_token_counts = usage.update_token_counts
    record_auxiliary_usage = usage.record_auxiliary_usage

    # --- conversations as one

    get_compression_tip = continuing.get_compression_tip
    resolve_resume_session_id = continuing.resolve_resume_session_id
    conversation_parts = continuing.conversation_parts
    set_session_archived = continuing.set_session_archived
    set_session_pinned = continuing.set_session_pinned
    flag_conversation = continuing.flag_conversation

    # --- finding, as Hermes' own store does

    search_messages = message_search.search_messages
    search_sessions = rich_list.search_sessions
    list_sessions_rich = rich_list.list_sessions_rich
    session_count = rich_list.session_count

    # --- handing over to a messaging platform

    request_handoff = handoff.request_handoff
    claim_handoff = handoff.claim_handoff
    complete_handoff = handoff.complete_handoff
    fail_handoff = handoff.fail_handoff
    get_handoff_state = handoff.get_handoff_state
    list_pending_handoffs = handoff.list_pending_handoffs

    # --- keeping

    prune_sessions = retention.prune_sessions
    list_prune_candidates = retention.list_prune_candidates
    preview_prune = retention.preview_prune
    archive_sessions = retention.archive_sessions
    maybe_auto_prune_and_vacuum = retention.maybe_auto_prune_and_vacuum
    optimize_fts = retention.optimize_fts
    optimize_storage = structure.optimize_storage
    vacuum = retention.vacuum_store

    export_session = exporting.export_session
    export_session_lineage = exporting.export_session_lineage
    export_all = exporting.export_all
    import_sessions = transfer.import_sessions
    check_import = transfer.check_import

    preview_delete = trash_preview.preview_delete
    count_subagents = trash_preview.count_subagents
    trash_sessions = trash.trash_sessions
    list_trash = trash_list.list_trash
    interrupted_deletions = trash_list.interrupted_deletions
    restore_trash = trash_restore.restore_trash
    empty_trash = trash_list.empty_trash

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
        from storage.keeping import fill

        fill.fill(self.path, sessions, messages)
