"""What other processes committed: asked once a second, so an idle store must cost one pragma."""

from __future__ import annotations

from dataclasses import dataclass

from storage.conversation.expressions import text
from storage.engine.connection import Reader

MESSAGES = 10_000
"""New messages that one look follows up; more than that is an import, and the whole is read again."""


@dataclass(frozen=True, slots=True)
class News:
    """What a commit of another process can be seen to have done."""

    session_ids: tuple[str, ...]
    """Sessions with new messages, or new themselves."""
    thorough: bool
    """False when sessions went away or there was too much to follow."""


class Watch:
    """Remembers what was seen of a store and says what came after.

    Args:
        reader: Its connection must be the one that is asked every time: `data_version` compares with itself.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._version = reader.data_version()
        self._message = self._newest_message()
        self._sessions, self._session = self._count()

    def look(self) -> News | None:
        """What is new since the last look; None when nobody else has committed anything.

        Nothing counts as seen before all of it was read, so a look that fails loses nothing.
        """
        version = self._reader.data_version()
        if version == self._version:
            return None
        self._reader.refresh_layout()
        speaking, newest_message = self._new_messages()
        appeared = self._new_sessions()
        count, newest_session = self._count()
        followed = len(speaking) < MESSAGES
        thorough = followed and count == self._sessions + len(appeared)
        self._message = newest_message if followed else self._newest_message()
        self._sessions, self._session = count, newest_session
        self._version = version
        return News(tuple(dict.fromkeys((*appeared, *speaking))), thorough)

    def _new_messages(self) -> tuple[list[str], int]:
        """The sessions of the new messages, one for each, and the id of the last one."""
        if not self._has_messages():
            return [], self._message
        # No DISTINCT here: SQLite would walk an index of all messages for it.
        newest, session_ids = self._reader.json(
            f"""SELECT json_array(max(id), json_group_array(session)) FROM (
                SELECT id, {text("session_id")} AS session FROM messages
                WHERE id > ?1 AND typeof(id) = 'integer' ORDER BY id LIMIT ?2)""",
            (self._message, MESSAGES),
        )
        return session_ids, self._message if newest is None else newest

    def _new_sessions(self) -> list[str]:
        if not self._has_rowids():
            return []
        session_ids: list[str] = self._reader.json(
            f"SELECT json_group_array({text('id')}) FROM sessions WHERE rowid > ?1 AND id IS NOT NULL",
            (self._session,),
        )
        return session_ids

    def _newest_message(self) -> int:
        if not self._has_messages():
            return 0
        row = self._reader.one(
            "SELECT id FROM messages WHERE typeof(id) = 'integer' ORDER BY id DESC LIMIT 1"
        )
        return row[0] if row else 0

    def _count(self) -> tuple[int, int]:
        if "sessions" not in self._reader.layout.columns:
            return 0, 0
        newest = "SELECT max(rowid) FROM sessions" if self._has_rowids() else "0"
        row = self._reader.one(f"SELECT (SELECT count(*) FROM sessions), ({newest})")
        return (row[0], row[1] or 0) if row else (0, 0)

    def _has_rowids(self) -> bool:
        """Without them new sessions cannot be told from old ones, and the whole is read again."""
        layout = self._reader.layout
        return "sessions" in layout.columns and layout.key("sessions") == "rowid"

    def _has_messages(self) -> bool:
        return {"id", "session_id"} <= self._reader.layout.columns.get("messages", frozenset())
