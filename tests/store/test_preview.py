"""The first words of a conversation, as its row shows them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from tests.store.row_of_store import listed
from tests.support.listed import Opened
from tests.support.stores import BuildV11


def preview(build: BuildV11, opened: Opened, *contents: str | bytes | int | None) -> str:
    path = build("INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1780000000);")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.executemany(
            "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'user', ?, ?)",
            [(content, 1780000001 + n) for n, content in enumerate(contents)],
        )
    return listed(opened(path))["s"].preview


def test_a_long_opening_is_cut_at_a_hundred_characters(build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, "x" * 2_500_000) == "x" * 100 + "…"


def test_a_hundred_characters_are_not_cut(build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, "字" * 100) == "字" * 100


def test_a_cut_never_shows_half_a_character(build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, "🚀" * 1000) == "🚀" * 100 + "…"


def test_no_blank_stands_before_the_ellipsis(build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, "y" * 99 + " and more") == "y" * 99 + "…"


def test_the_text_part_of_encoded_content_is_found_wherever_it_stands(
    build_v11: BuildV11, opened: Opened
) -> None:
    parts = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 5000}},
        {"type": "text", "text": "what is\nthis?"},
    ]
    assert preview(build_v11, opened, "\0json:" + json.dumps(parts)) == "what is this?"


def test_a_picture_alone_says_nothing(build_v11: BuildV11, opened: Opened) -> None:
    picture = "\0json:" + json.dumps([{"type": "image_url", "image_url": {"url": "data:,A"}}])
    assert preview(build_v11, opened, picture, "[image] is what I call it") == "[image] is what I call it"


def test_what_is_stored_in_other_types_is_text_too(build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, b"bytes \xff here") == "bytes \ufffd here"


def test_a_number_is_text_too(build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, None, 42) == "42"


def test_a_nul_does_not_end_the_words(build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, "before\0after") == "before\0after"


@pytest.mark.parametrize("opening", ["[CONTEXT COMPACTION — REFERENCE ONLY] x", " [CONTEXT SUMMARY]: x"])
def test_a_summary_is_nobodys_words(opening: str, build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, opening, "go on") == "go on"


@pytest.mark.parametrize("empty", [2, 3, 29, 300, 301])
def test_any_number_of_empty_messages_is_passed_over(empty: int, build_v11: BuildV11, opened: Opened) -> None:
    assert preview(build_v11, opened, *[" \n\t" for _ in range(empty)], "at last") == "at last"


def test_scaffolding_marked_summaries_and_what_was_taken_back_are_passed_over(
    build_v11: BuildV11, opened: Opened
) -> None:
    path = build_v11(
        """ALTER TABLE messages ADD COLUMN active INTEGER DEFAULT 1;
        ALTER TABLE messages ADD COLUMN _compressed_summary INTEGER DEFAULT 0;
        ALTER TABLE messages ADD COLUMN display_kind TEXT;
        INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1780000000);
        INSERT INTO messages(session_id, role, content, timestamp, active, _compressed_summary, display_kind) VALUES
        ('s', 'user', 'taken back', 1780000001, 0, 0, NULL), ('s', 'user', 'summary', 1780000002, 1, 1, NULL),
        ('s', 'user', 'scaffolding', 1780000003, 1, 0, 'hidden'), ('s', 'assistant', 'hi', 1780000004, 1, 0, NULL),
        ('s', 'user', 'steered', 1780000005, 1, 0, 'steer'), ('s', 'user', 'own', 1780000006, 1, 0, NULL);"""
    )
    assert listed(opened(path))["s"].preview == "steered"


def test_a_part_without_own_words_leaves_the_word_to_the_next(build_v11: BuildV11, opened: Opened) -> None:
    path = build_v11(
        """INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id) VALUES
        ('a', 'cli', 1780000000, 1780000100, 'compression', NULL),
        ('b', 'cli', 1780000100, 1780000200, 'compression', 'a'), ('c', 'cli', 1780000200, NULL, NULL, 'b');
        INSERT INTO messages(session_id, role, content, timestamp) VALUES ('a', 'assistant', 'hello', 1780000001),
        ('b', 'user', '[CONTEXT COMPACTION] x', 1780000101), ('c', 'user', 'third part', 1780000201);"""
    )
    assert listed(opened(path))["c"].preview == "third part"
