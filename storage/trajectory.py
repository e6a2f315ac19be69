"""Trajectories: finished and failed talks in ShareGPT's form, one a line, in files beside the store (seed 002)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from storage.conversation.stored import sound
from storage.errors import RowRefused, TrajectoryNotSaved

COMPLETED, FAILED = "trajectory_samples.jsonl", "failed_trajectories.jsonl"
"""Where they go when nobody says otherwise."""

_OPENING, _CLOSING = "<REASONING_SCRATCHPAD>", "</REASONING_SCRATCHPAD>"


def save_trajectory(
    trajectory: Sequence[Mapping[str, Any]],
    model: str,
    completed: bool,
    filename: str | os.PathLike[str] | None = None,
) -> None:
    """Append a talk to a file of JSON lines; CJK and emoji stay readable in it.

    Several processes may append to the same file.

    Args:
        trajectory: The turns, as ShareGPT writes them ("from", "value").
        completed: Whether the talk came to its end; without a `filename` it decides between the two files, in the
            working directory.

    Raises:
        TrajectoryNotSaved: The file cannot be written.
        RowRefused: The trajectory cannot be put into JSON; nothing was written.
    """
    file = Path(filename) if filename is not None else Path(COMPLETED if completed else FAILED)
    entry = {
        "conversations": trajectory,
        "timestamp": datetime.now().isoformat(),
        "model": model,
        "completed": completed,
    }
    try:
        line = sound(json.dumps(entry, ensure_ascii=False)).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise RowRefused(f"the trajectory cannot be put into JSON ({error})") from None
    try:
        with open(file, "ab") as out:
            _wait_for_the_others(out.fileno())
            out.write(line if _ends_a_line(file) else b"\n" + line)
    except OSError as error:
        raise TrajectoryNotSaved(file, error.strerror or str(error)) from error


def convert_scratchpad_to_think(content: str) -> str:
    """The same text with `<think>` for `<REASONING_SCRATCHPAD>`, as ShareGPT has it."""
    if not has_scratchpad(content):
        return content
    return content.replace(_OPENING, "<think>").replace(_CLOSING, "</think>")


def has_scratchpad(content: str) -> bool:
    """Whether a scratchpad begins in the text."""
    return bool(content) and _OPENING in content


def has_incomplete_scratchpad(content: str) -> bool:
    """Whether a scratchpad is still open at the end of the text, as when a stream was cut off."""
    return has_scratchpad(content) and _CLOSING not in content.rpartition(_OPENING)[2]


def _wait_for_the_others(descriptor: int) -> None:
    """Lines of several processes must not mix, nor be taken for half written ones; closing lets the next one write."""
    if os.name != "nt":
        import fcntl

        # Some file systems know no locks; a line is one write there too, if a short one.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def _ends_a_line(file: Path) -> bool:
    """Whether nothing was left half written, which would swallow the next line; True where that cannot be told."""
    with suppress(OSError), open(file, "rb") as written:
        written.seek(-1, os.SEEK_END)
        return written.read(1) == b"\n"
    return True
