"""The browser: search box, list, transcript, lineage. It carries messages between them and draws nothing itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from hermes_tui.screens import states
from hermes_tui.screens.finder import Finder
from hermes_tui.screens.pane_order import PaneOrder
from hermes_tui.screens.panes import LineagePane, ListPane, ReadingPane
from hermes_tui.screens.reading import Reading, is_inner
from hermes_tui.services.resume import CannotResume, Choice, ResumeCommand
from hermes_tui.services.store_worker import StoreWorker
from hermes_tui.text import figures, result_text, safe_text
from hermes_tui.widgets.header_line import HeaderLine
from hermes_tui.widgets.key_line import KeyLine
from hermes_tui.widgets.lineage_tree import LineageTree
from hermes_tui.widgets.notice import Notice
from hermes_tui.widgets.search_box import SearchBox
from hermes_tui.widgets.session_list import SessionList
from hermes_tui.widgets.transcript import TranscriptView
from storage import LineageNode, SessionDB, Sort

if TYPE_CHECKING:
    from hermes_tui.app import BrowserApp
    from hermes_tui.options import Options

QUIT_AGAIN_SECONDS = 1.0
POLL_SECONDS = 1.0
FOLLOW_SECONDS = 0.05
"""How long the cursor must rest on a row before its transcript is read."""


class BrowserScreen(Screen[None]):
    """One store, open for browsing."""

    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [
        (0, "-narrow"),
        (70, "-medium"),
        (100, "-roomy"),
        (150, "-wide"),
    ]
    VERTICAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [(0, "-short"), (16, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "escape", "clear / back", show=False, id="browser.escape", tooltip="Clear, leave, quit"),
        Binding("tab", "next_pane(1)", "pane", show=False, id="browser.next_pane", tooltip="Next pane"),
        Binding("shift+tab", "next_pane(-1)", "pane", show=False, id="browser.previous_pane", tooltip="Last pane"),
        Binding("f1", "help", "help", id="browser.help", tooltip="The keys of this pane"),
        Binding("f5", "refresh", "refresh", show=False, id="browser.refresh", tooltip="Read the store again"),
        Binding("D", "demo", "demo", show=False, id="browser.demo", tooltip="Open the demo store"),
    ]

    app: BrowserApp
    header = getters.query_one("#header", HeaderLine)
    box = getters.query_one("#search", SearchBox)
    notice = getters.query_one("#notice", Notice)
    sessions = getters.query_one("#sessions", SessionList)
    transcript = getters.query_one("#transcript", TranscriptView)
    tree = getters.query_one("#lineage", LineageTree)
    keys = getters.query_one("#keys", KeyLine)

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options = options
        self.worker = StoreWorker(self, self._open_store)
        self.finder = Finder(self.worker, options.source, options.limit)
        self.reading = Reading(self.worker)
        self.panes = PaneOrder(self)
        self._quit_timer: Timer | None = None
        self._follow_timer: Timer | None = None
        self._resume_when_found = False
        self._opened = False

    def _open_store(self) -> SessionDB:
        return SessionDB(self.options.db_path, read_only=True, clock=self.options.clock)

    def compose(self) -> ComposeResult:
        marks = self.app.marks
        yield HeaderLine(marks.sign, id="header")
        yield SearchBox(id="search")
        with Container(id="body"):
            with ListPane(id="list-pane"):
                yield SessionList(self.options.clock, marks, id="sessions")
                yield Notice(id="notice")
            with Container(id="detail"):
                with ReadingPane(id="reading-pane"):
                    yield TranscriptView(marks, id="transcript")
                with LineagePane(id="lineage-pane"):
                    yield LineageTree(marks, id="lineage")
        yield KeyLine(id="keys")

    def on_mount(self) -> None:
        self.header.store = self.app.display_path
        self.box.focus()
        self.finder.open()
        # A store that opens at once must not flash a "loading" page first.
        self.set_timer(0.3, self._say_loading)
        self.set_interval(POLL_SECONDS, self.worker.poll)

    def on_unmount(self) -> None:
        self.worker.close()

    # --- answers of the store

    @on(StoreWorker.Opened)
    def _store_opened(self, answer: StoreWorker.Opened) -> None:
        self._opened = True
        if answer.info.notes:
            self.app.say("\n".join(answer.info.notes), severity="warning", timeout=12)
        self.finder.ask_again()

    @on(StoreWorker.Listed)
    def _store_listed(self, answer: StoreWorker.Listed) -> None:
        changed = self.finder.listed(answer)
        self._draw_header()
        if changed:
            self._draw_list(keep=True)
        elif self.finder.result is not None:
            self._draw_result_line()

    @on(StoreWorker.Found)
    def _store_found(self, answer: StoreWorker.Found) -> None:
        going_on = self.finder.result is not None
        if not self.finder.found(answer):
            return
        self._draw_list(keep=going_on)
        if self._resume_when_found:
            self._resume_when_found = False
            self.action_resume()

    @on(StoreWorker.Rows)
    def _store_rows(self, answer: StoreWorker.Rows) -> None:
        self.sessions.put_excerpts(answer.excerpts)
        self.sessions.put(answer.rows)
        self._draw_reading_title()

    @on(StoreWorker.Read)
    def _store_read(self, answer: StoreWorker.Read) -> None:
        if not self.worker.is_current("read", answer.serial):
            return
        if (shown := self.reading.read(answer)) is not None:
            self.transcript.show(shown, self.reading.query, at=self.reading.at, live=answer.entry.id)
            self._draw_reading_title()

    @on(StoreWorker.Family)
    def _store_family(self, answer: StoreWorker.Family) -> None:
        if self.worker.is_current("family", answer.serial):
            self.tree.show(answer.lineage, at=self.reading.part)
            self.set_class(len(answer.lineage.nodes) > 1, "-relatives")

    @on(StoreWorker.Changed)
    def _store_changed(self, answer: StoreWorker.Changed) -> None:
        changes = answer.changes
        if not changes.session_ids and not changes.reordered:
            return
        self.finder.refresh(fresh=changes.reordered)
        touched = frozenset(changes.session_ids)
        shown = self.sessions.visible_entries()
        stale = shown if changes.reordered else [e for e in shown if not touched.isdisjoint(e.parts)]
        if stale:
            self.worker.rows(stale, None, (), lane="changed rows")
        if self.reading.entry is not None and not touched.isdisjoint(self.reading.entry.parts):
            self.reading.again()

    @on(StoreWorker.Failed)
    def _store_failed(self, answer: StoreWorker.Failed) -> None:
        if not self._opened:
            self._say(states.failed(answer.error, self.options.db_path))
            return
        if answer.lane == "read":
            self.transcript.message(safe_text.line(str(answer.error)))
        elif answer.lane != "live":
            self.app.say(str(answer.error), severity="error")

    # --- the search box and the list

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self._resume_when_found = False
        keep = not event.value.strip() and self.sessions.cursor > 0
        if self.finder.typed(event.value):
            self._draw_list(keep=keep)

    @on(SearchBox.Stepped)
    def _stepped(self, event: SearchBox.Stepped) -> None:
        {
            "up": self.sessions.cursor_up,
            "down": self.sessions.cursor_down,
            "page_up": self.sessions.page_up,
            "page_down": self.sessions.page_down,
        }[event.step]()

    @on(SessionList.Wanted)
    def _rows_wanted(self, event: SessionList.Wanted) -> None:
        hits = [hit for entry in event.entries if (hit := self.finder.hit(entry)) is not None]
        self.worker.rows(event.entries, self.finder.query if hits else None, hits)

    @on(SessionList.NearEnd)
    def _near_end(self) -> None:
        self.finder.more()

    @on(SessionList.Chosen)
    def _chosen(self) -> None:
        self.action_resume()

    @on(SessionList.Moved)
    def _moved(self, event: SessionList.Moved) -> None:
        if self._follow_timer is not None:
            self._follow_timer.stop()
        self._follow_timer = self.set_timer(FOLLOW_SECONDS, self._follow)

    def _follow(self) -> None:
        """Show the conversation under the cursor in the transcript and the lineage."""
        entry = self.sessions.cursor_entry
        if entry is None:
            self.reading.nothing()
            self.transcript.message("")
            self.tree.show(None)
            self.remove_class("-relatives")
            return
        hit = self.finder.hit(entry)
        query = self.finder.query if self.finder.searching else None
        self.reading.follow(entry, query, hit.messages[0] if hit is not None and hit.messages else None)

    @on(TranscriptView.EarlierWanted)
    def _earlier_wanted(self) -> None:
        self.reading.whole()

    @on(TranscriptView.MatchMoved)
    def _match_moved(self, event: TranscriptView.MatchMoved) -> None:
        self._draw_reading_title()

    @on(LineageTree.Shown)
    def _part_shown(self, event: LineageTree.Shown) -> None:
        self.reading.show_part(event.node)
        self.tree.mark_shown(event.node.id)
        if self.panes.small:
            self.panes.go("transcript")

    @on(LineageTree.Back)
    def _part_back(self) -> None:
        if self.reading.back():
            self.tree.mark_shown(self.reading.part)
        else:
            self.action_leave_pane()

    @on(LineageTree.Moved)
    def _relative_moved(self) -> None:
        self._draw_note()

    # --- drawing

    def _draw_list(self, *, keep: bool) -> None:
        finder = self.finder
        before = self.sessions.cursor_entry
        self.sessions.set_hits(finder.hit_labels(), searching=finder.searching)
        self.sessions.show(finder.entries, keep=before.id if keep and before is not None else None)
        self._draw_result_line()
        if finder.entries or finder.pending:
            self.remove_class("-notice")
        elif finder.searching and finder.result is not None:
            self._say(states.no_match(self.box.value.strip(), finder.result.hidden, finder.result.notes))
        else:
            hidden = finder.listing.hidden if finder.listing is not None else {}
            self._say(states.empty(self.app.display_path, hidden))
        if not finder.entries:
            self._follow()

    def _draw_result_line(self) -> None:
        finder = self.finder
        if finder.searching and finder.result is not None:
            self.box.say(result_text.found(finder.result, finder.total, finder.seconds))
        elif not finder.searching and finder.listing is not None and finder.listing.complete:
            self.box.say(result_text.listed(len(finder.entries), finder.total, finder.sort))

    def _draw_header(self) -> None:
        listing = self.finder.listing
        if listing is None or not listing.complete:
            return
        self.header.number = f"{figures.count(listing.total)} conversations"
        self.header.hidden_long = result_text.hidden_long(listing.hidden, self.finder.show)
        self.header.hidden_short = result_text.hidden_short(listing.hidden, self.finder.show)

    def _draw_reading_title(self) -> None:
        self.transcript.border_title = self.reading.title(self.sessions.current_row(), self.transcript.match_position())

    def _draw_note(self) -> None:
        node = self._pointed_at
        inner = node is not None and is_inner(self.tree.lineage, node)
        self.keys.note = "Hermes continues the live tip" if inner else ""

    def _say(self, state: states.State) -> None:
        self.notice.say(state.title, *state.body, keys=state.keys, error=state.error)
        self.add_class("-notice")

    def _say_loading(self) -> None:
        if not self._opened and not self.has_class("-notice"):
            self._say(states.loading(self.app.display_path))

    # --- what the keys do

    @property
    def _pointed_at(self) -> LineageNode | None:
        """The relative that R and y are about: the one under the tree's cursor while the tree has the focus."""
        return self.tree.node if self.tree.has_focus else None

    def action_escape(self) -> None:
        """Clear the search, else leave the pane, else ask once and quit."""
        if self.box.value and not self.panes.full:
            self.box.value = ""
        elif self.panes.full or not self.box.has_focus:
            self.action_leave_pane()
        elif self._quit_timer is not None:
            self.app.exit(None)
        else:
            self.keys.note = "Esc again to quit"
            self._quit_timer = self.set_timer(QUIT_AGAIN_SECONDS, self._forget_quit)

    def _forget_quit(self) -> None:
        if self._quit_timer is not None:
            self._quit_timer.stop()
        self._quit_timer = None
        self._draw_note()

    def remember(self) -> Callable[[], None]:
        """How things stand before an Esc that may turn out to be half an arrow key."""
        words, pane = self.box.value, self.panes.focused

        def bring_back() -> None:
            self._forget_quit()
            self.box.value = words
            if pane is not None:
                self.panes.go(pane)

        return bring_back

    def action_leave_pane(self) -> None:
        """From transcript and lineage to the list, from the list to the search box."""
        self.panes.go("search" if self.panes.focused in ("sessions", "search") else "sessions")

    def action_next_pane(self, by: int) -> None:
        self.panes.step(by)

    def action_search(self) -> None:
        self.panes.go("search")

    def action_lineage(self) -> None:
        """Go to the family tree, where there is one to see."""
        if self.has_class("-relatives"):
            self.panes.go("lineage")
        else:
            self.app.say("This conversation has no relatives.")

    def action_help(self) -> None:
        from hermes_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.focused, self.app.marks))

    def action_refresh(self) -> None:
        """Read the store again; after a failure, open it again."""
        if not self._opened:
            self._say(states.loading(self.app.display_path))
            self.finder.open()
            return
        self.finder.refresh(fresh=True)
        if shown := self.sessions.visible_entries():
            self.worker.rows(shown, None, (), lane="changed rows")
        self.reading.again()

    def action_demo(self) -> None:
        if not self._opened:
            self.app.open_demo()

    def action_sort(self) -> None:
        """The next order of the list."""
        if self.finder.searching:
            self.app.say("A search shows the newest hits first.")
            return
        orders = list(Sort)
        self.finder.sorted_by(orders[(orders.index(self.finder.sort) + 1) % len(orders)])

    @work
    async def action_hidden(self) -> None:
        """Choose which hidden classes are on show."""
        from hermes_tui.screens.hidden_menu import HiddenMenu

        listing = self.finder.listing
        counts = listing.hidden if listing is not None else {}
        chosen = await self.app.push_screen_wait(HiddenMenu(counts, self.finder.show))
        if chosen is not None:
            self.finder.toggled(chosen)

    def action_resume(self) -> None:
        """Leave with the conversation under the cursor, unless Hermes could not resume it."""
        if self.finder.searching and self.finder.pending:
            # Enter right behind the last letter means the hit that this letter will bring.
            self._resume_when_found = True
            return
        if (entry := self.sessions.cursor_entry) is None:
            return
        if not self.options.print_only and self._command(entry.id) is None:
            return
        self.app.exit(Choice(entry.id))

    def action_resume_and_return(self) -> None:
        """Run Hermes on this conversation and come back to the list as it is."""
        session_id = self.reading.target(self._pointed_at) if self._pointed_at else self._under_cursor
        if session_id is None or (command := self._command(session_id)) is None:
            return
        if self.options.demo:
            self.app.say(f"The demo only shows the command: {command.shell_line}")
        elif why := command.why_not():
            self.app.say(f"{why} {command.shell_line}", severity="warning", timeout=15)
        else:
            self.app.run_outside(command)
            self.action_refresh()

    def action_copy_command(self) -> None:
        """Copy the shell command that resumes it."""
        session_id = self._pointed_at.id if self._pointed_at else self._under_cursor
        if session_id is not None and (command := self._command(session_id)) is not None:
            self.app.copy(command.shell_line)

    def action_copy_id(self) -> None:
        """Copy the session id."""
        session_id = self._pointed_at.id if self._pointed_at else self._under_cursor
        if session_id is not None:
            self.app.copy(session_id)

    @property
    def _under_cursor(self) -> str | None:
        """The session that the list, or the transcript while it shows one part, is about."""
        if self.transcript.has_focus:
            return self.reading.target(None)
        entry = self.sessions.cursor_entry
        return entry.id if entry is not None else None

    def _command(self, session_id: str) -> ResumeCommand | None:
        try:
            return self.options.resume(session_id)
        except CannotResume as error:
            self.app.say(str(error), severity="warning")
            return None
