"""`hermes-tui sessions export`: what goes where, in which format; the documents themselves are tested with `export`."""

from __future__ import annotations

import json
from operator import itemgetter
from pathlib import Path

import pytest

from storage import SessionDB
from tests.cli.conftest import OnStore
from tests.support.commands import Commands, files
from tests.support.stores import BuildV11

SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
ROWS = f"""
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
('root','cli',1780000000,1780000900,'compression','Docker',NULL),
('tip','cli',1780000901,1780001900,'x','Docker #2','root'),
('other','telegram',1780000000,1780000001,'x','Key',NULL),('open','telegram',1780000000,NULL,NULL,'open',NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','said in '||id,started_at FROM sessions;
INSERT INTO messages(session_id,role,content,timestamp) VALUES('other','user','OPENAI_API_KEY={SECRET}',1780000001),
('other','user','esc '||char(27)||'[31m'||char(155)||'2J',1780000002);
"""
ALL = ["root", "tip", "other", "open"]


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore) -> Commands:
    return on_store(build_v11(ROWS))


@pytest.fixture
def to(tmp_path: Path) -> Path:
    path = tmp_path / "exports"
    path.mkdir()
    return path


def ids(text: str) -> list[str]:
    return [json.loads(line)["id"] for line in text.splitlines()]


def test_everything_is_a_backup(sessions: Commands, to: Path) -> None:
    done = sessions("export", f"{to}/backup.jsonl")
    assert (done.status, done.out, done.err) == (0, f"Exported 4 sessions to {to}/backup.jsonl\n", "")
    assert sorted(ids((to / "backup.jsonl").read_text())) == sorted(ALL)
    assert SECRET in (to / "backup.jsonl").read_text()


def test_one_session_or_its_conversation(sessions: Commands, to: Path) -> None:
    done = sessions("export", f"{to}/one.jsonl", "--session-id", "ti")
    assert done.out == f"Exported 1 session to {to}/one.jsonl\n"
    assert ids((to / "one.jsonl").read_text()) == ["tip"]
    done = sessions("export", f"{to}/whole.jsonl", "--session-id", "root", "--lineage", "logical")
    assert done.out == f"Exported 1 conversation to {to}/whole.jsonl\n"
    (whole,) = map(json.loads, (to / "whole.jsonl").read_text().splitlines())
    assert [part["id"] for part in whole["segments"]] == ["root", "tip"]


def test_filters_leave_what_has_ended(sessions: Commands, to: Path) -> None:
    done = sessions("export", f"{to}/a.jsonl", "--source", "telegram")
    assert done.err == "1 open session skipped (--include-open takes them too).\n"
    assert ids((to / "a.jsonl").read_text()) == ["other"]
    sessions("export", f"{to}/b.jsonl", "--source", "telegram", "--include-open")
    assert sorted(ids((to / "b.jsonl").read_text())) == ["open", "other"]
    done = sessions("export", f"{to}/c.jsonl", "--source", "nowhere")
    assert (done.status, done.out) == (0, "No sessions match (source 'nowhere').\n")
    assert not (to / "c.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "begin"), [("x.md", "# Key"), ("x.HTML", "<!doctype html>"), ("x.json", "["), ("x", "{")]
)
def test_the_ending_says_the_format(sessions: Commands, to: Path, name: str, begin: str) -> None:
    sessions("export", f"{to}/{name}", "--session-id", "other")
    text = (to / name).read_text()
    assert text.lower().startswith(begin.lower())
    assert (SECRET in text) is (begin in "[{")


@pytest.mark.parametrize(
    ("form", "word", "masked"),
    [("md", None, True), ("md", "--no-redact", False), ("jsonl", None, False), ("jsonl", "--redact", True)],
)
def test_secrets(sessions: Commands, form: str, word: str | None, masked: bool) -> None:
    done = sessions("export", "-", "--session-id", "other", "--format", form, *([word] if word else []))
    assert (SECRET in done.out) is not masked
    assert done.err == ("1 secret masked (--no-redact leaves them).\n" if masked else "")


def test_several_documents_go_into_a_directory(sessions: Commands, to: Path) -> None:
    done = sessions("export", f"{to}/docs", "--format", "md", "--lineage", "logical")
    assert (done.status, done.out) == (0, f"Exported 3 conversations to {to}/docs\n")
    assert sorted(path.name for path in (to / "docs").iterdir()) == ["Docker-2.md", "Key.md", "open.md"]
    done = sessions("export", "-", "--format", "md")
    assert (done.status, done.out) == (3, "")
    assert done.err == (
        "hermes-tui: Several conversations need a directory; only JSON and JSONL hold more than one.\n"
    )


@pytest.mark.parametrize("ending", ["pdf", "gz", "TXT", "2026-10-01"])
def test_an_ending_of_no_format(sessions: Commands, to: Path, ending: str) -> None:
    done = sessions("export", f"{to}/all.jsonl.{ending}")
    assert (done.status, done.out, done.err) == (
        2,
        "",
        f"hermes-tui: Nothing is exported as .{ending.lower()}: name the file .md, .html, .json or .jsonl,"
        " or say the --format.\n",
    )
    assert list(to.iterdir()) == []
    assert sessions("export", f"{to}/all.{ending}", "--format", "jsonl").status == 0
    (to / f"dir.{ending}").mkdir()
    assert sessions("export", f"{to}/dir.{ending}").out.endswith(f"dir.{ending}/conversations.jsonl\n")


@pytest.mark.parametrize(
    "words", [["all.md"], ["all.HTML"], ["all.json", "--format", "md"], ["all.md", "--dry-run"]]
)
def test_no_directory_gets_the_name_of_a_file(sessions: Commands, to: Path, words: list[str]) -> None:
    done = sessions("export", f"{to}/{words[0]}", *words[1:])
    assert (done.status, done.out, done.err) == (
        2,
        "",
        f"hermes-tui: {to}/{words[0]} holds one conversation, and these are 4: name a directory for their files"
        f" ({to}/all/), or a file for all of them (.jsonl).\n",
    )
    assert list(to.iterdir()) == []
    assert sessions("export", f"{to}/all/", "--format", "md").out == f"Exported 4 sessions to {to}/all\n"
    assert sessions("export", f"{to}/one.md", "--session-id", "tip").status == 0


def test_sessions_that_no_id_names_are_counted(build_v11: BuildV11, on_store: OnStore, to: Path) -> None:
    sessions = on_store(
        build_v11(
            "INSERT INTO sessions(id,source,started_at) VALUES('good','cli',1),(x'6261',  'cli',1),"
            "('nul'||char(0)||'l','cli',1),(CAST(x'ff' AS TEXT),'cli',1);"
        )
    )
    done = sessions("export", f"{to}/x.jsonl")
    assert (done.status, done.out) == (0, f"Exported 1 session to {to}/x.jsonl\n")
    assert done.err == "Without 3 sessions whose ids are missing or no text: they cannot be named.\n"
    assert ids((to / "x.jsonl").read_text()) == ["good"]
    assert sessions("export", f"{to}/y.jsonl", "--json").json["unnamed"] == 3
    assert sessions("export", f"{to}/z.jsonl", "--session-id", "good").err == ""


def test_nothing_is_overwritten_without_a_yes(sessions: Commands, to: Path) -> None:
    path = to / "there.jsonl"
    path.write_text("precious")
    done = sessions("export", str(path))
    assert (done.status, done.err) == (
        1,
        f"hermes-tui: {path} exists already, so nothing was exported: there is no terminal to ask on;"
        " add --yes to go ahead without a question.\n",
    )
    assert sessions("export", str(path), typed="n\n").status == 1
    assert path.read_text() == "precious"
    done = sessions("export", str(path), typed="y\n")
    assert (done.status, done.err) == (0, f"{path} exists. Replace it? [y/N] ")
    assert len(ids(path.read_text())) == 4
    for word in ("--yes", "--force"):
        path.write_text("precious")
        assert sessions("export", str(path), word).status == 0
        assert len(ids(path.read_text())) == 4


def test_what_cannot_be_written_is_said_in_a_line(sessions: Commands, to: Path) -> None:
    (to / "circle").symlink_to(to / "circle")
    for path in (
        f"{to}/no/where.jsonl", str(sessions.path), "/dev/null/x", f"{to}/{'n' * 300}.md", f"{to}/{'n/' * 3000}",
        f"{to}/circle", f"{to}/circle/x.md",
    ):  # fmt: skip
        for word in ("--yes", "--json"):
            form = [] if path.endswith((".md", ".jsonl")) else ["--format", "jsonl"]
            done = sessions("export", path, word, *form, "--session-id", "other")
            assert (done.status, done.out, done.err.count("\n")) in ((3, "", 1), (1, "", 1)), path


def test_a_terminal_gets_safe_lines_and_a_pipe_exact_ones(sessions: Commands) -> None:
    seen = sessions("export", "-", "--session-id", "other", "--format", "md", watched=True).out
    assert "esc" in seen
    assert seen.replace("\n", "").isprintable()
    exact = sessions("export", "-", "--session-id", "other").out
    assert json.loads(exact)["messages"][2]["content"] == "esc \x1b[31m\x9b2J"


def test_a_pipe_is_utf8_whatever_the_locale(sessions: Commands) -> None:
    sessions("rename", "other", "Größe 数")
    done = sessions("export", "-", "--session-id", "other", encoding="ascii")
    assert json.loads(done.out)["title"] == "Größe 数"


def test_a_rehearsal_writes_nothing(sessions: Commands, to: Path) -> None:
    done = sessions("export", f"{to}/x", "--format", "md", "--lineage", "logical", "--dry-run")
    assert done.out == "Would export 3 conversations as MARKDOWN.\nDry run — nothing exported.\n"
    assert list(to.iterdir()) == []


def test_the_store_is_only_read(sessions: Commands, to: Path) -> None:
    before = files(sessions.path.parent)
    sessions("export", f"{to}/x.jsonl")
    assert files(sessions.path.parent) == before


def test_json(sessions: Commands, to: Path) -> None:
    assert sessions("export", f"{to}/x.md", "--session-id", "other", "--json").json == {
        "path": f"{to}/x.md",
        "format": "md",
        "lineage": "single",
        "conversations": 1,
        "messages": 3,
        "masked": 1,
        "missing": [],
        "unnamed": 0,
        "open_skipped": 0,
        "cancelled": False,
        "dry_run": False,
    }


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["-", "--json"],
            "--json answers on the output, which the export is to go to: give it a file, or no --json.",
        ),
        (
            ["x", "--session-id", "tip", "--source", "cli"],
            "--session-id and filters cannot be mixed: give the one or the other.",
        ),
        ([""], "OUTPUT names no file: give one, a directory, or - for the output."),
    ],
)
def test_what_cannot_be_meant(sessions: Commands, words: list[str], complaint: str) -> None:
    done = sessions("export", *words)
    assert (done.status, done.out, done.err) == (2, "", f"hermes-tui: {complaint}\n")


def test_what_is_exported_can_be_imported(
    sessions: Commands, to: Path, on_store: OnStore, tmp_path: Path
) -> None:
    for name in ("x.jsonl", "x.json"):
        sessions("export", f"{to}/{name}", "--lineage", "logical")
        path = tmp_path / name / "state.db"
        path.parent.mkdir()
        SessionDB(path).close()
        other = on_store(path)
        assert other("import", f"{to}/{name}").out == "Imported 4 sessions.\n"
        with SessionDB(path, read_only=True) as theirs, SessionDB(sessions.path, read_only=True) as ours:
            for one in ALL:
                there, here = (
                    [*map(itemgetter("id", "content"), db.get_messages(one))] for db in (theirs, ours)
                )
                assert there == here
