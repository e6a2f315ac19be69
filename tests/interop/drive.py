"""Run by another Python: `drive.py RELEASE WHAT STORE…` lets a real release work on stores and prints what it saw."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def open_only(db: Any) -> dict[str, Any]:
    return {"sessions": db.session_count()}


def work(db: Any) -> dict[str, Any]:
    """Everything that writes: a new session, messages of each kind, a title, an end, and the delete of an old one."""
    db.create_session(session_id="interop", source="cli", model="m")
    db.append_message(session_id="interop", role="user", content="the xylophone was here")
    db.append_message(
        session_id="interop",
        role="assistant",
        content="calling",
        tool_calls=[{"id": "c", "function": {"name": "terminal", "arguments": "{}"}}],
    )
    db.append_message(session_id="interop", role="tool", content="xylophone result", tool_name="terminal")
    db.set_session_title("interop", "Interop")
    db.end_session("interop", "user_exit")
    rows = db.list_sessions_rich(limit=100)
    old = next(row["id"] for row in rows if row["id"] != "interop" and row["message_count"])
    found = [hit["session_id"] for hit in db.search_messages("xylophone")]
    deleted = db.delete_session(old)
    return {"old": old, "deleted": bool(deleted), "found": found, "listed": [row["id"] for row in rows]}


def turn(db: Any) -> dict[str, Any]:
    """One turn of several: what was done before is found, something is added, renamed, and one of the first deleted."""
    before = sorted(hit["session_id"] for hit in db.search_messages("xylophone", limit=1000))
    titled = sorted(
        row["title"] for row in db.list_sessions_rich(limit=1000) if (row["title"] or "").startswith("Turn")
    )
    name = f"turn{len(before) + 1}"
    db.create_session(session_id=name, source="cli", model="m")
    db.append_message(session_id=name, role="user", content=f"a xylophone and {name}")
    db.set_session_title(name, f"Turn {len(before) + 1}")
    db.append_message(session_id=name, role="assistant", content="to be compacted")
    db.end_session(name, "user_exit")
    doomed = f"doomed{len(before) + 1}"
    db.create_session(session_id=doomed, source="cli", model="m")
    db.append_message(session_id=doomed, role="user", content=f"zeppelin of {doomed}")
    seen = [hit["session_id"] for hit in db.search_messages("zeppelin")]
    deleted = bool(db.delete_session(doomed))
    left = [hit["session_id"] for hit in db.search_messages("zeppelin")]
    return {"before": before, "titled": titled, "seen": seen, "deleted": deleted, "left": left}


def main() -> None:
    release, what, *stores = sys.argv[1:]
    sys.path.insert(0, release)
    from hermes_state import SessionDB  # type: ignore[import-not-found]

    answers = []
    for store in stores:
        db = SessionDB(db_path=Path(store))
        try:
            answers.append({"open": open_only, "work": work, "turn": turn}[what](db))
        finally:
            db.close()
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
