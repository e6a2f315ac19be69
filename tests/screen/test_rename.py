"""The rename dialog on its own: what it says to what is typed, and what it does with answers that come late or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, Static

from hermes_tui.screens.rename import RenameDialog
from hermes_tui.text import shell
from storage import Renamed, StoreBusy, TitleCheck, TitleTaken, UnknownSession
from storage.conversation.titles import cleaned
from tests.screen.dialogs import DialogApp
from tests.support.browsing import screen_text
from tests.support.on_screen import until


@dataclass
class Titles:
    """A store that answers when it is told to."""

    held: bool = False
    own: str | None = "plan"
    earlier: tuple[tuple[str, str], ...] = ()
    holders: dict[str, tuple[str, str]] = field(default_factory=lambda: {"taken": ("u", "telegram")})
    asked: list[tuple[RenameDialog, str]] = field(default_factory=list)
    written: list[tuple[str, str]] = field(default_factory=list)

    def check(self, dialog: RenameDialog, title: str) -> None:
        self.asked.append((dialog, title))
        if not self.held:
            self.answer()

    def answer(self, at: int = -1) -> None:
        """Answer one of the questions; the last one, unless told otherwise."""
        dialog, title = self.asked[at]
        clean = cleaned(title)
        holder = self.holders.get(clean)
        gives_way = holder is not None and holder[0] in dict(self.earlier)
        check = TitleCheck(
            "t",
            clean or None,
            len(clean),
            100,
            clean != title,
            holder,
            gives_way,
            False,
            self.own,
            self.earlier,
        )
        dialog.checked(check, title)

    def rename(self, dialog: RenameDialog, session_id: str, title: str) -> None:
        self.written.append((session_id, title))

    def command(self, session_id: str, title: str) -> str:
        return shell.line(["hermes-tui", "sessions", "rename", session_id, title])


def app_of(titles: Titles, title: str | None = "plan", **others: bool | str) -> DialogApp[Renamed | None]:
    return DialogApp(lambda: RenameDialog("t", title, titles, **others))  # type: ignore[arg-type]


def dialog_of(pilot: Pilot[None]) -> RenameDialog:
    assert isinstance(pilot.app.screen, RenameDialog)
    return pilot.app.screen


def verdict(pilot: Pilot[None]) -> list[str]:
    return str(dialog_of(pilot).query_one("#verdict", Static).content).splitlines()


def command(pilot: Pilot[None]) -> str:
    return str(dialog_of(pilot).query_one("#command", Static).content)


async def retype(pilot: Pilot[None], text: str) -> None:
    await pilot.press("ctrl+u")
    dialog_of(pilot).query_one(Input).insert_text_at_cursor(text)
    await pilot.pause()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("new", ["3/100 · free"]),
        ("plan", ["4/100 · unchanged"]),
        ("new ", ["3/100 · free"]),
        ("  a  b", ["3/100 · free", "Will be stored as “a b”."]),
        ("taken", ["Title 'taken' is already in use by session u (telegram)"]),
        (" taken ", ["Title 'taken' is already in use by session u (telegram)"]),
        ("x" * 101, ["Title too long (101 chars, max 100)"]),
        ("", ["The title will be removed; the list shows the first words."]),
        ("   ", ["The title will be removed; the list shows the first words."]),
    ],
)
async def test_what_it_says(typed: str, said: list[str]) -> None:
    async with app_of(Titles()).run_test() as pilot:
        await retype(pilot, typed)
        assert verdict(pilot) == said
        assert dialog_of(pilot).query_one(Input).has_class("-refused") == (said[0][:5] == "Title")


async def test_it_begins_with_the_present_title_and_the_cursor_behind_it() -> None:
    async with app_of(Titles()).run_test() as pilot:
        await pilot.press(*"s!")
        assert dialog_of(pilot).text == "plans!"
        assert command(pilot) == "hermes-tui sessions rename t 'plans!'"


@pytest.mark.parametrize(
    ("keys", "text", "written"),
    [("", "plan", []), ("s!", "plans!", []), ("s!\n", "plans!", [("t", "plans!")])],
)
async def test_a_title_that_comes_late_stands_before_what_was_typed(
    keys: str, text: str, written: list[tuple[str, str]]
) -> None:
    titles = Titles(held=True)
    async with app_of(titles, None).run_test() as pilot:
        await pilot.press(*("enter" if key == "\n" else key for key in keys))
        titles.answer()
        await pilot.pause()
        assert dialog_of(pilot).text == text
        titles.answer()
        assert titles.written == written
        await pilot.press("s")
        assert dialog_of(pilot).text == (text if written else f"{text}s")


async def test_enter_on_a_title_that_has_not_come_changes_nothing() -> None:
    titles = Titles(held=True)
    async with app_of(titles, None).run_test() as pilot:
        await pilot.press("enter")
        titles.answer()
        await pilot.pause()
        assert not isinstance(pilot.app.screen, RenameDialog)
        assert titles.written == []


async def test_of_a_long_title_the_end_is_on_the_screen() -> None:
    title = "x" * 96 + "end."
    async with app_of(Titles(own=title), title).run_test(size=(60, 24)) as pilot:
        await until(pilot, lambda: "end." in screen_text(pilot.app))  # type: ignore[arg-type]


async def test_an_earlier_part_gives_way() -> None:
    titles = Titles(earlier=(("r", "scanner"),), holders={"scanner": ("r", "desktop")})
    async with app_of(titles).run_test() as pilot:
        await retype(pilot, "scanner")
        assert verdict(pilot) == ["7/100", "The earlier part r (desktop) gives this title up."]
        await pilot.press("enter")
        assert titles.written == [("t", "scanner")]


@pytest.mark.parametrize(
    ("own", "earlier", "target", "said"),
    [
        ("plan", (), "t", "The title will be removed; the list shows the first words."),
        (
            "plan", (("r", "[b]"),), "t",
            "The title will be removed; the list shows “[b]”, the title of an earlier part.",
        ),
        (None, (("r", "plan"),), "r", "The title will be removed; the list shows the first words."),
        (
            None, (("r", "plan"), ("p", "old")), "r",
            "The title will be removed; the list shows “old”, the title of an earlier part.",
        ),
    ],
)  # fmt: skip
async def test_cleared_goes_the_title_that_the_list_shows(
    own: str | None, earlier: tuple[tuple[str, str], ...], target: str, said: str
) -> None:
    titles = Titles(own=own, earlier=earlier)
    async with app_of(titles).run_test() as pilot:
        await retype(pilot, "")
        assert verdict(pilot) == [said]
        assert command(pilot) == f"hermes-tui sessions rename {target} ''"
        await pilot.press("enter")
        assert titles.written == [(target, "")]


async def test_of_a_part_its_own_title_goes() -> None:
    titles = Titles(earlier=(("r", "scanner"),))
    async with app_of(titles, part=True).run_test() as pilot:
        await retype(pilot, "")
        assert verdict(pilot) == ["The title will be removed; the lineage shows the first words."]
        await pilot.press("enter")
        assert titles.written == [("t", "")]


async def test_without_a_title_nothing_is_removed() -> None:
    async with app_of(Titles(own=None), "", preview="How does [b] work?").run_test() as pilot:
        assert verdict(pilot) == ["No title: the first words stand in its place."]
        assert dialog_of(pilot).query_one(Input).placeholder == "How does [b] work?"


async def test_unchanged_enter_leaves_and_so_does_esc() -> None:
    for key in ("enter", "escape"):
        titles, app = Titles(), app_of(Titles())
        async with app.run_test() as pilot:
            await pilot.press(key)
            assert (app.answers, titles.written) == ([None], [])


async def test_a_title_that_is_refused_is_not_written() -> None:
    titles = Titles()
    async with app_of(titles).run_test() as pilot:
        await retype(pilot, "taken")
        await pilot.press("enter")
        assert titles.written == []
        assert dialog_of(pilot).text == "taken"


async def test_stale_answers_are_dropped_and_enter_waits_for_the_one_that_counts() -> None:
    titles = Titles(held=True)
    async with app_of(titles).run_test() as pilot:
        await retype(pilot, "taken")
        await pilot.press("x", "enter")
        titles.answer(titles.asked.index((dialog_of(pilot), "taken")))
        assert verdict(pilot) == ["6/100"]
        assert titles.written == []
        titles.answer()
        assert titles.written == [("t", "takenx")]
        assert verdict(pilot) == ["Renaming …"]


async def test_where_the_store_cannot_look_it_is_written_all_the_same() -> None:
    titles = Titles(held=True)
    app = app_of(titles)
    async with app.run_test() as pilot:
        await retype(pilot, "new")
        dialog_of(pilot).unchecked(str(StoreBusy(Path("s.db"))), "new")
        assert verdict(pilot)[0].startswith("The database s.db is busy")
        await pilot.press("enter")
        assert titles.written == [("t", "new")]


@pytest.mark.parametrize(
    "error",
    [TitleTaken("new", "[/b]", "[red]cli"), UnknownSession("t\x1b[2J"), TitleTaken("n\x1bew", "u", "x")],
)
async def test_what_the_write_refuses_keeps_the_text(error: Exception) -> None:
    titles = Titles()
    app = app_of(titles)
    async with app.run_test() as pilot:
        await retype(pilot, "new")
        await pilot.press("enter")
        dialog_of(pilot).waiting()
        assert verdict(pilot) == ["Waiting for the store: another process is writing to it …"]
        dialog_of(pilot).refused(str(error))
        await pilot.pause()
        [said] = verdict(pilot)
        assert said.isprintable()
        assert said.split()[-1] == str(error).split()[-1]
        await pilot.press("2")
        assert dialog_of(pilot).text == "new2"
        await pilot.press("enter")
        assert titles.written == [("t", "new"), ("t", "new2")]
        renamed = Renamed("t", "new2", b"plan", None)
        dialog_of(pilot).renamed(renamed)
        await pilot.pause()
        assert app.answers == [renamed]


async def test_nothing_is_written_twice() -> None:
    titles = Titles()
    async with app_of(titles).run_test() as pilot:
        await retype(pilot, "new")
        await pilot.press("enter", "enter", "x", "enter")
        assert titles.written == [("t", "new")]


async def test_an_unknown_title_comes_from_the_store() -> None:
    titles = Titles(held=True, own=None, earlier=(("r", "[scan]"),))
    async with app_of(titles, None).run_test() as pilot:
        titles.answer()
        await pilot.pause()
        assert dialog_of(pilot).text == "[scan]"
        titles.answer()
        await pilot.press("enter")
        assert titles.written == []


async def test_a_paste_is_one_line_and_what_it_lost_is_said() -> None:
    async with app_of(Titles()).run_test() as pilot:
        await retype(pilot, "")
        dialog_of(pilot).query_one(Input).post_message(events.Paste("a\u200bb\u202ec\r\n\x1b[31md\n"))
        await pilot.pause()
        assert dialog_of(pilot).text == "abc d"
        assert verdict(pilot) == ["5/100 · free", "Left out: 7 characters that cannot be shown."]
        await pilot.press("e")
        assert verdict(pilot) == ["6/100 · free"]


async def test_letters_typed_before_the_dialog_stands_are_its_letters() -> None:
    app = app_of(Titles())
    async with app.run_test() as pilot:
        dialog_of(pilot).set_focus(None)
        for letter in "xyz":
            app.post_message(events.Key(letter, letter))
        await pilot.pause()
        assert dialog_of(pilot).text == "planxyz"


async def test_the_command_is_copied_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_of(Titles())
    async with app.run_test() as pilot:
        await retype(pilot, "it's")
        await pilot.press("ctrl+y")
        assert app.clipboard == """hermes-tui sessions rename t 'it'"'"'s'"""


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(present=st.text(st.characters(), max_size=110), pasted=st.text(st.characters(), max_size=110))
async def test_any_title_and_any_paste(present: str, pasted: str) -> None:
    titles = Titles(own=present, holders={})
    async with app_of(titles, present, preview=pasted).run_test(size=(80, 24)) as pilot:
        dialog_of(pilot).query_one(Input).post_message(events.Paste(pasted))
        await pilot.pause()
        text = dialog_of(pilot).text
        assert "\n" not in text
        for strip in pilot.app.screen._compositor.render_strips():
            assert all(letter >= " " and not 0x7F <= ord(letter) < 0xA0 for letter in strip.text)
        await pilot.press("enter")
        assert titles.written in ([], [("t", text)])
