"""Giving a session another title: what would come of it, doing it, and taking it back (spec 4.5)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from storage.conversation import relatives
from storage.conversation.expressions import text
from storage.conversation.family import chains
from storage.conversation.titles import LONGEST, cleaned, continued, holder_of, make_way, sanitize_title
from storage.engine.store import Store
from storage.engine.within import Reading, Within
from storage.errors import StoreError, TitleChanged, TitleTaken, TitleTooLong, UnknownSession, VersionTooOld


@dataclass(frozen=True, slots=True)
class TitleCheck:
    """What would come of giving a session a title."""

    session_id: str
    clean: str | None
    """As it would be stored, were it short enough; None takes the title away."""
    length: int
    """Characters of `clean`."""
    limit: int
    """Characters that a title may have."""
    stripped: bool
    """What would be stored is not what was typed."""
    holder: tuple[str, str] | None
    """Id and source of the other session that has it."""
    gives_way: bool
    """The holder is continued by this session, and gives the title up."""
    missing: bool
    """There is no such session."""
    own: str | None
    """Its title now."""
    earlier: tuple[tuple[str, str], ...]
    """Id and title of the parts of its conversation before it that have one, the nearest first: a list shows the
    first of these where the session itself has none."""

    @property
    def refusal(self) -> StoreError | None:
        """What a write would raise; None where it would be done."""
        if self.length > self.limit:
            return TitleTooLong(self.length, self.limit)
        if self.missing:
            return UnknownSession(self.session_id)
        if self.holder is not None and self.clean is not None and not self.gives_way:
            return TitleTaken(self.clean, *self.holder)
        return None


@dataclass(frozen=True, slots=True)
class Renamed:
    """A title that was given or taken away, and what it takes to go back. Titles are UTF-8 as it was stored."""

    session_id: str
    title: str | None
    before: bytes | None
    gave_way: tuple[str, bytes] | None
    """The part that gave the title up, and the title that it had."""


def check_title(store: Store, session_id: str, title: str | None) -> TitleCheck:
    """Say what giving a session this title would come to; nothing is written, and no title is too bad to ask about.

    Raises:
        VersionTooOld: The store has no titles.
    """
    reader = store.reading()
    if not reader.layout.has("sessions", "title"):
        raise VersionTooOld("sessions", "title")
    clean = cleaned(title)
    found = reader.one(f"SELECT {text('title')} FROM sessions WHERE id = ?", (session_id,))
    holder = holder_of(reader, session_id, clean) if clean else None
    return TitleCheck(
        session_id=session_id,
        clean=clean or None,
        length=len(clean),
        limit=LONGEST,
        stripped=clean != (title or ""),
        holder=holder,
        gives_way=holder is not None and holder[0] in continued(reader, session_id),
        missing=found is None,
        own=found[0] if found else None,
        earlier=_earlier(reader, session_id),
    )


def rename_session(store: Store, session_id: str, title: str | None) -> Renamed:
    """As `set_session_title`, and says what it takes to undo it.

    Raises:
        UnknownSession, TitleTooLong, TitleTaken: and nothing was changed.
    """
    clean = sanitize_title(title)

    def work(within: Within) -> Renamed:
        within.require("sessions", "title")
        before = _stored(within, session_id)
        gave_way = None
        if clean is not None and (holder := make_way(within, session_id, clean)) is not None:
            gave_way = holder, clean.encode()
        _put(within, session_id, clean.encode() if clean is not None else None)
        return Renamed(session_id, clean, before, gave_way)

    return store.write(work)


def undo_rename(store: Store, renamed: Renamed) -> str | None:
    """Give a session the title back that it had, and the title it took to the part that gave it up.

    Returns:
        The title that it has again.

    Raises:
        UnknownSession, TitleTaken: and nothing was changed.
        TitleChanged: Somebody gave it another title since.
    """

    def work(within: Within) -> str | None:
        now = _stored(within, renamed.session_id)
        if now != (renamed.title.encode() if renamed.title is not None else None):
            raise TitleChanged(renamed.session_id, now.decode(errors="replace") if now is not None else None)
        title = renamed.before.decode(errors="replace") if renamed.before is not None else None
        _put(within, renamed.session_id, None)
        if title is not None and (holder := holder_of(within, renamed.session_id, title)) is not None:
            raise TitleTaken(title, *holder)
        _put(within, renamed.session_id, renamed.before)
        if renamed.gave_way is not None:
            part, given = renamed.gave_way
            # One that has gone, or found another title meanwhile, wants this one no more.
            if within.one("SELECT 1 FROM sessions WHERE id = ? AND title IS NULL", (part,)):
                _put(within, part, given)
        return title

    return store.write(work)


def _stored(within: Within, session_id: str) -> bytes | None:
    found = within.one("SELECT CAST(title AS BLOB) FROM sessions WHERE id = ?", (session_id,))
    if found is None:
        raise UnknownSession(session_id)
    title: bytes | None = found[0]
    return title


def _put(within: Within, session_id: str, title: bytes | None) -> None:
    within.change("UPDATE sessions SET title = CAST(? AS TEXT) WHERE id = ?", (title, session_id))


def _earlier(reader: Reading, session_id: str) -> tuple[tuple[str, str], ...]:
    """Id and title of the titled parts before this one on the main line, the nearest first."""
    main = next(
        (chain.parts[: chain.main] for chain in chains(relatives.around(reader, [session_id]))
         if session_id in chain.parts[: chain.main]),
        (),
    )  # fmt: skip
    before = main[: main.index(session_id)][::-1] if main else ()
    rows = reader.rows(
        f"SELECT id, {text('title')} FROM sessions WHERE title <> '' AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(before),),
    )
    titles: dict[str, str] = dict(rows)
    return tuple((part, titles[part]) for part in before if part in titles)
