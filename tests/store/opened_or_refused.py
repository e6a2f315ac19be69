"""What opening a store brings: its titles, or an error that says why not."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from storage.engine.connection import open_reader

ONE = (
    "INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'one');"
    "INSERT INTO messages(session_id,role,content,timestamp) VALUES('s1','user','hello',1780000000);"
)


def titles(path: Path) -> list[str]:
    """The titles of all sessions."""
    with closing(open_reader(path)) as reader:
        return [title for (title,) in reader.rows("SELECT title FROM sessions ORDER BY id")]


def refusal(path: Path) -> tuple[str, str]:
    """The name and the sentence of the error that opening raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        open_reader(path).close()
    return type(caught.value).__name__, str(caught.value)
