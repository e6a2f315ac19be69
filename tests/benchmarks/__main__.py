"""`python -m tests.benchmarks [--store PATH …] [--only storage|search|programs|…]`: every number, in one table.

Never a part of the tests: it measures this machine as much as the program. Stores of 1,000 sessions with 50,000
messages and of 10,000 with 500,000 are made in a cache directory when they are not there (a minute, 1.2 GB).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import programs_part, screen_part, search_part, start_part, storage_part, typing_part
from tests.benchmarks.make_store import make
from tests.benchmarks.measure import Row, table

SIZES = {"1k": (1_000, 50_000), "10k": (10_000, 500_000)}
PARTS: dict[str, Callable[[Path, str], Iterator[Row]]] = {
    "storage": storage_part.rows,
    "search": search_part.rows,
    "programs": programs_part.rows,
    "screen": screen_part.rows,
    "start": start_part.rows,
    "typing": typing_part.rows,
}


def main() -> int:
    """Measure and print; 1 when a budget was not kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure everything.")
    parser.add_argument("--store", metavar="PATH", type=Path, action="append", help="measure this store")
    parser.add_argument("--only", choices=PARTS, action="append", help="measure this part")
    arguments = parser.parse_args()
    stores = arguments.store or [_made(name) for name in SIZES]
    rows = [
        row
        for part in arguments.only or PARTS
        for store in stores
        for row in PARTS[part](store.resolve(), store.stem)
    ]
    print(table(rows))
    return int(any(row.verdict == "FAIL" for row in rows))


def _made(name: str) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hermes-tui-benchmarks"
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{name}.db"
    if not path.exists():
        print(f"Making {path} …", flush=True)
        make(*SIZES[name], path)
    return path


if __name__ == "__main__":
    raise SystemExit(main())
