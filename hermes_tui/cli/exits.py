"""With what status `hermes-tui` ends; `hermes-tui --help` documents them."""

from __future__ import annotations

from typing import Final

OK: Final = 0
NOTHING_CHOSEN: Final = 1
NOT_CONFIRMED: Final = 1
USAGE: Final = 2
FAILED: Final = 3
KILLED: Final = 128
"""And the number of the signal."""
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
