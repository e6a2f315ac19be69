"""Conversations to export, and what came of it."""

from __future__ import annotations

from pathlib import Path

from storage import SessionDB

KEY = "sk-proj-abcDEF1234567890abcdefXYZ"


def talk(db: SessionDB, session_id: str, title: str | None = None, prompt: str = "hello") -> list[str]:
    db.create_session(session_id, "cli", model="m")
    db.append_message(session_id, "user", prompt)
    db.append_message(session_id, "assistant", "hi")
    if title:
        db.set_session_title(session_id, title)
    return [session_id]


def compressed(db: SessionDB) -> list[str]:
    """A chain with all that a talk can have."""
    db.create_session("root", "cli", model="m")
    db.append_message("root", "system", "You are a helper")
    db.append_message("root", "user", f"use {KEY}")
    call = {"id": "c", "function": {"name": "terminal", "arguments": f'{{"command": "login {KEY}", "n": 1}}'}}
    db.append_message("root", "assistant", "<think>hm</think>Looking", reasoning="inner", tool_calls=[call])
    db.append_message("root", "tool", '{"output": "a\\nb\\n", "code": 0}', tool_name="terminal")
    first = db.append_message("root", "user", "taken back")
    db.rewind_to_message("root", first)
    db.append_message("root", "user", "go on")
    db.set_session_title("root", f"talk about {KEY}")
    db.end_session("root", "compression")
    db.create_session("tip", "cli", parent_session_id="root")
    db.append_message("tip", "user", "[CONTEXT COMPACTION — REFERENCE ONLY] so far")
    db.append_message("tip", "user", "go on")
    db.append_message("tip", "assistant", "# Done")
    return ["root", "tip"]


def names(directory: Path) -> list[str]:
    """What lies in a directory, the home of the store apart."""
    return sorted(path.name for path in directory.iterdir() if path.name != "home")
