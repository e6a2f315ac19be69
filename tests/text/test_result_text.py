"""The result line: lower bounds look like it, and nothing is said twice."""

from __future__ import annotations

import pytest

from hermes_tui.text import result_text
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
        result_text.found("412", 868, 0.0114, SearchOrder.NEWEST)
        == "412 of 868 conversations · 11 ms · newest hit first"
    )
    assert (
        result_text.found("60+", 0, 0.0, SearchOrder.NEWEST, ("not searched: x",), "3+ more in archived: h")
        == "60+ conversations · 1 ms · newest hit first · not searched: x · 3+ more in archived: h"
    )
