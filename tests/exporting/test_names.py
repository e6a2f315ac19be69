"""Names of exported files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.export.formats import Format
from hermes_tui.export.names import LONGEST, suggested_name, unique


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Fix Docker Build #3", "Fix-Docker-Build-3.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ('a\\b:c*d?e"f<g>h|i\x1b[31mj\x00', "a-b-c-d-e-f-g-h-ij.md"),
        ("数据库重构 🚀", "数据库重构-🚀.md"),
        ("con", "hermes-con.md"),
        ("NUL.txt", "hermes-NUL.txt.md"),
        ("COM1", "hermes-COM1.md"),
        ("console", "console.md"),
        (".hidden.", "hidden.md"),
        ("", "20260101_000007_ab.md"),
        ("///", "20260101_000007_ab.md"),
    ],
)
def test_a_name_is_made_of_the_title(title: str, name: str) -> None:
    assert suggested_name(title, "20260101_000007_ab", Format.MARKDOWN) == name


def test_what_has_neither_title_nor_id_has_a_name() -> None:
    assert suggested_name("", "/", Format.JSONL) == "conversation.jsonl"


@given(st.text(max_size=200), st.text(max_size=20), st.sampled_from(Format))
def test_every_file_system_takes_it(title: str, session_id: str, form: Format) -> None:
    name = suggested_name(title, session_id, form)
    assert len(name.encode()) <= LONGEST
    assert re.search(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\s]', name) is None
    assert name.endswith(f".{form}")
    assert not name.startswith((".", "-"))
    assert re.match(r"(con|prn|aux|nul|com\d|lpt\d)\.", name, re.IGNORECASE) is None


@given(st.lists(st.sampled_from(["a.md", "A.md", "b.md", f"{'数' * 39}.md", f"{'x' * 117}.md"]), max_size=15))
def test_no_name_is_given_twice(names: list[str]) -> None:
    taken: set[str] = set()
    for name in names:
        given_name = unique(name, taken)
        assert given_name.lower() not in taken
        assert len(given_name.encode()) <= LONGEST
        taken.add(given_name.lower())


def test_a_taken_name_is_numbered_whatever_its_case() -> None:
    assert unique("Talk.md", {"talk.md", "talk-2.md"}) == "Talk-3.md"
