"""The wall: storage does not know that a screen exists."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_storage_imports_no_screen_and_no_library() -> None:
    code = (
        "import sys; before = set(sys.modules); import storage;"
        "tops = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(tops - set(sys.stdlib_module_names)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, check=True
    ).stdout
    assert answer.strip() == "['storage']"
