"""A table on a terminal: every line fits, no id is cut, what says least goes first."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.cli.columns import Column, table
from hermes_tui.cli.listing import as_screen_table
from hermes_tui.cli.output import Output
from hermes_tui.text.marks import for_encoding
from hermes_tui.text.safe_text import line, width
from storage import Conversation, SessionDB
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.support.stores import CopyStore

ROOT = Path(__file__).parent.parent.parent
NOW = 1_790_000_000.0
MARKS = for_encoding("utf-8")
IDS = ("20260921_140000_aaaaaa", "20260921_150000_bbbbbb")

Conversations = Callable[..., list[Conversation]]


@pytest.fixture
def conversations(tmp_path: Path) -> Conversations:
    """`conversations((id, title, said, cwd), …)`, the newest first, an hour apart."""

    def filled(*rows: tuple[str, str | None, str, str | None]) -> list[Conversation]:
        path = tmp_path / "state.db"
        with SessionDB(path) as db:
            db.fill(
                [
                    {
                        "id": id_,
                        "source": "cli",
                        "title": title,
                        "cwd": cwd,
                        "started_at": NOW - 3600 * number,
                    }
                    for number, (id_, title, _, cwd) in enumerate(rows, 1)
                ],
                [
                    {"session_id": id_, "role": "user", "content": said, "timestamp": NOW - 3600 * number}
                    for number, (id_, _, said, _) in enumerate(rows, 1)
                ],
            )
        with SessionDB(path, read_only=True) as db:
            return list(db.details(db.listing().entries))

    return filled


def drawn(rows: list[Conversation], columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(Output, "columns", columns)
    return list(as_screen_table(rows, NOW, Output()))


def test_at_80_columns_the_preview_gives_way_then_the_title(
    conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = conversations((IDS[0], "T" * 40, "p" * 60, None), (IDS[1], None, "what is it called", None))
    assert drawn(rows, 80, monkeypatch) == [
        "Title                  Preview               Last Active  ID",
        "─" * 80,
        f"{'T' * 20}…  {'p' * 19}…  1h ago       {IDS[0]}",
        f"what is it called                            2h ago       {IDS[1]}",
    ]
    assert drawn(rows, 90, monkeypatch)[2] == f"{'T' * 30}…  {'p' * 19}…  1h ago       {IDS[0]}"
    assert drawn(rows, 200, monkeypatch)[2] == f"{'T' * 31}…  {'p' * 39}…  1h ago       {IDS[0]}"


def test_in_less_room_columns_go_and_the_id_stays(
    conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = conversations((IDS[0], "T" * 40, "p" * 60, None))
    assert [drawn(rows, columns, monkeypatch)[0].split() for columns in (71, 70, 49, 48, 36, 35, 5)] == [
        ["Title", "Preview", "Last", "Active", "ID"],
        ["Title", "Last", "Active", "ID"],
        ["Title", "Last", "Active", "ID"],
        ["Title", "ID"],
        ["Title", "ID"],
        ["ID"],
        ["ID"],
    ]


@pytest.mark.parametrize("titled", [True, False])
@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("columns", [22, 40, 60, 80, 110, 200])
def test_every_layout_fits_every_terminal(
    titled: bool, placed: bool, columns: int, conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    cwd = "/srv/" + "w" * 30 if placed else None
    rows = conversations(
        (IDS[0], "数据库" * 9 if titled else None, "语 🚀 " * 20, cwd), (IDS[1], None, "x", cwd)
    )
    lines = drawn(rows, columns, monkeypatch)
    assert max(map(width, lines)) <= columns
    assert [text.split()[-1] for text in lines[2:]] == list(IDS)


def test_untitled_conversations_are_named_by_their_preview(
    conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = conversations((IDS[0], "titled", "unseen", "/srv/shop"), (IDS[1], None, "why is it red", None))
    assert drawn(rows, 80, monkeypatch)[2:] == [
        f"titled         shop       1h ago       {IDS[0]}",
        f"why is it red  —          2h ago       {IDS[1]}",
    ]


def test_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn([], 80, monkeypatch) == ["No sessions found."]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column], int]:
    rows = draw(st.integers(0, 3))
    ranks = draw(st.permutations(range(draw(st.integers(1, 5)))))
    text = st.text(max_size=30).map(line)
    columns = [
        Column(
            draw(text),
            draw(st.lists(text, min_size=rows, max_size=rows)),
            rank,
            draw(st.none() | st.integers(1, 30)),
            draw(st.none() | st.integers(1, 30)),
        )
        for rank in ranks
    ]
    return columns, draw(st.integers(1, 120))


@given(tables())
def test_any_table_fits_or_is_down_to_the_column_that_stays(given_: tuple[list[Column], int]) -> None:
    columns, room = given_
    lines = list(table(columns, room, MARKS))
    assert len(lines) == 2 + len(columns[0].texts)
    stays = max(columns, key=lambda column: column.rank)
    assert max(map(width, lines)) <= max(room, stays.cells)


def _listed(env: dict[str, str], store: Path, directory: Path, *, stdout: int | None) -> Iterator[str]:
    argv = [sys.executable, "-m", "hermes_tui", "--db", str(store), "sessions", "list"]
    with PseudoTerminal(argv, env=env, cwd=directory, size=(80, 60), stdout=stdout) as terminal:
        assert terminal.wait() == 0
        yield from terminal.screen.splitlines()


def test_only_a_terminal_has_the_table_fitted(copy_store: CopyStore, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    store = copy_store("state-v23.db")
    with SessionDB(store, read_only=True) as db:
        ids = {entry.id for entry in db.listing().entries[:20]}
    seen = list(_listed(env, store, tmp_path, stdout=None))
    assert {text.split()[-1] for text in seen[2:] if text[-1:].isalnum()} >= ids
    with (tmp_path / "out").open("wb") as out:
        list(_listed(env, store, tmp_path, stdout=out.fileno()))
    assert (tmp_path / "out").read_text().splitlines()[1] == "─" * 110
