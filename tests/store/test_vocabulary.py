"""What the vocabulary is asked is a few narrow ranges of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from storage.engine.connection import Reader, open_reader
from storage.finding import vocabulary
from tests.support.layouts import Row, write


@pytest.mark.parametrize(
    "ask", [vocabulary.escaped, vocabulary.escaped_letters, vocabulary.has_other_escapes]
)
def test_words_that_only_begin_with_the_letter_of_an_escape_are_not_walked_through(
    tmp_path: Path, ask: Callable[[Reader], object]
) -> None:
    words = " ".join(f"us{n}" for n in range(3_000))
    reader = open_reader(write(tmp_path / "state.db", "external", [Row("a", words)]))
    steps: list[None] = []
    try:
        reader._connection.set_progress_handler(lambda: steps.append(None), 1)
        assert not ask(reader)
        assert len(steps) < 3_000
    finally:
        reader.close()
