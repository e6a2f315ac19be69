"""Who somebody on WhatsApp is: one person appears under a phone number and under a LID, with or without a device."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_SAFE = re.compile(r"[A-Za-z0-9@.+-]+")
"""What an identifier is made of; nothing else becomes a part of a file's name."""

_PLACES = ("whatsapp/session", "platforms/whatsapp/session")
"""Where the bridge keeps its mappings below a home: older homes, newer ones."""


def normalized(identifier: object) -> str:
    """The identifier without what surrounds it: "+15551234567:3@s.whatsapp.net" → "15551234567"."""
    return str(identifier or "").strip().replace("+", "", 1).split(":", 1)[0].split("@", 1)[0]


def canonical(identifier: str, home: Path) -> str:
    """The one identifier for all that the bridge of this home knows as the same person: the shortest.

    Where nothing is mapped, or what is mapped cannot be read, it is the identifier itself, `normalized`.
    """
    known: set[str] = set()
    waiting = [normalized(identifier)]
    while waiting:
        here = waiting.pop()
        if here not in known and _SAFE.fullmatch(here):
            known.add(here)
            waiting.extend(_mapped(here, home))
    return min(known, key=lambda one: (len(one), one), default=normalized(identifier))


def _mapped(identifier: str, home: Path) -> Iterator[str]:
    for place in _PLACES:
        for suffix in ("", "_reverse"):
            # A mapping that is missing, torn or deeper than anything that makes sense says nothing.
            with suppress(OSError, ValueError, RecursionError):
                written = (home / place / f"lid-mapping-{identifier}{suffix}.json").read_text(
                    encoding="utf-8"
                )
                yield normalized(json.loads(written))
