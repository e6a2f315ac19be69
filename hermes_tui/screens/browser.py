"""The browser: search box, list, transcript, lineage. It carries messages between them and draws nothing itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from hermes_tui.screens import states
from hermes_tui.screens.acting_keys import ActingKeys
from hermes_tui.screens.hand_over import HandOver
from hermes_tui.screens.pane_order import PaneOrder
from hermes_tui.screens.panes import ANYWHERE, ListPane
from hermes_tui.screens.picture import Picture
from hermes_tui.screens.to_lineage import ToLineage
from hermes_tui.screens.type_ahead import TypeAhead
from hermes_tui.screens.way_out import WayOut
from hermes_tui.screens.what_works import works
from hermes_tui.services.answer import StoreAnswer, WriteAnswer
from hermes_tui.widgets.header_line import HeaderLine
from hermes_tui.widgets.key_line import QUIT, KeyLine
from hermes_tui.widgets.notice import Notice
from hermes_tui.widgets.search_box import SearchBox
from hermes_tui.widgets.session_list import SessionList

if TYPE_CHECKING:
    from hermes_tui.app import BrowserApp
    from hermes_tui.options import Options
    from hermes_tui.screens.actions.acting import Acting
    from hermes_tui.screens.answers import Answers
    from hermes_tui.screens.detail import Detail
    from hermes_tui.screens.finder import Finder
    from hermes_tui.services.store_worker import StoreWorker
    from hermes_tui.services.write_lane import WriteLane
    from hermes_tui.widgets.lineage_tree import LineageTree
    from storage import HiddenClass, SessionDB

POLL_SECONDS = 1.0
FOLLOW_SECONDS = 0.05
"""How long the cursor must rest on a row before its transcript is read."""


class BrowserScreen(ActingKeys, Screen[None]):
    """One store, open for browsing."""

    BINDINGS: ClassVar[list[BindingType]] = ANYWHERE

    app: BrowserApp
    header = getters.query_one("#header", HeaderLine)
    box = getters.query_one("#search", SearchBox)
    notice = getters.query_one("#notice", Notice)
    sessions = getters.query_one("#sessions", SessionList)
    keys = getters.query_one("#keys", KeyLine)

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-medium"), (100, "-roomy"), (150, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]
        self.options = options
        self.finder: Finder
        self.detail: Detail
        self.answers: Answers
        self.panes = PaneOrder(self)
        self.hand_over = HandOver(self)
        self.picture = Picture(self)
        self.to_lineage = ToLineage(self)
        self.way_out = WayOut(self)
        self._follow_timer: Timer | None = None
        self.type_ahead = TypeAhead(self)
        self.furnished = False
        self.opened = False
        self.version: int | None = None
        """The store's schema version, where it has one."""

    def _open_store(self) -> SessionDB:
        from storage import SessionDB

        return SessionDB(self.options.db_path, read_only=True, clock=self.options.clock)

    def _open_for_writing(self) -> SessionDB:
        from storage import SessionDB

        return SessionDB(self.options.db_path, migrate=False, clock=self.options.clock)

    def compose(self) -> ComposeResult:
        marks = self.app.marks
        yield HeaderLine(marks.sign, id="header")
        yield SearchBox(marks, id="search")
        with Container(id="body"), ListPane(id="list-pane"):
            yield SessionList(now=self.options.clock, marks=marks, id="sessions")
            yield Notice(id="notice")
        yield KeyLine(id="keys")

    def on_mount(self) -> None:
        self.header.store = self.app.display_path
        self.box.focus()
        self.call_after_refresh(self._furnish)
        # A store that opens at once must not flash a "loading" page first.
        self.set_timer(0.3, self._say_loading)

    def _furnish(self) -> None:
        """What needs the store comes behind the first frame: it is empty until then anyway."""
        from hermes_tui.screens.answers import Answers
        from hermes_tui.screens.detail import Detail
        from hermes_tui.screens.finder import Finder

        if not self.is_attached or self.app.return_code is not None:
            return
        self.detail = Detail(self.worker, self.app.marks, id="detail")
        self.query_one("#body", Container).mount(self.detail)
        self.finder = Finder(self.worker, self.options.source, self.options.limit)
        self.answers = Answers(self)
        self.furnished = True
        self.set_interval(POLL_SECONDS, self.worker.poll)
        self.finder.open()
        self.finder.typed(self.box.asked)

    @cached_property
    def worker(self) -> StoreWorker:
        """Reads the store."""
        from hermes_tui.services.store_worker import StoreWorker

        return StoreWorker(self, self._open_store)

    @cached_property
    def lane(self) -> WriteLane:
        """Writes to it."""
        from hermes_tui.services.write_lane import WriteLane

        return WriteLane(self, self._open_for_writing)

    @cached_property
    def acting(self) -> Acting:
        """All that acts on conversations; imported behind the first list."""
        from hermes_tui.screens.actions.acting import Acting

        return Acting(self, self.lane)

    @property
    def acting_so_far(self) -> Acting | None:
        """`acting`, unless nothing has needed it yet."""
        return self.acting if "acting" in vars(self) else None

    def on_unmount(self) -> None:
        self.worker.close()
        self.lane.close()

    @on(StoreAnswer)
    def _answered(self, answer: StoreWorker.Answer) -> None:
        self.answers.take(answer)

    @on(WriteAnswer)
    def _written(self, answer: WriteLane.Answer) -> None:
        self.acting.writing.take(answer)

    # --- the search box and the list

    @on(Input.Changed, "#search")
    def _typed(self) -> None:
        self.type_ahead.forget()
        words = self.box.value
        if (acting := self.acting_so_far) is not None:
            acting.marking.forget_waiting()
        # Who looks at a conversation, rather than typing for one, goes on looking at it.
        keep = not words.strip() and (self.sessions.cursor > 0 or not self.box.has_focus)
        if not self.furnished:
            return
        if self.finder.typed(self.box.asked):
            self.picture.draw_list(keep=None if keep else "")
            self.follow_soon()
        else:
            self.picture.draw_result_line()
        self.type_ahead.typed(keep=keep)

    @on(SearchBox.ValuesWanted)
    def _values_wanted(self, event: SearchBox.ValuesWanted) -> None:
        self.worker.values(event.key)

    @on(SearchBox.KeyTyped)
    def _key_typed(self, event: SearchBox.KeyTyped) -> None:
        self.worker.learn(event.key)

    @on(SearchBox.Stepped)
    def _stepped(self, event: SearchBox.Stepped) -> None:
        self.type_ahead.step(event.step)

    @on(SessionList.Wanted)
    def _rows_wanted(self, event: SessionList.Wanted) -> None:
        hits = [hit for entry in event.excerpts if (hit := self.finder.hit(entry)) is not None]
        self.worker.rows(event.details, self.finder.query, hits)

    @on(SessionList.NearEnd)
    def _near_end(self) -> None:
        self.finder.more()

    @on(SessionList.Chosen)
    @on(SearchBox.Entered)
    def _chosen(self) -> None:
        self.action_resume()

    @on(SessionList.Ticked)
    def _ticked(self, event: SessionList.Ticked) -> None:
        self.acting.marking.toggle(event.entry)

    @on(SessionList.Moved)
    def follow_soon(self) -> None:
        """Show what is under the cursor once it rests there."""
        if self._follow_timer is not None:
            self._follow_timer.stop()
        self._follow_timer = self.set_timer(FOLLOW_SECONDS, self.follow)

    def follow(self) -> None:
        """Show the conversation under the cursor in the transcript and the lineage."""
        if self._follow_timer is not None:
            self._follow_timer.stop()
            self._follow_timer = None
        entry = self.sessions.cursor_entry
        hit = self.finder.hit(entry) if entry is not None else None
        query = self.finder.query if self.finder.searching else None
        self.detail.follow(entry, query, hit.messages[0] if hit is not None and hit.messages else None)
        self.detail.describe(self.sessions.current_row())

    # These are found by their names: their widget is not imported yet when this class is made.

    def on_lineage_tree_shown(self, event: LineageTree.Shown) -> None:
        if self.panes.small:
            self.panes.go("transcript")

    def on_lineage_tree_back(self) -> None:
        self.action_leave_pane()

    def on_lineage_tree_moved(self) -> None:
        self.draw_note()

    # --- drawing

    def draw_note(self) -> None:
        """What stands at the right of the footer: what is going on, what Hermes would do here, or the count that has no
        other place."""
        node = self.hand_over.relative
        if (acting := self.acting_so_far) is not None and acting.note:
            self.keys.note = acting.note
        elif node is not None and self.detail.relatives.is_inner(node):
            self.keys.note = "Hermes continues the live tip"
        else:
            self.keys.note = self.picture.brief() if self.has_class("-short") and self.furnished else ""

    def on_screen_suspend(self) -> None:
        self.keys.refresh()

    def on_screen_resume(self) -> None:
        self.keys.refresh()

    def on_descendant_focus(self) -> None:
        self.draw_note()

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        """The pane that had the focus is gone: the list takes it."""
        if self.focused is None and self.opened and self.is_current and self.app.app_focus:
            self.panes.go("sessions")

    def _say_loading(self) -> None:
        if not self.opened and not self.has_class("-notice"):
            self.picture.say(states.loading(self.app.display_path))

    # --- what the keys do

    def action_escape(self) -> None:
        """Clear the search, else leave the pane, else ask once and quit."""
        self.way_out.escape()

    def remember(self) -> Callable[[], None]:
        """How things stand before an Esc that may turn out to be half an arrow key."""
        return self.way_out.remember()

    def action_leave_pane(self) -> None:
        """From transcript and lineage to the list, from the list to the search box."""
        self.panes.go("search" if self.panes.focused in ("sessions", "search") else "sessions")

    def action_next_pane(self, by: int) -> None:
        self.panes.step(by)

    def action_search(self) -> None:
        self.panes.go("search")

    def action_lineage(self) -> None:
        """Go to the family tree, where there is one to see."""
        self.to_lineage.go()

    def action_help(self) -> None:
        from hermes_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.focused, self.app.marks))

    def action_refresh(self) -> None:
        """Read the store again; after a failure, open it again."""
        if not self.opened:
            if self.furnished:
                self.picture.say(states.loading(self.app.display_path))
                self.finder.open()
            return
        self.finder.refresh()
        self.sessions.outdate()
        self.detail.reading.changed()

    def action_demo(self) -> None:
        """Open the demo in place of a store that is not there."""
        self.app.open_demo()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what has something to act on is offered."""
        return works(self, action) if self.is_mounted else True

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """Esc is called by what it does next."""
        bindings = super().active_bindings
        if self.is_mounted and self.way_out.next_quits:
            for key, active in bindings.items():
                if active.binding.action == "escape":
                    bindings[key] = active._replace(binding=replace(active.binding, description=QUIT))
        return bindings

    def of_the_list(self) -> Iterator[Binding]:
        """The keys of the list that have something to act on, wherever the focus is."""
        for binding in Binding.make_bindings(ListPane.BINDINGS):
            name, parameters = parse(binding.action)[1:]
            if self.check_action(name, parameters):
                yield binding

    async def as_in_the_list(self, act: Callable[[], Awaitable[object]]) -> None:
        """Act on the conversation in the list, and not on the part that is looked at."""
        if self.focused is not self.box:
            self.panes.go("sessions")
        await act()

    def action_sort(self) -> None:
        """The next order of the list; of a search, the other one."""
        self.finder.next_order()

    def action_hidden(self) -> None:
        """Choose which hidden classes are on show."""
        from hermes_tui.screens.hidden_menu import HiddenMenu

        listing = self.finder.listing
        counts = listing.hidden if listing is not None else {}
        self.app.push_screen(HiddenMenu(counts, self.finder.show, self.app.marks), self._hidden_chosen)

    def _hidden_chosen(self, show: frozenset[HiddenClass] | None) -> None:
        if show is not None:
            self.finder.toggled(show)

    def action_resume(self) -> None:
        """Leave with the conversation under the cursor, unless Hermes could not resume it."""
        self.type_ahead.enter()

    def leave(self) -> None:
        """Do so now."""
        if (entry := self.sessions.cursor_entry) is not None:
            self.hand_over.leave_with(entry.id)

    def action_resume_and_return(self) -> None:
        """Run Hermes on what is pointed at, and come back to the list as it is."""
        if (session_id := self.hand_over.pointed_at) is not None and self.hand_over.and_return(session_id):
            self.action_refresh()

    def action_copy_command(self) -> None:
        """Copy the shell command that resumes it."""
        if (session_id := self.hand_over.pointed_at) is not None:
            self.hand_over.copy_command(session_id)

    def action_copy_id(self) -> None:
        """Copy the session id."""
        if (session_id := self.hand_over.pointed_at) is not None:
            self.hand_over.copy_id(session_id)

    def action_copy_message(self) -> None:
        """Copy the message that the transcript is at."""
        self.hand_over.copy_message(self.detail.transcript.current_text())
