"""The session list: what a line shows, where the cursor stays, what is asked for and what is drawn again."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual import on
from textual.geometry import Region
from textual.pilot import Pilot

from hermes_tui.text.marks import ASCII, UNICODE, Marks
from hermes_tui.widgets.columns import Columns, plan
from hermes_tui.widgets.known_rows import KEPT_DETAILS
from hermes_tui.widgets.session_list import SessionList
from hermes_tui.widgets.session_rows import Row, RowPainter
from storage import Conversation, Edge, Entry, Excerpt, Status, parse
from tests.screen.bare_app import BareApp, lines_of

NOW = 1_795_900_000.0
DAY = 86_400.0
AMBER, CREAM, ROW = "#febf00", "#ede6d6", "#3a2c1a"


class ListApp(BareApp):
    widget: SessionList

    @on(SessionList.Wanted)
    @on(SessionList.Moved)
    @on(SessionList.Chosen)
    @on(SessionList.NearEnd)
    def _keep(self, message: Any) -> None:
        self.posted.append(message)


def entry(number: int, *, parts: tuple[str, ...] = (), pinned: bool = False) -> Entry:
    return Entry(f"s{number}", (*parts, f"s{number}"), NOW - number * DAY, "telegram", pinned=pinned)


def entries(count: int) -> list[Entry]:
    return [entry(number) for number in range(count)]


def details(id: str, title: str = "A title", preview: str = "first words", **more: Any) -> Conversation:
    known: dict[str, Any] = {
        "source": "cli", "model": "opus", "started_at": NOW, "last_active": NOW - 7200, "ended_at": None,
        "status": Status.COMPLETE, "messages": 142, "tokens": 1, "cost": None, "parts": (id,),
    }  # fmt: skip
    return Conversation(id, title, preview, **(known | more))


def excerpt(text: str, *words: str) -> Excerpt:
    spans = tuple((text.index(word), text.index(word) + len(word)) for word in words)
    return Excerpt(text, spans, 1, "s0", "user")


@asynccontextmanager
async def shown(
    what: Sequence[Entry],
    *,
    size: tuple[int, int] = (80, 11),
    marks: Marks = UNICODE,
    colors: str = "truecolor",
) -> AsyncIterator[tuple[SessionList, ListApp, Pilot[None]]]:
    """A focused list of ten lines and its header."""
    sessions = SessionList(lambda: NOW, marks)
    app = ListApp(sessions, colors=colors)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        sessions.show(what)
        sessions.focus()
        await pilot.pause()
        yield sessions, app, pilot


@pytest.mark.parametrize(
    ("keys", "cursor"),
    [
        ("down", 1), ("j", 1), ("j j j up", 2), ("j j j k", 2), ("up", 0),
        ("pagedown", 9), ("pagedown pagedown pageup", 9), ("G", 99), ("end", 99), ("G g", 0), ("end home", 0),
        ("G down", 99),
    ],
)  # fmt: skip
async def test_keys_move_the_cursor(keys: str, cursor: int) -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        await pilot.press(*keys.split())
        await pilot.pause()
        assert sessions.cursor == cursor
        assert sessions.cursor_entry == entry(cursor)
        moved = app.take(SessionList.Moved)
        assert (moved[-1].entry if moved else None) == (entry(cursor) if keys != "up" else entry(0))
        assert sessions.render_line(1 + cursor - sessions.scroll_offset.y).text[0] == UNICODE.cursor


async def test_enter_chooses() -> None:
    async with shown(entries(3)) as (_, app, pilot):
        await pilot.press("j", "enter")
        assert [message.entry for message in app.take(SessionList.Chosen)] == [entry(1)]


async def test_an_empty_list_has_no_cursor_and_draws_nothing() -> None:
    async with shown([]) as (sessions, app, pilot):
        await pilot.press("down", "enter", "G", "pageup")
        assert sessions.cursor_entry is None
        assert sessions.current_row() is None
        assert app.take(SessionList.Chosen) == []
        assert lines_of(sessions) == [""] * 11


async def test_mouse() -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        await pilot.click(SessionList, offset=(10, 0))
        assert sessions.cursor == 0
        await pilot.click(SessionList, offset=(10, 4))
        assert sessions.cursor == 3
        assert app.take(SessionList.Chosen) == []
        await pilot.click(SessionList, offset=(10, 6), times=2)
        assert [message.entry for message in app.take(SessionList.Chosen)] == [entry(5)]
        sessions._on_mouse_scroll_down(wheel())
        assert sessions.scroll_offset.y > 0
        assert sessions.cursor == 5


def wheel() -> Any:
    from textual.events import MouseScrollDown

    return MouseScrollDown(None, 5, 5, 0, 0, 0, False, False, False)


# --- where the cursor stays


@pytest.mark.parametrize(
    ("keep", "cursor"),
    [(None, 51), ("", 0), ("s10", 11), ("part of 20", 21), ("gone", 50)],
)
async def test_show_keeps_the_conversation(keep: str | None, cursor: int) -> None:
    async with shown(entries(100)) as (sessions, _, pilot):
        for _step in range(50):
            sessions.cursor_down()
        again = [entry(1000), *entries(100)]
        again[21] = entry(20, parts=("part of 20",))
        sessions.show(again, keep=keep)
        await pilot.pause()
        assert sessions.cursor == cursor


async def test_the_cursor_keeps_its_line_on_the_screen() -> None:
    async with shown(entries(100)) as (sessions, _, pilot):
        await pilot.press("G", *["k"] * 4)
        line = sessions.cursor - sessions.scroll_offset.y
        assert line == 5
        sessions.show([entry(1000), entry(1001), *entries(100)])
        assert (sessions.cursor, sessions.cursor - sessions.scroll_offset.y) == (97, 5)
        sessions.show(entries(100)[50:])
        assert (sessions.cursor, sessions.cursor - sessions.scroll_offset.y) == (45, 5)


async def test_at_the_top_what_is_new_is_seen() -> None:
    async with shown(entries(100)) as (sessions, _, pilot):
        sessions.show([entry(1000), *entries(100)])
        await pilot.pause()
        assert (sessions.scroll_offset.y, sessions.cursor_entry) == (0, entry(0))


async def test_a_list_that_was_scrolled_away_from_its_cursor_is_not_pulled_back() -> None:
    async with shown(entries(100)) as (sessions, _, _pilot):
        sessions.jump(60)
        sessions.show(entries(100))
        assert (sessions.scroll_offset.y, sessions.cursor) == (60, 0)


async def test_moved_is_told_once_for_another_conversation_and_not_for_the_same() -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        app.take(SessionList.Moved)
        sessions.show(entries(50))
        await pilot.pause()
        assert app.take(SessionList.Moved) == []
        sessions.show(entries(50)[7:], keep="")
        await pilot.pause()
        assert [message.entry for message in app.take(SessionList.Moved)] == [entry(7)]
        sessions.show([])
        await pilot.pause()
        assert [message.entry for message in app.take(SessionList.Moved)] == [None]


async def test_the_cursor_stays_on_its_conversation_whatever_comes_and_goes() -> None:
    async with shown(entries(40)) as (sessions, _, _pilot):

        @settings(max_examples=60, deadline=None)
        @given(st.lists(st.integers(0, 60), unique=True, max_size=60), st.integers(-9, 9))
        def check(order: list[int], steps: int) -> None:
            for _step in range(abs(steps)):
                sessions.cursor_down() if steps > 0 else sessions.cursor_up()
            before = sessions.cursor_entry
            sessions.show([entry(number) for number in order])
            after = sessions.cursor_entry
            assert (after is None) == (not order)
            if before is not None and int(before.id[1:]) in order:
                assert after == before
            if after is not None:
                assert 0 <= sessions.cursor - sessions.scroll_offset.y < 10

        check()


# --- what is asked for


async def test_wanted_names_one_screen_around_what_is_seen() -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        assert [e.id for e in app.take(SessionList.Wanted)[-1].details] == [f"s{n}" for n in range(20)]
        sessions.put(details(f"s{n}") for n in range(20))
        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        assert sessions.scroll_offset.y == 9
        wanted = app.take(SessionList.Wanted)[-1]
        assert [e.id for e in wanted.details] == [f"s{n}" for n in range(20, 29)]
        assert wanted.excerpts == ()


async def test_a_search_wants_excerpts_and_forgets_those_of_the_one_before() -> None:
    async with shown(entries(5)) as (sessions, app, pilot):
        sessions.put(details(f"s{n}") for n in range(5))
        app.take(SessionList.Wanted)
        sessions.show(entries(5), query=parse("docker"))
        await pilot.pause()
        wanted = app.take(SessionList.Wanted)
        assert [e.id for e in wanted[-1].excerpts] == ["s0", "s1", "s2", "s3", "s4"]
        assert wanted[-1].details == ()
        sessions.put_excerpts({f"s{n}": excerpt("a docker b", "docker") for n in range(4)} | {"s4": None})
        sessions.show(entries(5), query=parse("docker"))
        await pilot.pause()
        assert app.take(SessionList.Wanted) == []
        sessions.show(entries(5), query=parse("dockerx"))
        await pilot.pause()
        assert len(app.take(SessionList.Wanted)[-1].excerpts) == 5
        sessions.show(entries(5))
        await pilot.pause()
        assert app.take(SessionList.Wanted) == []


async def test_outdated_details_are_drawn_until_new_ones_come() -> None:
    async with shown(entries(2)) as (sessions, app, pilot):
        sessions.put([details("s0", "old"), details("s1", "other")])
        await pilot.pause()
        app.take(SessionList.Wanted)
        sessions.outdate(["s0"])
        await pilot.pause()
        assert [e.id for e in app.take(SessionList.Wanted)[-1].details] == ["s0"]
        assert "old" in lines_of(sessions)[1]
        sessions.put([details("s0", "new")])
        assert "new" in lines_of(sessions)[1]


async def test_details_are_forgotten_beyond_a_number() -> None:
    many = entries(KEPT_DETAILS + 5)
    async with shown(many) as (sessions, app, pilot):
        sessions.put(details(e.id) for e in many)
        app.take(SessionList.Wanted)
        sessions.jump(1)
        await pilot.pause()
        assert [e.id for e in app.take(SessionList.Wanted)[-1].details] == ["s0", "s1", "s2", "s3", "s4"]


async def test_near_end_is_told_once_for_each_length() -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        assert app.take(SessionList.NearEnd) == []
        await pilot.press("G", "k", "g", "G")
        await pilot.pause()
        assert [message.length for message in app.take(SessionList.NearEnd)] == [100]
        sessions.show(entries(110))
        await pilot.pause()
        assert [message.length for message in app.take(SessionList.NearEnd)] == [110]


# --- what is drawn again


async def test_one_step_draws_two_lines_and_details_draw_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown(entries(100)) as (sessions, _, _pilot):
        sessions.put(details(f"s{n}") for n in range(20))
        lines_of(sessions)
        drawn: list[tuple[int, int]] = []

        def refresh(*regions: Region, **_more: Any) -> None:
            drawn.extend((region.y, region.height) for region in regions or (Region(0, 0, 80, 11),))

        monkeypatch.setattr(sessions, "refresh", refresh)
        sessions.cursor_down()
        assert drawn == [(1, 1), (2, 1)]
        drawn.clear()
        sessions.put([details("s4", "Short"), details("s90")])
        assert drawn == [(5, 1)]


async def test_times_grow_old() -> None:
    moment = [NOW]
    sessions = SessionList(lambda: moment[0])
    async with ListApp(sessions).run_test(size=(80, 4)) as pilot:
        await pilot.pause()
        sessions.show(entries(1))
        sessions.put([details("s0")])
        assert "2h ago" in lines_of(sessions)[1]
        moment[0] += 3600
        sessions._repaint()
        assert "3h ago" in lines_of(sessions)[1]


# --- what a line shows

ROWS = [
    details("s0", "weekly report", "What changed since Monday?", messages=40, pinned=True),
    details("s1", "Fix Docker Build #3", "the docker deploy fails on the second host"),
    details(
        "s2", "数据库重构", "把用户表迁移到新的 schema", last_active=NOW - DAY, status=Status.INTERRUPTED
    ),
    details("s3", "k8s", "Plan the migration", edge=Edge.BRANCH, status=Status.RUNNING, last_active=NOW),
    details("s4", "", "why is docker pull so slow?", status=Status.EMPTY, messages=0),
    details("s5", "backup", "run it", status=Status.ERROR, messages=12_345, last_active=None),
]
AT_80 = """\
   Title                 Preview                Last active  Src        Msgs
 ★ weekly report         What changed since M…  2h ago       telegram     40  ✓
▸  Fix Docker Build #3   the docker deploy fa…  2h ago       telegram    142  ✓
   数据库重构            把用户表迁移到新的 s…  yesterday    telegram    142  !
 ● k8s (branch)          Plan the migration     just now     telegram    142  ◉
   —                     why is docker pull s…  2h ago       telegram      0  ·
   backup                run it                 ?            telegram    12k  ✗
   …                                            6d ago       telegram"""
AT_60_SEARCHING = """\
   Title                 Preview             Last active
 ★ weekly report         What changed sinc…  2h ago       ✓
▸  Fix Docker Build #3   …docker deploy fa…  2h ago       ✓
   数据库重构            把用户表迁移到新…   yesterday    !
 ● k8s (branch)          Plan the migration  just now     ◉
   —                     why is docker pul…  2h ago       ·
   backup                run it              ?            ✗
   …                                         6d ago"""
AT_40 = """\
   Title                 Last active
 ★ weekly report         2h ago       ✓
▸  Fix Docker Build #3   2h ago       ✓
   数据库重构            yesterday    !
 ● k8s (branch)          just now     ◉
   — why is docker pul…  2h ago       ·
   backup                ?            ✗
   …                     6d ago"""
AT_20 = """\
   Title
 ★ weekly report
▸  Fix Docker Buil…
   数据库重构
 ● k8s (branch)
   — why is docker…
   backup
   …"""


@pytest.mark.parametrize(
    ("width", "search", "picture"),
    [(80, "", AT_80), (60, "docker", AT_60_SEARCHING), (40, "", AT_40), (20, "", AT_20)],
)
async def test_a_line(width: int, search: str, picture: str) -> None:
    async with shown(entries(7), size=(width, 8)) as (sessions, _, pilot):
        sessions.show(entries(7), query=parse(search) if search else None)
        sessions.put(ROWS)
        sessions.put_excerpts(
            {"s1": excerpt("then at last the docker deploy failed", "docker")} if search else {}
        )
        sessions.marked = frozenset({"s3"})
        sessions.cursor_down()
        await pilot.pause()
        assert lines_of(sessions) == picture.splitlines()


async def test_hits_have_a_column_while_there_is_a_search() -> None:
    async with shown(entries(2), size=(100, 4)) as (sessions, _, _pilot):
        sessions.put(ROWS)
        sessions.show(entries(2), query=parse("docker"))
        sessions.set_hits({"s0": "7", "s1": "12+"})
        assert [line[62:66] for line in lines_of(sessions)[:3]] == ["Hits", "   7", " 12+"]
        sessions.show(entries(2))
        assert "Hits" not in lines_of(sessions)[0]


async def test_without_utf8_every_mark_is_ascii() -> None:
    async with shown(entries(2), marks=ASCII) as (sessions, _, _pilot):
        sessions.put([ROWS[0]])
        assert lines_of(sessions)[1].isascii()
        assert lines_of(sessions)[1].startswith(">^ weekly report")


def marked_text(sessions: SessionList, line: int, colour: str = AMBER) -> str:
    return "|".join(
        segment.text
        for segment in sessions.render_line(line)
        if segment.style and segment.style.color and segment.style.color.name == colour
    )


@pytest.mark.parametrize(
    ("text", "words", "marked"),
    [
        ("plain docker here", ("docker",), "docker"),
        ("数据库 docker 里", ("docker",), "docker"),
        ("数据库里", ("据库",), "据库"),
        ("un e\u0301te\u0301 ici", ("e\u0301te",), "e\u0301te\u0301"),
        ("a \x1b[31mdocker\x1b[0m b", ("docker",), "docker"),
        ("a \x1b]0;docker\x07 b", ("docker",), ""),
        ("a\t\n  docker\u202e  b docker", ("docker",), "docker"),
        ("🚀 docker 🚀 pull", ("docker", "pull"), "docker|pull"),
    ],
)
async def test_matches_are_marked_on_the_right_cells(text: str, words: tuple[str, ...], marked: str) -> None:
    async with shown(entries(1), size=(90, 4)) as (sessions, _, _pilot):
        sessions.show(entries(1), query=parse("x"))
        sessions.put([details("s0", "A title", status=Status.COMPLETE)])
        sessions.put_excerpts({"s0": excerpt(text, *words)})
        assert marked_text(sessions, 1).split("|", 1)[1:] == ([marked] if marked else [])


async def test_a_title_that_matches_is_marked() -> None:
    async with shown(entries(1), size=(90, 4)) as (sessions, _, _pilot):
        sessions.show(entries(1), query=parse("dock"))
        sessions.put([details("s0", "Fix Docker Build")])
        assert marked_text(sessions, 1) == "▸  |Docker"


@pytest.mark.parametrize("colors", ["truecolor", "standard"])
async def test_the_cursor_is_seen_without_colours(colors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if colors == "truecolor":
        monkeypatch.setenv("NO_COLOR", "1")
    async with shown(entries(2), colors=colors) as (sessions, _, _pilot):
        sessions.put(ROWS)
        assert all(segment.style and segment.style.reverse for segment in sessions.render_line(1))
        assert not any(segment.style and segment.style.reverse for segment in sessions.render_line(2))
    monkeypatch.delenv("NO_COLOR", raising=False)
    async with shown(entries(2)) as (sessions, _, _pilot):
        sessions.put(ROWS)
        assert not any(segment.style and segment.style.reverse for segment in sessions.render_line(1))
        backgrounds = {s.style.bgcolor.name for s in sessions.render_line(1) if s.style and s.style.bgcolor}
        assert backgrounds == {ROW}


async def test_a_new_theme_draws_everything_anew() -> None:
    async with shown(entries(1)) as (sessions, app, pilot):
        sessions.put(ROWS)
        assert marked_text(sessions, 1, CREAM) != ""
        app.theme = "textual-light"
        await pilot.pause()
        assert marked_text(sessions, 1, CREAM) == ""


def test_columns_drop_one_by_one() -> None:
    def left(width: int) -> str:
        columns = plan(width, searching=True, title=24)
        return " ".join(name for name in ("preview", "hits", "active", "source", "messages", "status")
                        if getattr(columns, name))  # fmt: skip

    dropped = {left(width): width for width in range(200, 0, -1)}
    assert list(dropped) == [
        "preview hits active source messages status",
        "preview hits active source status",
        "preview hits active status",
        "preview active status",
        "active status",
        "active",
        "",
    ]
    assert plan(117, searching=True, title=24) == Columns(24, 49, 4, 11, 8, 5, 1)
    assert plan(79, searching=True, title=24).source == 4
    assert plan(20, searching=True, title=24).title == 17


# --- any text at all

ANY_TEXT = st.text(st.characters(codec=None), max_size=80) | st.sampled_from(
    [
        "\x1b[2J",
        "\x1b]8;;http://x\x07link\x1b]8;;\x07",
        "a\rb",
        "\ud800",
        "\u202eevil",
        "👩‍🚀" * 30,
        "数" * 90,
        "e\u0301" * 60,
    ]
)
FORBIDDEN = {"Cc", "Cs"}


@settings(max_examples=300, deadline=None)
@given(
    ANY_TEXT,
    ANY_TEXT,
    ANY_TEXT,
    st.integers(1, 140),
    st.booleans(),
    st.data(),
    st.sampled_from([UNICODE, ASCII]),
)
def test_no_text_acts_and_every_line_has_its_width(
    title: str, words: str, source: str, width: int, searching: bool, data: st.DataObject, marks: Marks
) -> None:
    start = data.draw(st.integers(0, len(words)))
    end = data.draw(st.integers(start, len(words)))
    row = Row(
        entry=Entry("s", ("s",), NOW, source),
        details=details("s", title, words, source=source, edge=Edge.BRANCH if searching else Edge.ROOT),
        excerpt=Excerpt(words, ((start, end),), 1, "s", "user") if searching else None,
        hits="7+",
        cursor=True,
        marked=True,
    )
    columns = plan(width, searching=searching, title=len(title))
    painter = RowPainter(columns, marks, lambda *_: Style.null(), NOW, parse(words) if searching else None)
    for strip in (painter.row(row, width), painter.header(width)):
        assert cell_len(strip.text) == strip.cell_length == width
        assert not FORBIDDEN & {unicodedata.category(char) for char in strip.text}
