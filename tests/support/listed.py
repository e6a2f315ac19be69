"""The list of the stored stores, and short words for listings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from storage.engine.connection import Reader
from storage.records import HiddenClass, Listing

NONE: frozenset[HiddenClass] = frozenset()
ALL = frozenset(HiddenClass)

SHOWN = [
    "20261106_120000_fe1472",
    "6f1c2b1e-7a40-4c55-9a53-0d2f5a6b7c8d",
    "20261129_000000_4a9315",
    "20261128_120000_8cd283",
    "20261128_022400_8e328b",
    "20261128_000000_196a2b",
    "20261127_120000_edef2d",
    "20261126_120000_ba323c3f",
    "20261125_120000_191b24",
    "20261124_120000_0f4dbe30",
    "20261122_120000_95687a",
    "20261121_120000_b3cd915d",
    "20261120_120000_a78c5bf6",
    "20261118_120000_973333",
    "20261117_120000_ed73f6b4",
    "20261116_120000_b37c8d",
    "20261114_142400_edbab4",
    "20261114_120000_5cfdb8",
    "20261112_120000_bc2f39",
    "20261111_120000_0f5264",
    "20261110_120000_d40edb",
    "20261107_120000_aaaa02",
    "20261107_120000_aaaa01",
    "20261017_120000_58c471f0",
    "20260930_142400_b163d4",
    "20260930_120000_47f10b",
    "20260826_120000_6033b846",
    "20260821_120000_085724",
    "20260806_120000_5dac3f",
    "20260802_120000_120bc1",
]
"""The 30 conversations of the stored stores, counted by hand, by last activity."""

Opened = Callable[[Path], Reader]


def ids(found: Listing) -> list[str]:
    return [entry.id for entry in found.entries]


def rows(count: int, sql: str) -> str:
    return f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) {sql};"
