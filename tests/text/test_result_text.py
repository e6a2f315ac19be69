"""The result line: lower bounds look like it, and nothing is said twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.text import result_text, safe_text
from storage import HiddenClass, SearchOrder


@pytest.mark.parametrize(
    ("number", "exact", "said"),
    [
        (0, True, "0"),
        (412, True, "412"),
        (1999, True, "1,999"),
        (2000, True, "2,000"),
        (2066, True, "2,066"),
        (0, False, "0+"),
        (60, False, "60+"),
        (1999, False, "1,999+"),
        (2000, False, "2,000+"),
        (2066, False, "2,000+"),
    ],
)
def test_how_many_match(number: int, exact: bool, said: str) -> None:
    assert result_text.matching(number, exact=exact) == said


def test_hidden_classes_are_named_with_numbers() -> None:
    hidden = {HiddenClass.ARCHIVED: 3, HiddenClass.CRON: 1234, HiddenClass.TOOL: 0}
    assert result_text.hidden_matches(hidden) == "3 more in archived, 1,234 more in cron: h"
    assert result_text.hidden_matches(hidden, exact=False) == "3+ more in archived, 1,234+ more in cron: h"
    assert result_text.hidden_matches({HiddenClass.TOOL: 0}) == ""


def test_the_line_under_a_search() -> None:
    assert (
        str(result_text.found("412", 868, 0.0114, SearchOrder.NEWEST))
        == "412 of 868 conversations · 11 ms · newest hit first"
    )
    hidden = {HiddenClass.ARCHIVED: 3}
    line = result_text.found("60+", 0, 0.0, SearchOrder.NEWEST, ("not searched: x",), hidden, exact=False)
    assert (
        str(line) == "60+ conversations · 1 ms · newest hit first · not searched: x · 3+ more in archived: h"
    )


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            130,
            "494 of 637 conversations · 3 ms · newest hit first · without: after:x — not a date"
            " · 74 more in subagent, 46 more in cron: h",
        ),
        (
            122,
            "494 of 637 conversations · newest hit first · without: after:x — not a date"
            " · 74 more in subagent, 46 more in cron: h",
        ),
        (
            116,
            "494 of 637 conversations · without: after:x — not a date · 74 more in subagent, 46 more in cron: h",
        ),
        (80, "494 of 637 conversations · without: after:x — not a date · 120 more hidden: h"),
        (70, "494 of 637 conversations · without: after:x — no… · 120 more hidden: h"),
        (62, "494 of 637 conversations · 120 more hidden: h"),
    ],
)
def test_what_was_ignored_is_said_before_how_it_is_ordered(cells: int, said: str) -> None:
    hidden = {HiddenClass.SUBAGENT: 74, HiddenClass.CRON: 46}
    notes = ("without: after:x — not a date",)
    line = result_text.found("494", 637, 0.003, SearchOrder.NEWEST, notes, hidden)
    assert line.within(cells) == said


@given(st.integers(45, 140), st.lists(st.text(st.sampled_from("ab 会🦀:"), max_size=30), max_size=3))
def test_no_line_is_wider_than_its_room(cells: int, notes: list[str]) -> None:
    line = result_text.found("494", 637, 0.003, SearchOrder.NEWEST, notes, {HiddenClass.CRON: 46})
    assert safe_text.width(line.within(cells)) <= cells
    assert line.within(cells).startswith("494 of 637 conversations")
    assert line.within(cells).endswith(": h")
