"""A bar on a terminal, nothing elsewhere, and Ctrl+C that lets a step be finished."""

from __future__ import annotations

import io
import os
import signal
import threading

import pytest

from hermes_tui.cli.output import Output
from hermes_tui.cli.progress import Bar, progress, stopping
from storage import Cancel
from tests.support.clock import Clock


class Terminal(io.TextIOWrapper):
    """A terminal that keeps what was written to it."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.kept = io.BytesIO()
        super().__init__(self.kept, encoding=encoding, write_through=True)

    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        return self.kept.getvalue().decode(self.encoding)


def test_a_bar_comes_with_patience_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal, clock = Terminal(), Clock(0)
    bar = Bar(terminal, "Deleting", clock=clock)
    bar(1, 1200)
    bar.clear()
    assert terminal.text == ""
    clock.sleep(0.3)
    bar(300, 1200)
    bar(301, 1200)
    clock.sleep(0.1)
    bar(1200, 1200)
    bar.clear()
    assert terminal.text == (
        "\r\x1b[KDeleting ██████░░░░░░░░░░░░░░░░░░  25%  300 of 1,200"
        "\r\x1b[KDeleting ████████████████████████ 100%  1,200 of 1,200"
        "\r\x1b[K"
    )


def test_what_nobody_can_count_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    wide, plain = Terminal(), Terminal("ascii")
    for terminal in (wide, plain):
        bar = Bar(terminal, "Indexing", clock=Clock(0))
        bar.say("Writing the file anew")
        bar.clear()
    assert wide.text == "\r\x1b[KWriting the file anew …\r\x1b[K"
    assert plain.text == "\r\x1b[KWriting the file anew ...\r\x1b[K"


def test_colour_and_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(0)
    coloured, plain = Terminal(), Terminal("ascii")
    bars = [Bar(one, "Indexing", clock=clock) for one in (coloured, plain)]
    clock.sleep(1)
    for bar in bars:
        bar(1, 2)
        bar(0, 0)
    assert coloured.text == "\r\x1b[KIndexing \x1b[36m████████████░░░░░░░░░░░░\x1b[0m  50%  1 of 2"
    assert plain.text == "\r\x1b[KIndexing \x1b[36m############............\x1b[0m  50%  1 of 2"


def test_numbers_that_make_no_sense_draw_something() -> None:
    terminal, clock = Terminal(), Clock(0)
    bar = Bar(terminal, "Indexing", clock=clock)
    for done, total in ((0, 0), (5, 0), (9, 3)):
        clock.sleep(1)
        bar(done, total)
    assert terminal.text.count("\r") == 3


@pytest.mark.parametrize("terminal", [True, False])
def test_only_a_terminal_gets_one(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    remarks = Terminal() if terminal else io.StringIO()
    with progress(Output(io.StringIO(), remarks), "Deleting") as tell:
        assert (tell is not None) is terminal
    monkeypatch.setenv("TERM", "dumb")
    with progress(Output(io.StringIO(), remarks), "Deleting") as tell:
        assert tell is None


def test_ctrl_c_cancels_first_and_breaks_off_then() -> None:
    cancel = Cancel()
    before = signal.getsignal(signal.SIGINT)
    with stopping(cancel):
        signal.raise_signal(signal.SIGINT)
        while not cancel.cancelled:
            pass
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_may_come_while_the_token_is_locked() -> None:
    cancel = Cancel()
    with stopping(cancel):
        with cancel._lock:
            os.kill(os.getpid(), signal.SIGINT)
        while not cancel.cancelled:
            pass


def test_other_threads_leave_the_signal_alone() -> None:
    seen = []

    def run() -> None:
        with stopping(Cancel()):
            seen.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]
