"""The designed states of the list: what stands there when there is nothing to list, and what leads on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hermes_tui.text.result_text import hidden_matches
from storage.errors import StoreError, StoreMissing

if TYPE_CHECKING:
    from storage import HiddenClass

Keys = tuple[tuple[str, str], ...]


class State(NamedTuple):
    """One page of `Notice`."""

    title: str
    body: tuple[str, ...] = ()
    keys: Keys = ()
    error: bool = False


def loading(store: str) -> State:
    """The store is being opened."""
    return State("Opening the store …", (store,))


def failed(error: StoreError, store: Path, shown: str, *, was_open: bool = False) -> State:
    """The store is missing or cannot be opened; `shown` is its path as people write it."""
    if isinstance(error, StoreMissing) and was_open:
        return State(
            "The store is gone",
            (
                f"{shown} was deleted or moved while it was open.",
                "As soon as it is there again, so is the list.",
            ),
            (("F5", "look again"), ("D", "open the demo"), ("Ctrl+Q", "quit")),
        )
    if isinstance(error, StoreMissing):
        return State(
            "No session store here",
            (
                f"Looked for {shown}. Nothing was created.",
                "Hermes makes it when you first talk to it; another place is named by",
                "--db PATH, --profile NAME or HERMES_HOME.",
            ),
            (("D", "open the demo"), ("F5", "look again"), ("Ctrl+Q", "quit")),
        )
    return State(
        "The store cannot be opened",
        (str(error).replace(str(store), shown), "Nothing was changed."),
        (("F5", "try again"), ("D", "open the demo"), ("Ctrl+Q", "quit")),
        error=True,
    )


def empty(store: str, hidden: Mapping[HiddenClass, int]) -> State:
    """The store is fine and holds nothing that is on show."""
    number = sum(hidden.values())
    if number:
        return State(
            "Nothing on show",
            (f"All {number:,} conversations here are of hidden classes.",),
            (("Tab h", "show hidden classes"), ("Ctrl+Q", "quit")),
        )
    return State(
        "No sessions yet",
        (f"{store} is there and empty.", "Talk to Hermes once, and the conversation appears here by itself."),
        (("Ctrl+Q", "quit"),),
    )


def no_match(words: str, hidden: Mapping[HiddenClass, int], notes: tuple[str, ...]) -> State:
    """The search found nothing that is on show."""
    body = [*notes]
    if more := hidden_matches(hidden):
        body.append(more.removesuffix(": h"))
    keys: Keys = (("Esc", "clear the search"),)
    if any(hidden.values()):
        keys = (("Tab h", "show hidden classes"), *keys)
    return State(f"No match for {words}", tuple(body), keys)
