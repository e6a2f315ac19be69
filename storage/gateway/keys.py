"""Session keys: which messages of a platform belong to one session (seed 004, per-platform session tracking)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from storage.gateway import whatsapp

_DM = "dm"


@dataclass(frozen=True, slots=True)
class SessionSource:
    """Where a message came from, in what platforms call things; None or "" for what a platform does not tell."""

    platform: str
    chat_id: str | None = None
    chat_type: str = _DM
    """"dm", "group", "channel", "thread"."""
    user_id: str | None = None
    thread_id: str | None = None
    user_id_alt: str | None = None
    """An id of the same person that stays when the other one changes; it goes first."""


def build_session_key(
    source: SessionSource,
    group_sessions_per_user: bool = True,
    thread_sessions_per_user: bool = False,
    profile: str | None = None,
    *,
    canonical: Callable[[str], str] = whatsapp.normalized,
) -> str:
    """The key of the session that a message belongs to.

    A private chat is a session of its own. In a group or channel everybody has one, in a thread all share one; where
    nobody can be named, the room shares one.

    Args:
        group_sessions_per_user: False makes a group or channel one session for all.
        thread_sessions_per_user: True gives everybody a session in a thread too, unless groups are shared.
        profile: Sessions of another Hermes profile have keys of their own.
        canonical: What becomes of an identifier on WhatsApp; `whatsapp.canonical` knows a home's aliases.

    Returns:
        "agent:main:telegram:dm:1001", "agent:main:discord:group:77:5", …
    """
    named = canonical if source.platform == "whatsapp" else str
    user = source.user_id_alt or source.user_id
    person = (named(user) or user) if user else None
    if source.chat_type == _DM:
        chat = named(source.chat_id) if source.chat_id else None
        parts = [chat or person, source.thread_id]
    else:
        alone = group_sessions_per_user and (thread_sessions_per_user or not source.thread_id)
        parts = [source.chat_id, source.thread_id, person if alone else None]
    agent = profile if profile and profile != "default" else "main"
    return ":".join(("agent", agent, source.platform, source.chat_type, *(part for part in parts if part)))
