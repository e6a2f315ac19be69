"""A list to choose from."""

from __future__ import annotations

from textual.widgets import OptionList


class Choices(OptionList):
    """Can be told to turn a page before it is laid out: Textual 8.2 fails at that."""

    def action_page_down(self) -> None:
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]
