"""How large a store is, table by table and index by index."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from storage.engine.connection import Cancel, Reader
from storage.finding.tallies import StorePart, StoreSize


def store_size(
    reader: Reader, progress: Callable[[int, int], None] | None, cancel: Cancel | None
) -> StoreSize:
    """What a store takes on the disk: see `SessionDB.store_size`."""
    page, pages, free = (int(reader.rows(f"PRAGMA {name}")[0][0]) for name in _PRAGMAS)
    looks = _can_look(reader)
    parts: list[StorePart] = []
    counted = 0
    for name, kind, table in _b_trees(reader) if looks else ():
        if progress is not None:
            progress(counted, pages)
        # Row by row, for what goes on inside a table-valued function is not interrupted.
        size, number = reader.rows(
            "SELECT coalesce(sum(pgsize), 0), count(*) FROM dbstat WHERE name = ?", (name,), cancel
        )[0]
        counted += number
        parts.append(StorePart(name, kind, table, size))
    if (rest := (pages - free - counted) * page) > 0:
        parts.append(StorePart("", "other" if looks else "in use", "", rest))
    if progress is not None:
        progress(pages, pages)
    return StoreSize(
        total=pages * page,
        free=free * page,
        wal=_wal(reader.path),
        parts=tuple(sorted(parts, key=lambda part: (-part.size, part.name))),
        measured_by="dbstat" if looks else "page counts",
    )


_PRAGMAS = ("page_size", "page_count", "freelist_count")


def _can_look(reader: Reader) -> bool:
    """Whether this SQLite was built with dbstat, and no table of the store is in its place."""
    built = reader.rows("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'")
    return bool(built) and "dbstat" not in reader.layout.columns


def _b_trees(reader: Reader) -> Iterable[tuple[str, str, str]]:
    """Name, kind and table of everything that has pages of its own."""
    rows = reader.rows("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master ORDER BY rootpage")
    virtual = [name for _, name, _, _, sql in rows if sql and sql.upper().startswith("CREATE VIRTUAL")]
    for kind, name, table, root, _ in rows:
        if not root:
            continue
        owner = max((one for one in virtual if table.startswith(f"{one}_")), key=len, default=None)
        yield (name, "search index", owner) if owner else (name, kind, table)


def _wal(path: Path) -> int:
    try:
        return Path(f"{path}-wal").stat().st_size
    except OSError:
        return 0
