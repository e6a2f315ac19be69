"""Case 32, what a command without a screen prints: no control byte from the store reaches the terminal."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.cli.pseudo_terminal import PseudoTerminal
from tests.support.stores import BuildV11

ROOT = Path(__file__).parent.parent.parent
ROWS = """
INSERT INTO sessions(id,source,started_at,title,model) VALUES
  ('s1','cli',1780000000,char(27)||'[31mRed'||char(27)||'[0m',char(27)||']0;PWNED'||char(7)),
  ('s2','cli',1780000001,'a'||char(0x9b)||'2Jb'||char(0x202e)||'c'||char(0x200b)||'d','m'),
  ('s3','tele'||char(27)||'[2Jgram',1780000002,NULL,'m');
INSERT INTO messages(id,session_id,role,content,tool_name,timestamp) VALUES
  (1,'s1','user','X'||char(27)||'[2J'||char(27)||']8;;http://evil'||char(7)||'link'||char(27)||']8;;'||char(7)||' Y',
   NULL,1780000001),
  (2,'s1','tool','bell'||char(7)||' so'||char(14)||' nul'||char(0)||' end','t'||char(27)||'c',1780000002),
  (3,'s3','user','tab'||char(9)||'x',NULL,1780000003);
"""


@pytest.fixture
def store(build_v11: BuildV11) -> Path:
    return build_v11(ROWS)


def printed(store: Path, *words: str) -> bytes:
    """What `sessions list` writes to a terminal."""
    argv = [sys.executable, "-m", "hermes_tui", "sessions", "list", "--db", str(store), *words]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TZ": "UTC", "NO_COLOR": "1"}
    with PseudoTerminal(argv, env=env, cwd=store.parent, size=(140, 30)) as terminal:
        assert terminal.wait() == 0
        return terminal.raw


def test_the_list(store: Path) -> None:
    assert printed(store).decode().split("\r\n") == [
        "Title  Preview  Last Active  ID",
        "─" * 31,
        "tab x           2026-05-28   s3",
        "Red    Xlink Y  2026-05-28   s1",
        "abcd            2026-05-28   s2",
        "",
    ]


def test_json_keeps_the_text_and_escapes_it(store: Path) -> None:
    raw = printed(store, "--json")
    assert raw.isascii()
    assert {byte for byte in raw if byte < 0x20} == {0x0A, 0x0D}
    rows = {row["id"]: row for row in json.loads(raw)}
    assert rows["s1"]["title"] == "\x1b[31mRed\x1b[0m"
    assert rows["s1"]["model"] == "\x1b]0;PWNED\x07"
    assert rows["s2"]["title"] == "a\x9b2Jb\u202ec\u200bd"
    assert rows["s3"]["source"] == "tele\x1b[2Jgram"
