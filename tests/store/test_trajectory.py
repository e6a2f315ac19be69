"""Trajectories: one line a talk, and what becomes of scratchpads (seed 002)."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import (
    RowRefused,
    TrajectoryNotSaved,
    convert_scratchpad_to_think,
    has_incomplete_scratchpad,
    save_trajectory,
)

TALK = [{"from": "human", "value": "数据库 🦀?"}, {"from": "gpt", "value": "<think>…</think>Ja."}]


def entries(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_line_holds_the_talk_the_model_and_how_it_went(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    save_trajectory(TALK, "nous/hermes-5", True, file)
    save_trajectory([], "other", False, str(file))
    first, second = entries(file)
    assert list(first) == ["conversations", "timestamp", "model", "completed"]
    assert (first["conversations"], first["model"], first["completed"]) == (TALK, "nous/hermes-5", True)
    assert (second["conversations"], second["model"], second["completed"]) == ([], "other", False)
    assert datetime.fromisoformat(str(first["timestamp"])) <= datetime.now()
    assert "数据库 🦀?" in file.read_text(encoding="utf-8")


def test_completed_and_failed_talks_go_to_files_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_trajectory(TALK, "m", True)
    save_trajectory(TALK, "m", False)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "failed_trajectories.jsonl",
        "trajectory_samples.jsonl",
    ]


def test_half_a_line_that_was_left_swallows_nothing(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text('{"conversations": [', encoding="utf-8")
    save_trajectory(TALK, "m", True, file)
    torn, whole = file.read_text(encoding="utf-8").splitlines()
    assert torn == '{"conversations": ['
    assert json.loads(whole)["conversations"] == TALK


def test_what_cannot_be_saved_is_said_and_leaves_the_file_alone(tmp_path: Path) -> None:
    with pytest.raises(RowRefused, match="the trajectory cannot be put into JSON"):
        save_trajectory([{"value": object()}], "m", True, tmp_path / "none.jsonl")
    assert list(tmp_path.iterdir()) == []
    missing = tmp_path / "missing" / "some.jsonl"
    with pytest.raises(TrajectoryNotSaved) as refused:
        save_trajectory(TALK, "m", True, missing)
    assert str(refused.value) == (
        f"The trajectory was not saved: {missing} cannot be written (No such file or directory)."
    )


def test_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    save_trajectory([{"value": "a\ud800b"}], "m", True, tmp_path / "some.jsonl")
    assert entries(tmp_path / "some.jsonl")[0]["conversations"] == [{"value": "a\ufffdb"}]


def test_lines_of_several_processes_do_not_mix(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    code = (
        "import sys; from storage import save_trajectory\n"
        "for turn in range(20): save_trajectory([{'value': sys.argv[1] * 50_000}], 'm', True, sys.argv[2])"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, letter, str(file)]) for letter in "abcd"]
    assert [process.wait(timeout=60) for process in processes] == [0] * 4
    values = [entry["conversations"] for entry in entries(file)]
    assert sorted(map(str, values)) == sorted(
        str([{"value": one * 50_000}]) for one in "abcd" for _ in range(20)
    )


@pytest.mark.parametrize(
    ("text", "converted", "unfinished"),
    [
        ("", "", False),
        ("plain", "plain", False),
        ("<REASONING_SCRATCHPAD>a</REASONING_SCRATCHPAD>b", "<think>a</think>b", False),
        ("<REASONING_SCRATCHPAD>a", "<think>a", True),
        (
            "<REASONING_SCRATCHPAD>a</REASONING_SCRATCHPAD><REASONING_SCRATCHPAD>b",
            "<think>a</think><think>b",
            True,
        ),
        ("a</REASONING_SCRATCHPAD>", "a</REASONING_SCRATCHPAD>", False),
        ("<reasoning_scratchpad>a", "<reasoning_scratchpad>a", False),
    ],
)
def test_scratchpads(text: str, converted: str, unfinished: bool) -> None:
    assert convert_scratchpad_to_think(text) == converted
    assert has_incomplete_scratchpad(text) is unfinished


PIECES = st.lists(
    st.one_of(
        st.sampled_from(["<REASONING_SCRATCHPAD>", "</REASONING_SCRATCHPAD>", "<", "\n"]), st.text(max_size=4)
    )
)


@given(PIECES)
def test_a_converted_text_holds_no_scratchpad_and_loses_nothing(pieces: list[str]) -> None:
    text = "".join(pieces)
    converted = convert_scratchpad_to_think(text)
    assert "<REASONING_SCRATCHPAD>" not in converted
    assert convert_scratchpad_to_think(converted) == converted
    if "<REASONING_SCRATCHPAD>" in text and "think>" not in text:
        back = converted.replace("<think>", "<REASONING_SCRATCHPAD>")
        assert back.replace("</think>", "</REASONING_SCRATCHPAD>") == text


@given(PIECES)
def test_a_scratchpad_is_unfinished_while_one_more_tag_would_end_it(pieces: list[str]) -> None:
    text = "".join(pieces)
    open_ = False
    for place in range(len(text)):
        if text.startswith("<REASONING_SCRATCHPAD>", place):
            open_ = True
        elif text.startswith("</REASONING_SCRATCHPAD>", place):
            open_ = False
    assert has_incomplete_scratchpad(text) is open_
    assert not has_incomplete_scratchpad(f"{text}</REASONING_SCRATCHPAD>")
