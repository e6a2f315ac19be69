"""The door: every call that the seeds name is there, is documented, and costs nothing before it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from storage import SessionDB
from storage.conversation import sessions
from storage.engine.later import Room

CALLS = [
    "create_session",
    "ensure_session",
    "end_session",
    "reopen_session",
    "get_session",
    "resolve_session_id",
    "delete_session",
    "delete_sessions",
    "delete_session_if_empty",
    "delete_empty_sessions",
    "finalize_orphaned_compression_sessions",
    "prune_empty_ghost_sessions",
    "append_message",
    "replace_messages",
    "archive_and_compact",
    "clear_messages",
    "rewind_to_message",
    "restore_rewound",
    "get_messages",
    "get_messages_as_conversation",
    "get_messages_around",
    "get_anchored_view",
    "message_count",
    "sanitize_title",
    "set_session_title",
    "set_auto_title_if_empty",
    "get_session_title",
    "get_session_by_title",
    "resolve_session_by_title",
    "get_next_title_in_lineage",
    "update_token_counts",
    "record_auxiliary_usage",
    "get_compression_tip",
    "resolve_resume_session_id",
    "set_session_archived",
    "set_session_pinned",
    "search_messages",
    "search_sessions",
    "list_sessions_rich",
    "session_count",
    "prune_sessions",
    "list_prune_candidates",
    "preview_prune",
    "archive_sessions",
    "maybe_auto_prune_and_vacuum",
    "optimize_fts",
    "vacuum",
    "export_session",
    "export_session_lineage",
    "export_all",
    "import_sessions",
    "get_meta",
    "set_meta",
    "first_page",
    "listing",
    "details",
    "find",
    "search",
    "excerpts",
    "transcript",
    "lineage",
    "changes",
    "info",
    "close",
]


@pytest.mark.parametrize("name", CALLS)
def test_a_call(name: str) -> None:
    method = getattr(SessionDB, name)
    assert callable(method)
    if inspect.isfunction(method):
        assert inspect.getdoc(method)
        assert next(iter(inspect.signature(method).parameters)) in ("self", "store")


def test_only_reading_is_loaded_by_a_reader() -> None:
    code = (
        "import sys; from storage import SessionDB\n"
        "rooms = ('writer', 'migrations', 'writing', 'titles', 'retention', 'transfer', 'message_search')\n"
        "print([name for name in sorted(sys.modules) if name.rpartition('.')[2] in rooms and 'storage' in name])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_a_late_function_gives_way_to_itself() -> None:
    class Door:
        make = Room("storage.conversation.sessions").create_session

    class Inner(Door):
        pass

    assert Inner.make is sessions.create_session
    assert vars(Door)["make"] is sessions.create_session
    assert Inner().make.__func__ is sessions.create_session


def test_threads_may_come_at_once() -> None:
    class Door:
        clean = Room("storage.conversation.titles").sanitize_title

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(lambda _: Door.clean, range(8)))) == 1
    assert staticmethod(Room("storage.conversation.titles").sanitize_title)(" a  b ") == "a b"
