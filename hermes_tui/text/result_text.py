"""The result line: what was searched, what was found, what is hidden; in one line that is never wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from hermes_tui.text import safe_text
from hermes_tui.text.figures import count, plural

if TYPE_CHECKING:
    from storage import HiddenClass, SearchOrder, Sort


ORDERS = {"last active": "last active first"}
"""Orders that are not said as "by …"."""
FOUND_ORDERS = {"newest first": "newest hit first"}
"""Orders of a search, where the list beside it shows the last activity and not the hit."""


COUNTED = 2_000
"""Conversations up to which those that match are counted exactly."""


_BETWEEN = " · "

_SHORTEST_NOTE = 16
"""Cells of what was ignored, or not searched, under which it says nothing."""


@dataclass(frozen=True, slots=True)
class ResultLine:
    """What was found, and what of it is said in little room."""

    head: str = ""
    seconds: str = ""
    order: str = ""
    notes: tuple[str, ...] = ()
    """What was ignored, or not searched."""
    hidden: str = ""
    hidden_briefly: str = ""

    def __str__(self) -> str:
        return _joined(self.head, self.seconds, self.order, *self.notes, self.hidden)

    def within(self, cells: int, ellipsis: str = "…") -> str:
        """As much as fits: how long it took goes first, then the order, then the names of what is hidden."""
        notes, briefly = self.notes, self.hidden_briefly
        ways = (
            str(self),
            _joined(self.head, self.order, *notes, self.hidden),
            _joined(self.head, *notes, self.hidden),
            _joined(self.head, *notes, briefly),
        )
        for line in ways:
            if safe_text.width(line) <= cells:
                return line
        room = cells - safe_text.width(_joined(self.head, briefly)) - len(_BETWEEN)
        cut = safe_text.cut(_joined(*notes), room, ellipsis) if room >= _SHORTEST_NOTE else ""
        return _joined(self.head, cut, briefly)


def listed(
    shown: int,
    total: int,
    sort: Sort,
    notes: Sequence[str] = (),
    hidden: Mapping[HiddenClass, int] = MappingProxyType({}),
) -> ResultLine:
    """The line under a list that is not searched: "868 conversations · last active first"."""
    head = plural(total, "conversation")
    if shown != total:
        head = f"{count(shown)} of {head}"
    return ResultLine(
        head,
        order=ORDERS.get(sort, f"by {sort}"),
        notes=tuple(notes),
        hidden=hidden_matches(hidden),
        hidden_briefly=hidden_matches_briefly(hidden),
    )


def found(
    matching: str,
    total: int,
    seconds: float,
    order: SearchOrder,
    notes: Sequence[str] = (),
    hidden: Mapping[HiddenClass, int] = MappingProxyType({}),
    *,
    exact: bool = True,
) -> ResultLine:
    """The line under a search: shown/total, milliseconds, the order, and what else there is to know.

    Args:
        matching: What `matching` says.
        hidden: How many match there, or at least so many: see `exact`.
    """
    return ResultLine(
        f"{matching} of {count(total)} conversations" if total else f"{matching} conversations",
        f"{max(1, round(seconds * 1000)):,} ms",
        FOUND_ORDERS.get(order, str(order)),
        tuple(notes),
        hidden_matches(hidden, exact=exact),
        hidden_matches_briefly(hidden, exact=exact),
    )


def matching(number: int, *, exact: bool) -> str:
    """How many conversations match: "412", "60+" where that is all that is known, never more than "2,000+"."""
    return count(number) if exact else f"{count(min(number, COUNTED))}+"


def _joined(*pieces: str) -> str:
    return _BETWEEN.join(filter(None, pieces))


def hidden_matches(hidden: Mapping[HiddenClass, int], *, exact: bool = True) -> str:
    """ "3 more in archived, 1+ more in cron: h"; empty when nothing hidden matches."""
    plus = "" if exact else "+"
    parts = [f"{count(number)}{plus} more in {name}" for name, number in hidden.items() if number]
    return f"{', '.join(parts)}: h" if parts else ""


def hidden_matches_briefly(hidden: Mapping[HiddenClass, int], *, exact: bool = True) -> str:
    """ "4 more hidden: h"; empty when nothing hidden matches."""
    number = sum(hidden.values())
    return f"{count(number)}{'' if exact else '+'} more hidden: h" if number else ""


def hidden_long(hidden: Mapping[HiddenClass, int], show: frozenset[HiddenClass]) -> str:
    """ "hidden 1,902 cron · 640 subagent"; empty when nothing is hidden."""
    parts = [f"{count(hidden[name])} {name}" for name in _by_size(hidden) if name not in show]
    return f"hidden {' · '.join(parts)}" if parts else ""


def hidden_short(hidden: Mapping[HiddenClass, int], show: frozenset[HiddenClass]) -> str:
    """ "hidden 2,556 (h)"; empty when nothing is hidden."""
    number = sum(n for name, n in hidden.items() if name not in show)
    return f"hidden {count(number)} (h)" if number else ""


def _by_size(hidden: Mapping[HiddenClass, int]) -> list[HiddenClass]:
    return sorted((name for name in hidden if hidden[name]), key=lambda name: -hidden[name])


def marked(number: int, elsewhere: int) -> str:
    """ "3 marked, 1 not in this list"; empty without marks."""
    if not number:
        return ""
    return f"{count(number)} marked" + (f", {count(elsewhere)} not in this list" if elsewhere else "")
