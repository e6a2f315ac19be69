"""What a line of the session list shows, at any width and of any text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from hermes_tui.text.marks import ASCII, UNICODE, Marks
from hermes_tui.widgets.columns import Columns, plan
from hermes_tui.widgets.session_list import SessionList
from hermes_tui.widgets.session_rows import Row, RowPainter
from storage import Edge, Entry, Excerpt, Status, parse
from tests.screen.bare_app import lines_of
from tests.screen.bare_list import DAY, NOW, details, entries, excerpt, shown

AMBER, CREAM, ROW = "#febf00", "#ede6d6", "#3a2c1a"

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


@pytest.mark.parametrize(("marks", "begins"), [(UNICODE, "▸●★weekly"), (ASCII, ">*^weekly")])
async def test_a_row_that_is_marked_and_pinned_bears_both_signs(marks: Marks, begins: str) -> None:
    async with shown(entries(2), marks=marks) as (sessions, _, _pilot):
        sessions.put(ROWS)
        sessions.marked = frozenset({"s0", "s1"})
        assert lines_of(sessions)[1].startswith(begins)
        assert lines_of(sessions)[2].startswith(f" {marks.marked} Fix Docker")
        sessions.cursor_down()
        sessions.marked = frozenset()
        assert lines_of(sessions)[1].startswith(f" {marks.pinned} weekly")


async def test_without_utf8_every_mark_is_ascii() -> None:
    async with shown(entries(2), marks=ASCII) as (sessions, _, _pilot):
        sessions.put([ROWS[0]])
        assert lines_of(sessions)[1].isascii()
        assert lines_of(sessions)[1].startswith(">^ weekly report")


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


# --- what is marked, and in which colours


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
