"""The export dialog on its own: what it offers, what it orders, and what becomes of a refusal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, ProgressBar, Static

from hermes_tui.export import Exported, ExportRefused, Format
from hermes_tui.screens.export_dialog import Exportable, ExportDialog
from hermes_tui.services.export_job import Order
from hermes_tui.text.marks import UNICODE
from hermes_tui.widgets.tick import Tick
from storage import Cancel, SessionDB
from tests.screen.dialogs import DialogApp
from tests.support.on_screen import until
from tests.support.stores import BuildV11

ONE = Exportable((("r", "t", "dead"),), "[/b] plan")
PART = Exportable((("r", "t"),), "[/b] plan", part="r")
MANY = Exportable((("r", "t"), ("u",)), "", day="2026-11-29")


class Exporter:
    """In the place of `export`: notes what is asked for, and answers when it is let go."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.error: ExportRefused | None = None
        self.go = threading.Event()
        self.go.set()

    def __call__(
        self,
        db: SessionDB,
        conversations: Sequence[Sequence[str]],
        to: Path,
        form: Format,
        *,
        redact: bool,
        overwrite: bool,
        progress: Callable[[int, int], None],
        cancel: Cancel,
    ) -> Exported:
        self.asked.append(
            {"conversations": conversations, "to": to, "form": form, "redact": redact, "overwrite": overwrite}
        )
        progress(1, len(conversations))
        self.go.wait(60)
        if self.error is not None:
            raise self.error
        if cancel.cancelled:
            return Exported(str(to), 0, 0, cancelled=True)
        return Exported(str(to), len(conversations), 12, masked=3)


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Exporter]:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    exporter = Exporter()
    monkeypatch.setattr("hermes_tui.export.export", exporter)
    yield exporter
    exporter.go.set()


@pytest.fixture
def app_of(build_v11: BuildV11) -> Callable[[Exportable], DialogApp[Exported | None]]:
    path = build_v11()

    def command(order: Order, whole: bool) -> str:
        return f"hermes-tui sessions export {order.to}"

    return lambda what: DialogApp(
        lambda: ExportDialog(what, UNICODE, lambda: SessionDB(path, read_only=True), command)
    )


App = DialogApp[Exported | None]


def text_of(pilot: Pilot[None], name: str) -> str:
    return str(pilot.app.screen.query_one(f"#{name}", Static).content)


def path_in(pilot: Pilot[None]) -> str:
    return pilot.app.screen.query_one("#to", Input).value


async def type_path(pilot: Pilot[None], path: str) -> None:
    box = pilot.app.screen.query_one("#to", Input)
    box.focus()
    await pilot.press("ctrl+u")
    box.insert_text_at_cursor(path)
    await pilot.pause()


async def answered(app: App, pilot: Pilot[None]) -> Exported | None:
    await until(pilot, lambda: app.answers)  # type: ignore[arg-type]
    return app.answers[0]


@pytest.mark.parametrize(
    ("what", "count", "name"),
    [
        (ONE, "1 conversation, 3 parts in all", "b-plan.md"),
        (PART, "1 part of 2", "b-plan.md"),
        (Exportable((("u",),), "", part="u"), "1 session", "u.md"),
        (MANY, "2 conversations, 3 parts in all", "hermes-2026-11-29"),
        (Exportable((("u",),), ""), "1 conversation", "u.md"),
    ],
)
async def test_the_count_comes_first_and_a_name_is_offered(
    what: Exportable, count: str, name: str, exporter: Exporter, app_of: Callable[[Exportable], App]
) -> None:
    async with app_of(what).run_test() as pilot:
        assert text_of(pilot, "what") == count
        assert path_in(pilot) == name
        assert text_of(pilot, "command") == f"hermes-tui sessions export {name}"


async def test_enter_writes_what_is_offered(exporter: Exporter, app_of: Callable[[Exportable], App]) -> None:
    app = app_of(ONE)
    async with app.run_test() as pilot:
        await pilot.press("enter")
        assert await answered(app, pilot) == Exported("b-plan.md", 1, 12, masked=3)
    assert exporter.asked == [
        {
            "conversations": (("r", "t", "dead"),),
            "to": Path("b-plan.md"),
            "form": Format.MARKDOWN,
            "redact": True,
            "overwrite": False,
        }
    ]


async def test_secrets_go_by_the_format_and_by_hand(
    exporter: Exporter, app_of: Callable[[Exportable], App]
) -> None:
    async with app_of(ONE).run_test() as pilot:
        masked = pilot.app.screen.query_one("#masked", Tick)
        said = []
        for key in ("up", "down", "down", "down", "up"):
            await pilot.press(key)
            said.append((path_in(pilot), masked.on, masked.why))
        assert said == [
            ("b-plan.jsonl", False, "no: a backup is exact"),
            ("b-plan.md", True, "so that it can be passed on"),
            ("b-plan.html", True, "so that it can be passed on"),
            ("b-plan.json", False, "no: a backup is exact"),
            ("b-plan.html", True, "so that it can be passed on"),
        ]
        await pilot.press("tab", "space")
        assert (masked.on, masked.why) == (False, "no: keys and passwords stand there as they are")
        await pilot.press("shift+tab", "up", "tab", "enter")
        await until(pilot, lambda: exporter.asked)  # type: ignore[arg-type]
        assert (exporter.asked[0]["form"], exporter.asked[0]["redact"]) == (Format.MARKDOWN, False)


async def test_a_backup_can_be_masked(exporter: Exporter, app_of: Callable[[Exportable], App]) -> None:
    async with app_of(MANY).run_test() as pilot:
        await pilot.press("down", "down", "tab", "space")
        assert pilot.app.screen.query_one("#masked", Tick).why == "then it is no exact backup"
        await pilot.press("enter")
        await until(pilot, lambda: exporter.asked)  # type: ignore[arg-type]
        assert (exporter.asked[0]["to"], exporter.asked[0]["redact"]) == (
            Path("hermes-2026-11-29.json"),
            True,
        )


async def test_of_a_part_the_whole_conversation_can_be_had(
    exporter: Exporter, app_of: Callable[[Exportable], App]
) -> None:
    async with app_of(PART).run_test() as pilot:
        await pilot.press("tab", "space")
        assert text_of(pilot, "what") == "1 conversation, 2 parts in all"
        await pilot.press("space")
        assert text_of(pilot, "what") == "1 part of 2"
        await pilot.press("enter")
        await until(pilot, lambda: exporter.asked)  # type: ignore[arg-type]
        assert exporter.asked[0]["conversations"] == (("r",),)


async def test_a_name_of_ones_own_keeps_its_place_and_takes_the_new_ending(
    exporter: Exporter, app_of: Callable[[Exportable], App]
) -> None:
    async with app_of(ONE).run_test() as pilot:
        await type_path(pilot, "sub/mine.md")
        pilot.app.screen.query_one(OptionList).focus()
        await pilot.press("down")
        assert path_in(pilot) == "sub/mine.html"
        await type_path(pilot, "sub/mine.txt")
        pilot.app.screen.query_one(OptionList).focus()
        await pilot.press("down")
        assert path_in(pilot) == "sub/mine.txt"


async def test_a_tilde_is_home(
    exporter: Exporter, app_of: Callable[[Exportable], App], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with app_of(ONE).run_test() as pilot:
        await type_path(pilot, "~/a  b.md")
        await pilot.press("enter")
        await until(pilot, lambda: exporter.asked)  # type: ignore[arg-type]
        assert exporter.asked[0]["to"] == tmp_path / "a  b.md"


async def test_what_is_there_is_replaced_only_when_asked_for_twice(
    exporter: Exporter, app_of: Callable[[Exportable], App]
) -> None:
    Path("b-plan.md").write_text("mine")
    app = app_of(ONE)
    async with app.run_test() as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "Enter again" in text_of(pilot, "verdict"))  # type: ignore[arg-type]
        assert text_of(pilot, "verdict") == "b-plan.md is there already. Enter again replaces it."
        assert exporter.asked == []
        # Another order is another question.
        await pilot.press("shift+tab", "space")
        assert text_of(pilot, "verdict") == ""
        await pilot.press("enter")
        await until(pilot, lambda: "Enter again" in text_of(pilot, "verdict"))  # type: ignore[arg-type]
        assert exporter.asked == []
        await pilot.press("enter")
        assert await answered(app, pilot) is not None
    assert [asked["overwrite"] for asked in exporter.asked] == [True]


@pytest.mark.parametrize(
    ("what", "downs", "name"),
    [
        (ONE, 0, "b-plan.md"),
        (ONE, 2, "b-plan.json"),
        (MANY, 2, "conversations.json"),
        (MANY, 3, "conversations.jsonl"),
    ],
)
async def test_in_a_directory_the_file_is_named_before_it_is_written_and_can_be_replaced(
    exporter: Exporter, app_of: Callable[[Exportable], App], what: Exportable, downs: int, name: str
) -> None:
    Path("out").mkdir()
    (Path("out") / name).write_text("mine")
    app = app_of(what)
    async with app.run_test() as pilot:
        await pilot.press(*["down"] * downs)
        await type_path(pilot, "out")
        assert text_of(pilot, "verdict") == f"→ out/{name}"
        assert text_of(pilot, "command") == f"hermes-tui sessions export out/{name}"
        await pilot.press("enter")
        await until(pilot, lambda: "Enter again" in text_of(pilot, "verdict"))  # type: ignore[arg-type]
        assert exporter.asked == []
        await pilot.press("enter")
        assert await answered(app, pilot) is not None
    assert [(asked["to"], asked["overwrite"]) for asked in exporter.asked] == [(Path("out") / name, True)]


async def test_a_refusal_stands_where_the_path_is_and_nothing_is_lost(
    exporter: Exporter, app_of: Callable[[Exportable], App]
) -> None:
    exporter.error = ExportRefused("[/b] There is no directory no\x1b[2J.")
    app = app_of(ONE)
    async with app.run_test() as pilot:
        await pilot.press("down")
        await type_path(pilot, "no/where.html")
        await pilot.press("enter")
        await until(pilot, lambda: text_of(pilot, "verdict") == "[/b] There is no directory no.")  # type: ignore[arg-type]
        box = pilot.app.screen.query_one("#to", Input)
        assert (box.value, box.has_focus, box.has_class("-refused")) == ("no/where.html", True, True)
        await pilot.press("x")
        assert text_of(pilot, "verdict") == ""
        exporter.error = None
        await pilot.press("enter")
        assert await answered(app, pilot) == Exported("no/where.htmlx", 1, 12, masked=3)


async def test_no_path_is_asked_for(exporter: Exporter, app_of: Callable[[Exportable], App]) -> None:
    async with app_of(ONE).run_test() as pilot:
        await type_path(pilot, " ")
        await pilot.press("enter")
        assert text_of(pilot, "verdict") == "Say where to: a file, or a directory."
        assert exporter.asked == []


async def test_progress_and_stopping(exporter: Exporter, app_of: Callable[[Exportable], App]) -> None:
    exporter.go.clear()
    app = app_of(MANY)
    async with app.run_test() as pilot:
        await pilot.press("enter")
        bar = pilot.app.screen.query_one(ProgressBar)
        await until(pilot, lambda: bar.progress == 1)  # type: ignore[arg-type]
        assert (bar.total, text_of(pilot, "verdict")) == (2, "Writing …")
        await pilot.press("enter", "x")
        assert path_in(pilot) == "hermes-2026-11-29"
        await pilot.press("escape")
        assert text_of(pilot, "verdict") == "Stopping …"
        assert app.answers == []
        exporter.go.set()
        assert await answered(app, pilot) == Exported("hermes-2026-11-29", 0, 0, cancelled=True)
    assert len(exporter.asked) == 1


async def test_a_store_that_cannot_be_read_is_said(exporter: Exporter, tmp_path: Path) -> None:
    app = DialogApp(
        lambda: ExportDialog(
            ONE, UNICODE, lambda: SessionDB(tmp_path / "no.db", read_only=True), lambda *_: ""
        )
    )
    async with app.run_test() as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "No session store" in text_of(pilot, "verdict"))  # type: ignore[arg-type]


async def test_esc_leaves_and_a_paste_is_one_line(
    exporter: Exporter, app_of: Callable[[Exportable], App]
) -> None:
    app = app_of(ONE)
    async with app.run_test() as pilot:
        await type_path(pilot, "")
        pilot.app.screen.query_one("#to", Input).post_message(events.Paste("a  b\n\x1b[31mc.md\n"))
        await pilot.pause()
        assert path_in(pilot) == "a  b c.md"
        await pilot.press("escape")
        assert app.answers == [None]
    assert exporter.asked == []
