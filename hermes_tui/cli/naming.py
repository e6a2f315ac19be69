"""Sessions named on a command line: by their id, or by a beginning that only one has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hermes_tui.errors import BrowserError

if TYPE_CHECKING:
    from storage import SessionDB

_NAMED = 4
"""Candidates that a sentence names."""


class NoSuchSession(BrowserError):
    """No session, or more than one, is meant by what was typed."""


def session_ids(db: SessionDB, typed: Iterable[str]) -> list[str]:
    """The ids that are meant, each once, in their order.

    Raises:
        NoSuchSession: One of them means none, or several. The sentence says which.
    """
    return list(dict.fromkeys(session_id(db, one) for one in typed))


def session_id(db: SessionDB, typed: str) -> str:
    """As `session_ids`, for one."""
    # A store holds only UTF-8, so bytes that are none name nothing in it.
    asked = typed.encode("utf-8", "replace").decode()
    found = db.resolve_session_id(asked) if asked == typed else None
    if found is not None:
        return found
    several = db.find_session_ids(asked, _NAMED + 1) if asked == typed and asked else []
    if not several:
        raise NoSuchSession(f"Session '{typed}' not found. `hermes-tui sessions list` shows the ids.")
    more = " and others" if len(several) > _NAMED else ""
    raise NoSuchSession(
        f"'{typed}' begins several ids: {', '.join(several[:_NAMED])}{more}. Type more of it."
    )
