"""An arrow key that arrives in pieces over a slow line is an arrow."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key

from hermes_tui.services.broken_arrows import WITHIN_SECONDS, ArrowMender


class Screen:
    """Counts what was brought back."""

    def __init__(self) -> None:
        self.brought_back = 0

    def remember(self) -> Callable[[], None]:
        def bring_back() -> None:
            self.brought_back += 1

        return bring_back


def press(mender: ArrowMender, screen: Screen | None, key: str, at: float) -> list[str]:
    character = {"left_square_bracket": "[", "escape": "\x1b"}.get(key, key)
    event = Key(key, character)
    event.time = at
    return [each.key for each in mender.mend(event, screen)]


def test_escape_then_bracket_letter_is_an_arrow_and_undoes_the_escape() -> None:
    mender, screen = ArrowMender(), Screen()
    assert press(mender, screen, "escape", 0.0) == ["escape"]
    assert press(mender, screen, "left_square_bracket", 0.1) == []
    assert press(mender, screen, "B", 0.2) == ["down"]
    assert screen.brought_back == 1


def test_every_letter_has_its_arrow() -> None:
    for letter, arrow in {"A": "up", "B": "down", "C": "right", "D": "left"}.items():
        mender, screen = ArrowMender(), Screen()
        press(mender, screen, "escape", 0.0)
        press(mender, screen, "left_square_bracket", 0.0)
        assert press(mender, screen, letter, 0.0) == [arrow]


def test_too_late_is_text() -> None:
    mender, screen = ArrowMender(), Screen()
    press(mender, screen, "escape", 0.0)
    assert press(mender, screen, "left_square_bracket", WITHIN_SECONDS + 0.01) == ["left_square_bracket"]
    assert screen.brought_back == 0


def test_a_bracket_before_another_letter_is_text() -> None:
    mender, screen = ArrowMender(), Screen()
    press(mender, screen, "escape", 0.0)
    assert press(mender, screen, "left_square_bracket", 0.1) == []
    assert press(mender, screen, "x", 0.2) == ["left_square_bracket", "x"]
    assert screen.brought_back == 0


def test_a_bracket_before_nothing_is_released() -> None:
    mender, screen = ArrowMender(), Screen()
    press(mender, screen, "escape", 0.0)
    press(mender, screen, "left_square_bracket", 0.1)
    assert [key.key for key in mender.release()] == ["left_square_bracket"]
    assert mender.release() == []


def test_escape_alone_is_an_escape_and_what_follows_is_itself() -> None:
    mender, screen = ArrowMender(), Screen()
    assert press(mender, screen, "escape", 0.0) == ["escape"]
    assert press(mender, screen, "a", 0.1) == ["a"]
    assert press(mender, screen, "left_square_bracket", 0.2) == ["left_square_bracket"]


def test_no_arrow_is_made_over_a_modal_screen() -> None:
    mender = ArrowMender()
    press(mender, None, "escape", 0.0)
    assert press(mender, None, "left_square_bracket", 0.1) == ["left_square_bracket"]
