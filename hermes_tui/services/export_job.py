"""One export, on a thread of its own with a connection of its own: the list stays quick beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from storage.errors import StoreError

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from hermes_tui.export import Exported, Format
    from storage import Cancel, SessionDB


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be written, and where."""

    conversations: tuple[tuple[str, ...], ...]
    """The session ids of each, part after part."""
    to: Path
    form: Format
    redact: bool
    overwrite: bool = False


class ExportJob:
    """Runs orders one at a time.

    Args:
        owner: Gets the messages, and its workers run the export.
        open_store: Opens the store for reading; called on the thread.
    """

    @dataclass
    class Progressed(Message):
        """Conversations that are done, of all of them."""

        done: int
        total: int

    @dataclass
    class Exists(Message):
        """There is such a file already; nothing was written."""

        order: Order

    @dataclass
    class Finished(Message):
        """It was written, or as much of it as was there when it was stopped."""

        exported: Exported

    @dataclass
    class Failed(Message):
        """It could not be written; `error` is a sentence to show."""

        error: StoreError

    def __init__(self, owner: DOMNode, open_store: Callable[[], SessionDB]) -> None:
        self._owner = owner
        self._open_store = open_store
        self._cancel: Cancel | None = None

    def start(self, order: Order) -> None:
        """Begin; what is running already goes on."""
        from storage import Cancel

        cancel = self._cancel = Cancel()
        self._owner.run_worker(
            lambda: self._run(order, cancel), name="export", group="export", exit_on_error=True, thread=True
        )

    def stop(self) -> None:
        """Stop what is running; it ends with `Finished`."""
        if self._cancel is not None:
            self._cancel.cancel()

    def _run(self, order: Order, cancel: Cancel) -> None:
        self._owner.post_message(self._outcome(order, cancel))

    def _outcome(self, order: Order, cancel: Cancel) -> Message:
        from hermes_tui.export import export

        if not order.overwrite and order.to.is_file():
            return self.Exists(order)
        try:
            with self._open_store() as db:
                return self.Finished(
                    export(
                        db,
                        order.conversations,
                        order.to,
                        order.form,
                        redact=order.redact,
                        overwrite=order.overwrite,
                        progress=self._progressed,
                        cancel=cancel,
                    )
                )
        except StoreError as error:
            return self.Failed(error)

    def _progressed(self, done: int, total: int) -> None:
        self._owner.post_message(self.Progressed(done, total))
