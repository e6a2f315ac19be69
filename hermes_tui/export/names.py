"""Names of the files that are written: legible, and allowed on every file system."""

from __future__ import annotations

import re
from collections.abc import Container

from hermes_tui.export.formats import Format
from hermes_tui.text import safe_text

LONGEST = 120
"""Bytes of a name: less than any file system takes, with room for a number."""

_UNSAFE = re.compile(r"""[\s<>:"/\\|?*'`$&;!#%{}()\[\]~^=+,@]+""")
"""What some file system refuses, and what would have to be quoted in a shell."""

_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
"""Names that are devices on Windows, whatever their ending."""


def suggested_name(title: str, session_id: str, form: Format) -> str:
    """A name for the file of a conversation, from its title, or its id where it has none; at most 120 bytes."""
    stem = _stem(title) or _stem(session_id) or "conversation"
    return _short(f"hermes-{stem}" if _RESERVED.match(stem) else stem, f".{form}")


def unique(name: str, taken: Container[str]) -> str:
    """The name, numbered if it is taken; `taken` holds names in lower case, for some file systems know no other."""
    stem, dot, ending = name.rpartition(".")
    number = 1
    while name.lower() in taken:
        number += 1
        name = _short(stem, f"-{number}{dot}{ending}")
    return name


def _stem(text: str) -> str:
    text = _UNSAFE.sub("-", safe_text.line(text))
    return re.sub("-{2,}", "-", text).strip("-. _")


def _short(stem: str, ending: str) -> str:
    room = LONGEST - len(ending)
    return stem.encode()[:room].decode(errors="ignore").rstrip("-. ") + ending
