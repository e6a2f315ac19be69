"""What comes before a question fits the terminal: rows are cut, sentences broken, ids and paths stay whole."""

from __future__ import annotations

import pytest

from hermes_tui.cli.output import Output
from hermes_tui.text.safe_text import width
from tests.cli.conftest import OnStore
from tests.support.commands import Commands
from tests.support.stores import BuildV11

ROWS = """
INSERT INTO sessions(id, source, model, started_at, ended_at, title, message_count) VALUES
  ('20260201_120000_aaaaaa', 'telegram', 'anthropic/claude-opus-4.6-thinking', 1770000000, 1770009000,
   'Rebuild the deployment pipeline for the second data centre', 142),
  ('20260201_130000_bbbbbb', 'cli', 'gpt-5.4', 1770003600, 1770009000,
   '数据库重构与迁移到新的集群的计划以及回滚步骤', 3),
  ('20260201_140000_cccccc', 'cli', NULL, 1770007200, 1770009000, NULL, 9);
"""
IDS = ["20260201_120000_aaaaaa", "20260201_130000_bbbbbb", "20260201_140000_cccccc"]
WORDS = {
    "prune": ("prune", "--older-than", "30"),
    "delete": ("delete", *IDS),
}


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore) -> Commands:
    commands = on_store(build_v11(ROWS))
    commands.now = 1790000000.0
    return commands


@pytest.mark.parametrize("columns", [24, 40, 80, 100, 200])
@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_every_line_fits_and_every_id_is_whole(
    words: tuple[str, ...], columns: int, sessions: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Output, "columns", columns)
    asked = sessions(*words, typed="n\n")
    question, _, _ = asked.err.partition("[y/N]")
    lines = [*asked.out.splitlines(), *question.splitlines()]
    assert max(map(width, lines)) <= columns
    assert [line.split()[0] for line in lines if line.startswith("  2026")] == IDS


def test_at_80_columns_the_model_goes_before_the_title(
    sessions: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Output, "columns", 80)
    asked = sessions(*WORDS["prune"], typed="n\n")
    assert asked.out.splitlines()[:5] == [
        "3 session(s) match (last active before 2026-08-22 14:13; oldest 2026-02-02",
        "02:40, newest 2026-02-02 04:40):",
        "  20260201_120000_aaaaaa  2026-02-02 02:40  telegram  142 msgs  Rebuild the dep…",
        "  20260201_130000_bbbbbb  2026-02-02 03:40  cli         3 msgs  数据库重构与迁…",
        "  20260201_140000_cccccc  2026-02-02 04:40  cli         9 msgs",
    ]
    assert asked.err.splitlines() == [
        "Delete these 3 session(s) (oldest 2026-02-02 02:40, newest 2026-02-02 04:40)?",
        "[y/N] \x1b[2mCancelled.\x1b[0m",
    ]


def test_a_program_reads_all_of_it(sessions: Commands) -> None:
    lines = sessions(*WORDS["prune"], "--dry-run").out.splitlines()
    assert lines[1] == (
        "  20260201_120000_aaaaaa  2026-02-02 02:40  telegram   claude-opus-4.6-thinking  142 msgs "
        " Rebuild the deployment pipeline for…"
    )


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (None, ["Wrote it to /srv/a-rather-long-name.md."]),
        (30, ["Wrote it to", "/srv/a-rather-long-name.md."]),
        (20, ["Wrote it to /srv/a-rather-long-name.md."]),
        (0, ["Wrote it to /srv/a-rather-long-name.md."]),
    ],
)
def test_a_sentence_ends_its_lines_between_words(
    columns: int | None, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Output, "columns", columns)
    assert Output().broken("Wrote it to /srv/a-rather-long-name.md.") == lines
