"""What cannot be done with a store and why: one clear sentence each, for a person."""

from __future__ import annotations

from collections.abc import Iterator

from storage.engine.layout import Execute, FtsTable, Layout
from storage.errors import IndexDamaged


def notes(layout: Layout, execute: Execute, *, immutable: bool, unnamed: int) -> tuple[str, ...]:
    """The sentences for `StoreInfo.notes`; costs a few look-ups."""
    if layout.refusal:
        return ("The file is empty: no sessions yet.",)
    return tuple(_all(layout, execute, immutable, unnamed))


def _all(layout: Layout, execute: Execute, immutable: bool, unnamed: int) -> Iterator[str]:
    if immutable:
        yield "The store lies in a directory that cannot be written, so nothing in it can be changed."
    if layout.turn_fences:
        yield "The store is fenced: only the Hermes that fenced it can write to it."
    for table, what in sorted(layout.odd.items()):
        lost = "" if table in layout.columns else "what it holds is not shown, and "
        yield f"The table {table} is {what}, as no Hermes makes it: {lost}nothing can be written."
    if unnamed:
        yield f"Sessions whose id is missing or no text: {unnamed}. They cannot be named, so they are not shown."
    if problem := _problem(layout.fts, execute):
        yield f"The word index {problem}: searches read the messages instead, which takes longer."
    if problem := _problem(layout.trigram, execute):
        yield f"The substring index {problem}: text without blanks is searched for by reading the messages."
    if layout.cjk_triggers:
        yield (
            "Its index messages_fts_cjk needs the tokenizer cjk_unicode61, which is not here:"
            " searches do without it."
        )
    if layout.has("state_meta", "value"):
        yield from _rebuilding(execute)


def _problem(table: FtsTable | None, execute: Execute) -> str:
    if table is None:
        return "is missing"
    try:
        execute(f"SELECT rowid FROM {table.name} LIMIT 0")
    except IndexDamaged:
        return "cannot be used"
    return ""


def _rebuilding(execute: Execute) -> Iterator[str]:
    # As the triggers of the index read them: a mark that is NULL is none.
    marks: dict[str, int | None] = dict(
        execute(
            "SELECT key, CAST(value AS INTEGER) FROM state_meta WHERE key LIKE 'fts\\_rebuild\\_%' ESCAPE '\\'"
        )
    )
    if (end := marks.get("fts_rebuild_high_water")) is not None:
        done = marks.get("fts_rebuild_progress") or 0
        yield f"The search index is being rebuilt ({done} of {end}): the rest is searched more slowly."
