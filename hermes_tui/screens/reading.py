"""What the transcript shows: a conversation or one part of it, and the way back. It decides; it draws nothing."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from hermes_tui.services.store_worker import StoreWorker
from hermes_tui.text import figures, safe_text
from storage import Conversation, Entry, LineageNode, SessionQuery, Transcript

TAIL = 20
"""Messages read at first: the last ten exchanges."""


class Reading:
    """Follows the cursor of the list, and the steps a person takes through a family.

    Args:
        worker: Where requests go.
    """

    def __init__(self, worker: StoreWorker) -> None:
        self._worker = worker
        self.entry: Entry | None = None
        self.query: SessionQuery | None = None
        self.at: int | None = None
        """The message to open at."""
        self.node: LineageNode | None = None
        """The part on show when it is not the whole conversation."""
        self._steps: list[LineageNode | None] = []
        self._whole = False
        self._dead_ends = False
        """Whether the parts beside the main line are read too."""

    @property
    def part(self) -> str | None:
        """Id of the part on show; None while the whole conversation is."""
        return self.node.id if self.node is not None else None

    def nothing(self) -> None:
        """No conversation is under the cursor."""
        self._worker.cancel("read")
        self._worker.cancel("family")
        self.entry, self.node, self.at, self.query = None, None, None, None
        self._steps.clear()

    def follow(self, entry: Entry, query: SessionQuery | None, at: int | None) -> None:
        """Show this conversation, at a message that matched where there is one; what is on show already stays put."""
        same = self.entry is not None and self.entry.id == entry.id
        settled = self.node is not None or self.at is not None or at is None
        if same and query == self.query and settled:
            self.entry = entry
            return
        if not same or self.node is not None:
            self._worker.family(entry.id)
        self.entry, self.query, self.at, self.node = entry, query, at, None
        self._steps.clear()
        self._dead_ends = False
        self._read_anew()

    def whole(self) -> None:
        """Read the earlier messages too."""
        if self.entry is not None and not self._whole:
            self._read(whole=True)

    def changed(self, session_ids: AbstractSet[str] | None = None) -> None:
        """The store changed, in these sessions or (None) anywhere: read what that may have touched once more."""
        if self.entry is None:
            return
        # Any session may have become a relative.
        self._worker.family(self.part or self.entry.id)
        on_show = self.entry.parts if self.part is None else (self.part,)
        if session_ids is None or not session_ids.isdisjoint(on_show):
            self._read(whole=self._whole)

    def show_part(self, node: LineageNode) -> None:
        """Show one relative on its own."""
        if self.entry is not None and node.id != self.part:
            self._steps.append(self.node)
            self.node, self.at = node, None
            self._read_anew()

    def back(self) -> bool:
        """Undo the last `show_part`. Returns False when there is none."""
        if self.entry is None or not self._steps:
            return False
        self.node = self._steps.pop()
        self._read_anew()
        return True

    def looks_beside(self, shown: Transcript) -> bool:
        """Whether the match is in none of these messages: then the dead ends of the chain are asked for too."""
        if self.at is None or self.entry is None or self.node is not None or self._dead_ends:
            return False
        if self.entry.main == len(self.entry.parts) or any(each.id == self.at for each in shown.messages):
            return False
        self._dead_ends = True
        self._read_anew()
        return True

    def title(self, row: Conversation | None, matches: tuple[int, int], cells: int, messages: int = 0) -> str:
        """The transcript's title: "Fix Docker Build · cli · claude-opus-4.6 · match 2 of 7 in 3 messages".

        Where it is wider than the frame the model is left out, then the source, then in how many messages the
        matches are, and then the end of the name.

        Args:
            matches: Number of the current one, and how many there are.
            messages: In how many messages they are: what the list counts as hits.
        """
        if self.node is not None:
            pieces = [
                self.node.title or self.node.preview or self.node.id,
                self.node.edge.value,
                self.node.source,
            ]
        elif row is not None and self.entry is not None and row.id == self.entry.id:
            pieces = [row.title or row.preview or row.id, row.source, row.model.rpartition("/")[2]]
        else:
            pieces = []
        pieces = [safe_text.line(piece) for piece in pieces]
        if pieces:
            pieces[0] = safe_text.cut(pieces[0], 40)
        position, total = matches
        short = f"match {position} of {total}" if total else ""
        end = f"{short} in {figures.plural(messages, 'message')}" if total > messages > 0 else short
        # What works for others is a subagent by its edge and by its source.
        name, *facts = [piece for piece in dict.fromkeys(pieces) if piece] or [""]
        wanted = [(name, *facts[:count], end) for count in range(len(facts), -1, -1)]
        for words in (*wanted, (name, short)):
            title = " · ".join(filter(None, words))
            if safe_text.width(title) <= cells:
                return title
        around = safe_text.width(f" · {short}") if short else 0
        return " · ".join(filter(None, (safe_text.cut(name, max(cells - around, 1)), short)))

    @property
    def target(self) -> str | None:
        """The session to resume from here: the part on show, else the live tip of the conversation."""
        return self.part or (self.entry.id if self.entry is not None else None)

    def _read_anew(self) -> None:
        # The matches are counted, "2 of 7": then all of the conversation must be here.
        self._read(whole=self.query is not None)

    def _read(self, *, whole: bool) -> None:
        if self.entry is None:
            return
        self._whole = whole
        main_line = None if self._dead_ends else self.entry.main
        parts = self.entry.parts[:main_line] if self.node is None else (self.node.id,)
        self._worker.read(self.entry, parts, None if whole else TAIL)
