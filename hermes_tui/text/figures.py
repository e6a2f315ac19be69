"""Numbers as they stand in columns and sentences."""

from __future__ import annotations

import math

_UNITS = ((1_000, "k"), (1_000_000, "M"), (1_000_000_000, "B"))


def count(n: int) -> str:
    """All digits, in groups: "2,556"."""
    return f"{n:,}"


def short(n: int) -> str:
    """At most four characters up to a thousand billions: "950", "1.2k", "412k", "1.2M"."""
    if n < 0:
        return f"-{short(-n)}"
    if n < 1000:
        return str(n)
    for unit, letter in _UNITS:
        if n < 9.95 * unit:
            return f"{n / unit:.1f}".removesuffix(".0") + letter
        if n < 999.5 * unit:
            break
    return f"{n / unit:.0f}{letter}"


def plural(n: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 session", "2,556 sessions"."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def money(dollars: float | None) -> str:
    """US dollars: "$1.24"; "<$0.01" for less than a cent, nothing where the sum is unknown."""
    if dollars is None or not math.isfinite(dollars):
        return ""
    if 0 < dollars < 0.01:
        return "<$0.01"
    return f"-${-dollars:,.2f}" if dollars < 0 else f"${dollars:,.2f}"


def size(bytes_: int) -> str:
    """So many bytes: "950 bytes", "1.2 kB", "12.4 MB", by the thousand."""
    if bytes_ < 1000:
        return plural(bytes_, "byte")
    number, units = bytes_ / 1000, iter(("MB", "GB", "TB"))
    unit = "kB"
    while number >= 999.95 and (larger := next(units, "")):
        number, unit = number / 1000, larger
    return f"{number:,.1f} {unit}"
