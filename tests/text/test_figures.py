"""Sizes and moments as they stand in sentences."""

from __future__ import annotations

import math
import time

import pytest

from hermes_tui.text.figures import size
from hermes_tui.text.relative_time import minute


@pytest.mark.parametrize(
    ("bytes_", "said"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (12_345, "12.3 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (1_500_000_000, "1.5 GB"),
        (10**16, "10,000.0 TB"),
    ],
)
def test_sizes(bytes_: int, said: str) -> None:
    assert size(bytes_) == said


def test_a_moment_is_local_or_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC-2")
        time.tzset()
        assert minute(1_780_000_000) == "2026-05-28 22:26"
    time.tzset()
    assert [minute(ts) for ts in (None, 1e300)] == ["?", "?"]
    with pytest.raises(ValueError, match="NaN"):
        time.localtime(math.nan)
    assert minute(math.nan) == "?"
