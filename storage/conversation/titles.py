"""Titles: clean, unique, numbered along a lineage, and found again (spec 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from storage.conversation.stored import sound
from storage.engine.store import Store
from storage.engine.within import Reading, Within
from storage.errors import TitleTaken, TitleTooLong

LONGEST = 100
"""Characters of a title."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile(r"[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffc\ufff9-\ufffb]")

# ASCII digits only, and no more than a number of 64 bits: "#２" and "#bar" are part of the title.
_NUMBERED = re.compile(r"(?P<base>.*) #(?P<number>[0-9]{1,18})", re.DOTALL)

_ANCESTORS = 100
"""Steps up a chain of compressions before a loop is assumed."""


def sanitize_title(title: str | None) -> str | None:
    """The title as it would be stored: without control and invisible characters, white space runs as one blank.

    Returns:
        None if nothing is left.

    Raises:
        TitleTooLong: More than 100 characters are left.
    """
    clean = cleaned(title)
    if len(clean) > LONGEST:
        raise TitleTooLong(len(clean), LONGEST)
    return clean or None


def cleaned(title: str | None) -> str:
    """As `sanitize_title`, of any length; empty if nothing is left."""
    return " ".join(_INVISIBLE.sub("", _CONTROL.sub("", sound(title or ""))).split())


def holder_of(reader: Reading, session_id: str, title: str) -> tuple[str, str] | None:
    """Id and source of the session, other than this one, that has a title."""
    source = reader.layout.column("sessions", "source")
    found = reader.one(f"SELECT id, {source} FROM sessions WHERE title = ? AND id <> ?", (title, session_id))
    return (found[0], found[1]) if found else None


def set_session_title(store: Store, session_id: str, title: str | None) -> bool:
    """Give a session a title, or take it away with an empty one.

    A session that this one continues through compressions gives the title up.

    Returns:
        False if there is no such session.

    Raises:
        TitleTooLong, TitleTaken: and nothing was changed.
    """
    return _title(store, session_id, title, only_if_empty=False)


def set_auto_title_if_empty(store: Store, session_id: str, title: str | None) -> bool:
    """As `set_session_title`, but a title that is there stays: returns False then."""
    return _title(store, session_id, title, only_if_empty=True)


def get_session_title(store: Store, session_id: str) -> str | None:
    """The title of a session; None if it has none or there is no such session."""
    reader = store.reading()
    title = reader.layout.column("sessions", "title")
    row = reader.one(f"SELECT {title} FROM sessions WHERE id = ?", (session_id,))
    return row[0] if row else None


def get_session_by_title(store: Store, title: str) -> dict[str, Any] | None:
    """All columns of the session with exactly this title."""
    reader = store.reading()
    if not reader.layout.has("sessions", "title"):
        return None
    found = reader.dicts("SELECT * FROM sessions WHERE title = ?", (title,))
    return found[0] if found else None


def resolve_session_by_title(store: Store, title: str) -> str | None:
    """The session that a person means by a title: of "title #2", "title #3", … the one that started last.

    Returns:
        The session with exactly this title where none is numbered; None where there is none at all.
    """
    numbered = [
        (started if isinstance(started, int | float) else 0.0, session_id)
        for session_id, _, started in _numbered(store.reading(), title)
    ]
    if numbered:
        return max(numbered)[1]
    exact = get_session_by_title(store, title)
    return exact["id"] if exact else None


def get_next_title_in_lineage(store: Store, base_title: str) -> str:
    """The title for a continuation: "base #2" after "base", "base #4" after "base #3".

    Returns:
        The base itself, its number taken off, while nobody has it.
    """
    return next_title(store.reading(), base_title)


def next_title(reader: Reading, base_title: str) -> str:
    """As `get_next_title_in_lineage`, for whoever reads already."""
    found = _NUMBERED.fullmatch(base_title)
    base = found["base"] if found else base_title
    numbers = [number for _, number, _ in _numbered(reader, base)]
    if reader.layout.has("sessions", "title") and reader.one(
        "SELECT 1 FROM sessions WHERE title = ?", (base,)
    ):
        numbers.append(1)
    return f"{base} #{max(1, *numbers) + 1}" if numbers else base


def _numbered(reader: Reading, base: str) -> Iterator[tuple[str, int, object]]:
    """Id, number and start of each session titled "base #N"."""
    if not reader.layout.has("sessions", "title"):
        return
    # '$' follows '#': a range of the index, and as exact about case as the titles are.
    rows = reader.rows(
        "SELECT id, title, started_at FROM sessions WHERE title >= ? AND title < ?",
        (f"{base} #", f"{base} $"),
    )
    for session_id, title, started in rows:
        found = _NUMBERED.fullmatch(title) if isinstance(title, str) else None
        if found and found["base"] == base:
            yield session_id, int(found["number"]), started


def _title(store: Store, session_id: str, title: str | None, *, only_if_empty: bool) -> bool:
    clean = sanitize_title(title)

    def work(within: Within) -> bool:
        within.require("sessions", "title")
        found = within.one("SELECT title FROM sessions WHERE id = ?", (session_id,))
        if found is None or (only_if_empty and found[0] is not None):
            return False
        if clean is not None:
            make_way(within, session_id, clean)
        within.change("UPDATE sessions SET title = ? WHERE id = ?", (clean, session_id))
        return True

    return store.write(work)


def make_way(within: Within, session_id: str, title: str) -> str | None:
    """Have a session that this one continues give a title up.

    Returns:
        Its id; None where nobody had the title.

    Raises:
        TitleTaken: Somebody else has it.
    """
    holder = holder_of(within, session_id, title)
    if holder is None:
        return None
    if holder[0] not in continued(within, session_id):
        raise TitleTaken(title, *holder)
    within.change("UPDATE sessions SET title = NULL WHERE id = ?", (holder[0],))
    return holder[0]


def continued(reader: Reading, session_id: str) -> set[str]:
    """The sessions that this one continues, through compressions alone."""
    found: set[str] = set()
    here = session_id
    for _ in range(_ANCESTORS):
        parent = reader.one(
            "SELECT parent.id FROM sessions child JOIN sessions parent ON parent.id = child.parent_session_id"
            " WHERE child.id = ? AND parent.end_reason = 'compression'",
            (here,),
        )
        if parent is None or parent[0] in found:
            break
        here = parent[0]
        found.add(here)
    return found
