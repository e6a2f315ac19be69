"""`sessions list` answers before a person notices: it imports nothing that only searching, reading or writing needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.stores import CopyStore

ROOT = Path(__file__).parent.parent.parent

PROGRAM = """
import sys
from hermes_tui.__main__ import main
assert main(sys.argv[1:]) == 0
print(*sorted(name for name in sys.modules if name.startswith(("storage.", "hermes_tui.")) or name == "shutil"))
"""


def test_the_list_needs_little(copy_store: CopyStore, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--db", str(copy_store("state-v23.db")), "sessions", "list"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)},
    )
    loaded = done.stdout.splitlines()[-1].split()
    assert "shutil" not in loaded
    assert {name.split(".")[1] for name in loaded if name.startswith("hermes_tui.")} == {
        *("__main__", "cli", "errors", "options", "start", "text"),
    }
    rooms = {name.split(".", 1)[1] for name in loaded if name.startswith("storage.")}
    assert rooms - {"conversation", "engine", "finding", "keeping", "gateway"} == {
        *("errors", "locations", "records", "session_db", "store_view"),
        *("engine.connection", "engine.failures", "engine.later", "engine.layout", "engine.notes"),
        *("engine.opening", "engine.session_ids", "engine.store", "engine.within"),
        *("conversation.content", "conversation.expressions", "conversation.family", "conversation.preview"),
        "conversation.relatives",
        *("finding.catalog", "finding.details", "finding.facts", "finding.listing", "finding.newest"),
        *("finding.order", "finding.watch"),
    }
