"""`state_meta`: what the store remembers about itself, by key (spec 1.7)."""

from __future__ import annotations

from storage.engine.store import Store
from storage.engine.within import Within


def get_meta(store: Store, key: str) -> str | None:
    """The value of a key; None where there is none."""
    reader = store.reading()
    if not reader.layout.has("state_meta", "value"):
        return None
    row = reader.one("SELECT value FROM state_meta WHERE key = ?", (key,))
    return None if row is None or row[0] is None else str(row[0])


def set_meta(store: Store, key: str, value: object) -> None:
    """Set the value of a key, as text.

    Raises:
        VersionTooOld: The store has no such table yet.
    """

    def work(within: Within) -> None:
        within.require("state_meta", "value")
        within.change(
            "INSERT INTO state_meta(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2",
            (key, str(value)),
        )

    store.write(work)
