"""A conversation as a recap: the last exchanges, the matches in them, and the rest when it is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message as PostedMessage

from hermes_tui.text.block_lines import LaidOut, lay_out
from hermes_tui.text.blocks import Block, Kind, Shown, arrange
from hermes_tui.text.marks import UNICODE, Marks
from hermes_tui.text.matches import copied
from hermes_tui.widgets.block_view import Anchor, BlockView
from hermes_tui.widgets.match_walk import MatchWalk
from hermes_tui.widgets.transcript_layout import TranscriptLayout
from storage.readings import Message, Transcript

if TYPE_CHECKING:
    from textual.timer import Timer

    from storage.finding.query import SessionQuery

FIRST_LOOK = 0.02
"""Seconds that looking for matches may keep a new transcript from the screen."""
NEXT_LOOK = 0.008
"""Seconds of looking between two keys."""
PAUSE = 0.001
"""Seconds between two looks, in which everything else has its turn."""


class TranscriptView(BlockView, can_focus=True):
    """The transcript pane: long messages cut, tools and reasoning hidden, earlier exchanges folded to one line."""

    HELP: ClassVar[str] = (
        "The conversation as a recap, long messages cut. What the tools gave back, reasoning, system messages and "
        "summaries are hidden until asked for."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("J", "next_prompt", id="transcript.next_prompt", show=False, tooltip="Your next prompt"),
        Binding("K", "previous_prompt", id="transcript.previous_prompt", show=False, tooltip="Your prompt before"),
        Binding("n", "next_match", "next match", id="transcript.next_match", tooltip="The next match"),
        Binding("N", "previous_match", id="transcript.previous_match", show=False, tooltip="The match before"),
        Binding("T", "toggle_tools", "tools", id="transcript.tools", tooltip="Show or hide what the tools gave back"),
        Binding(
            "I", "toggle_inner", "reasoning", id="transcript.reasoning",
            tooltip="Show or hide reasoning, system messages and summaries",
        ),
        Binding(
            "enter", "open", "whole", id="transcript.open",
            tooltip="Show long messages whole, or cut; on their line, the earlier messages",
        ),
    ]  # fmt: skip

    @dataclass
    class EarlierWanted(PostedMessage):
        """The reader asks for the messages before the first one here: to be answered by `show` with all of them."""

    @dataclass
    class MatchesPassed(PostedMessage):
        """The reader went past the last match, or before the first one: to the conversation after it, or before."""

        forward: bool

    @dataclass
    class MatchMoved(PostedMessage):
        """Another match is the current one, or more were found. 0 of 0 where there are none."""

        number: int
        total: int

        def can_replace(self, message: PostedMessage) -> bool:
            return isinstance(message, TranscriptView.MatchMoved)

    def __init__(self, marks: Marks = UNICODE, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(marks, id=id, classes=classes)
        self._transcript = Transcript((), ())
        self._searched: SessionQuery | None = None
        self._at: int | None = None
        self._live: str | None = None
        self._shown = Shown()
        self._walk = MatchWalk((), None)
        self._looking: Timer | None = None
        self._waiting: Callable[[], object] | None = None
        """What is to be done when the earlier messages have come."""
        self._entering: bool | None = None
        """The next conversation is walked into by its first match (True) or its last one."""

    # What is shown

    def show(
        self,
        transcript: Transcript,
        query: SessionQuery | None = None,
        *,
        at: int | None = None,
        title: str | None = None,
        live: str | None = None,
    ) -> None:
        """Show a conversation, or more of the one that is shown: then what is on the screen stays there.

        Args:
            query: What to mark. Another search than before moves to its match.
            at: Id of the message to open at, when it is another one than before. Without it: the newest match, else
                the end.
            title: For the border, unsafe as it may be.
            live: The session that Hermes would continue.
        """
        anchor = self.hold() if transcript.parts[:1] == self._transcript.parts[:1] else None
        here = anchor is not None and any(message.id == anchor[0] for message in transcript.messages)
        another = query is not None and query.is_search and query != self._searched
        stays = here and not another and (at is None or at == self._at)
        at_end, waiting = self.at_end, self._waiting
        self._transcript, self._searched, self._at, self._live = transcript, query, at, live
        self.notice, self._waiting = "", None
        if title is not None:
            self.border_title = title
        self._walk = MatchWalk(transcript.messages, query, at)
        self._walk.look(time.perf_counter, FIRST_LOOK)
        self._shown = replace(self._shown, unfolded=here and self._shown.unfolded, matching=self._unfolded())
        if stays and anchor is not None:
            self.rearrange(anchor)
            self._spare(anchor)
            if waiting is not None:
                waiting()
            elif at_end:
                self.action_last()
        else:
            self.match = (self._walk.first_of(at) if at is not None else None) or self._walk.newest()
            self._enter()
            self.rearrange(None)
            self.open_blocks()
        self._report()
        if not self._walk.finished:
            self._look_on_soon()

    def enter(self, *, forward: bool) -> None:
        """Open the conversation that comes next at its first match, or at its last one."""
        self._entering = forward

    def wrap(self, *, forward: bool) -> None:
        """Go on at the other end of this conversation: there is no next one."""
        self.match = self._walk.step(self.match, forward)
        self._to_match()
        self._report()

    def wait(self) -> None:
        """Say that a transcript is on its way."""
        self.message(f"Reading {self.marks.ellipsis}")

    def message(self, text: str) -> None:
        """Show one sentence and no transcript."""
        self._transcript, self._walk, self._waiting, self.match = (
            Transcript((), ()),
            MatchWalk((), None),
            None,
            None,
        )
        self._shown = replace(self._shown, unfolded=False, matching=frozenset())
        self._entering = None
        self.rearrange(None)
        self.notice = text

    def match_position(self) -> tuple[int, int]:
        """Number of the current match, from 1, and how many there are; (0, 0) for none."""
        return self._walk.number(self.match), self._walk.total

    @property
    def matching_messages(self) -> int:
        """How many messages the matches are in: what the list counts as hits."""
        return len(self._walk.places)

    def current_message(self) -> Message | None:
        """The message that is meant: of the current match, if that is seen, else the first that begins here."""
        return self.blocks.meant(self.scroll_offset.y, max(self.rows, 1), self.match)

    def current_text(self) -> str:
        """What there is to copy of that message."""
        message = self.current_message()
        return "" if message is None else copied(message, self._searched)

    def arrange_blocks(self) -> TranscriptLayout:
        blocks = arrange(self._transcript, self._shown, self._live)
        return TranscriptLayout(blocks, self._transcript.messages, self.text_width, self._lay_out)

    def _lay_out(self, block: Block, message: Message | None) -> LaidOut:
        return lay_out(block, message, self._searched, self.text_width, self.marks)

    def open_blocks(self) -> None:
        """Go to the match, else to the message that was asked for, else to the end."""
        place = None if self._at is None else self._walk.place(self._at)
        if self.match is not None:
            self._to_match()
        elif place is not None:
            self._bring_message(place, None)
        else:
            self.action_last()

    # Earlier messages

    @property
    def _folded(self) -> bool:
        """The first line stands for earlier messages."""
        return bool(self.blocks.blocks) and self.blocks.blocks[0].kind is Kind.EARLIER

    def action_line_up(self) -> None:
        self._upwards(super().action_line_up)

    def action_page_up(self) -> None:
        self._upwards(super().action_page_up)

    def action_first(self) -> None:
        if self._folded:
            self._unfold(super().action_first)
        else:
            super().action_first()

    def action_open(self) -> None:
        """The earlier messages, where their line is on top; else long messages whole, or cut again."""
        if self._folded and self.scroll_offset.y == 0:
            self.action_earlier()
        else:
            self._show_what(replace(self._shown, whole=not self._shown.whole))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Matches are walked only where there are any."""
        return self._walk.total > 0 if action in ("next_match", "previous_match") else True

    def action_earlier(self) -> None:
        self._upwards(lambda: None)

    def on_click(self, event: events.Click) -> None:
        if event.get_content_offset_capture(self).y == 0:
            self.action_earlier()

    def _upwards(self, move: Callable[[], object]) -> None:
        """Move up; where earlier messages are in the way, after they are there."""
        if self.scroll_offset.y == 0 and self._folded:
            self._unfold(move)
        else:
            move()

    def _unfold(self, then: Callable[[], object]) -> None:
        """Show the earlier messages that are here; ask for those that are not."""
        if not self._shown.unfolded:
            self._show_what(replace(self._shown, unfolded=True))
        if not self._transcript.earlier:
            then()
        elif self._waiting is None:
            self._waiting = then
            self.post_message(self.EarlierWanted())

    def _spare(self, anchor: Anchor) -> None:
        """Unfold when messages that came at the end would fold the one that is being read."""
        place, blocks = self._walk.place(anchor[0]), self.blocks.blocks
        if place is not None and blocks and place < blocks[0].place:
            self._shown = replace(self._shown, unfolded=True)
            self.rearrange(anchor)

    # Prompts, tools, reasoning

    def action_next_prompt(self) -> None:
        self._to_prompt(forward=True)

    def action_previous_prompt(self) -> None:
        if not self._to_prompt(forward=False) and self._folded:
            self._unfold(lambda: self._to_prompt(forward=False))

    def _to_prompt(self, *, forward: bool) -> bool:
        """Put the next prompt, or the one before, at the top. Returns False where there is none."""
        top = self.scroll_offset.y
        prompts = (index for index, block in enumerate(self.blocks.blocks) if block.kind is Kind.USER)
        lines = [self.blocks.offset(index) + self.blocks.blocks[index].gap for index in prompts]
        ahead = [line for line in lines if (line > top if forward else line < top)]
        if ahead:
            self.jump(min(ahead) if forward else max(ahead))
        return bool(ahead)

    def action_toggle_tools(self) -> None:
        self._show_what(replace(self._shown, tools=not self._shown.tools))

    def action_toggle_inner(self) -> None:
        self._show_what(replace(self._shown, inner=not self._shown.inner))

    def _show_what(self, shown: Shown) -> None:
        self._shown = shown
        self.rearrange(self.hold())

    # Matches

    def action_next_match(self) -> None:
        self._step(forward=True)

    def action_previous_match(self) -> None:
        if self._walk.number(self.match) == 1 and self._transcript.earlier:
            self._unfold(lambda: self._step(forward=False))
        else:
            self._step(forward=False)

    def _enter(self) -> None:
        """Take the first or the last match, where it was walked in; once all of them are known."""
        if self._entering is not None and self._walk.finished:
            self.match = self._walk.step(None, self._entering)
            self._entering = None

    def _step(self, *, forward: bool) -> None:
        if self._entering is not None:
            return  # the next conversation is not here yet
        end = self._walk.total if forward else min(1, self._walk.total)
        if self._walk.finished and self._searched is not None and self._walk.number(self.match) == end:
            self.post_message(self.MatchesPassed(forward))
            return
        if self.match is not None:
            self.match = self._walk.step(self.match, forward)
        elif self.blocks.blocks:
            index, _ = self.first_shown()
            self.match = self._walk.from_place(self.blocks.blocks[index].place)
        self._to_match()
        self._report()

    def _to_match(self) -> None:
        place = None if self.match is None else self._walk.place(self.match[0])
        if self.match is not None and place is not None:
            self._bring_message(place, self.match[1])
            self.strips.clear()
            self.refresh()

    def _bring_message(self, place: int, match: int | None) -> None:
        blocks = self.blocks.blocks
        if blocks and place < blocks[0].place:
            self._show_what(replace(self._shown, unfolded=True))
        index = self.blocks.block_of(place)
        if index is not None:
            lines = self.blocks.laid_out(index).match_lines
            self.bring(index, 0 if match is None else lines.get(match, 0))

    def _unfolded(self) -> frozenset[int]:
        """Places of messages that are shown whatever else is: with a match, or asked for by their id."""
        place = None if self._at is None else self._walk.place(self._at)
        return self._walk.places | (frozenset() if place is None else {place})

    def _look_on_soon(self) -> None:
        # A callback would be taken from the queue at once, again and again, and no key would ever come in between.
        if self._looking is not None:
            self._looking.stop()
        self._looking = self.set_timer(PAUSE, self._look_on)

    def _look_on(self) -> None:
        self._walk.look(time.perf_counter, NEXT_LOOK)
        if not self._walk.finished:
            self._look_on_soon()
            return
        if self._unfolded() != self._shown.matching:
            self._show_what(replace(self._shown, matching=self._unfolded()))
        if self._entering is not None:
            self._enter()
            self._to_match()
        elif self.match is None and self.at_end:
            self.match = self._walk.newest()
            self._to_match()
        self._report()

    def _report(self) -> None:
        self.post_message(self.MatchMoved(*self.match_position()))
