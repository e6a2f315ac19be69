"""What each filter leaves of a store, which hidden classes it shows, and what it says of what is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from storage import Cancel, Entry, HiddenClass, Interrupted, SessionDB, Status, parse
from storage.engine.connection import Reader
from storage.finding import filter_values, filters, holding, search
from storage.finding.facts import Facts
from storage.finding.terms import Term
from tests.support.stores import NOW, BuildV11, CopyStore

DAY = 86_400

SETUP = f"""
ALTER TABLE sessions ADD COLUMN archived INTEGER;
ALTER TABLE sessions ADD COLUMN cwd TEXT;
ALTER TABLE sessions ADD COLUMN git_branch TEXT;
INSERT INTO sessions(id, source, model, title, started_at, ended_at, end_reason, parent_session_id, model_config,
    input_tokens, output_tokens, estimated_cost_usd, archived, cwd, git_branch) VALUES
('first', 'cli', 'anthropic/claude-opus-4.6', 'Café 50% done', {NOW - 40 * DAY}, {NOW - 39 * DAY}, 'compression', NULL,
    NULL, 9000, 0, 0.75, 0, '/home/me/proj', 'main'),
('tip', 'cli', 'anthropic/claude-opus-4.6', NULL, {NOW - 39 * DAY}, {NOW - 5 * DAY}, 'done', 'first',
    NULL, 1000, 1, 0.5, 0, '/home/me/proj/api', 'feature/x'),
('branch', 'cli', 'openai/gpt-5.4', 'other way', {NOW - 4 * DAY}, {NOW - 4 * DAY}, 'done', 'tip',
    '{{"_branched_from": "tip"}}', 10, 0, NULL, 0, '/home/me/project', 'maintenance'),
('chat', 'telegram', 'openai/gpt-5.4', 'groceries', {NOW - 3600}, NULL, NULL, NULL, NULL, 0, 0, NULL, 0, NULL, NULL),
('job', 'cron', 'openai/gpt-5.4', 'nightly', {NOW - 2 * DAY}, {NOW - 2 * DAY}, 'done', NULL, NULL,
    0, 0, 2, 0, NULL, ''),
('filed', 'discord', NULL, 'filed away', {NOW - 9 * DAY}, {NOW - 9 * DAY}, 'done', NULL, NULL, 0, 0, 0, 1, NULL, NULL),
('helper', 'cli', NULL, NULL, {NOW - 6 * DAY}, {NOW - 6 * DAY}, 'done', 'tip', '{{"_delegate_from": "tip"}}',
    0, 0, 0, 0, NULL, NULL),
('nothing', 'cli', NULL, '', {NOW - 3 * DAY}, {NOW - 3 * DAY}, 'done', NULL, NULL, 0, 0, 0, 0, '/srv', NULL);
INSERT INTO messages(session_id, role, content, timestamp, finish_reason, tool_name, tool_calls) VALUES
('first', 'user', 'fix the docker build', {NOW - 40 * DAY}, NULL, NULL, NULL),
('first', 'assistant', 'looking', {NOW - 40 * DAY + 1}, 'tool_calls', NULL,
    '[{{"id": "1", "function": {{"name": "terminal", "arguments": "{{}}"}}}}]'),
('first', 'tool', 'exit 137', {NOW - 40 * DAY + 2}, NULL, 'terminal', NULL),
('tip', 'assistant', 'done', {NOW - 5 * DAY}, 'stop', NULL, NULL),
('branch', 'user', 'try podman', {NOW - 4 * DAY}, NULL, NULL, NULL),
('chat', 'user', 'milk', {NOW - 3600}, NULL, NULL, NULL),
('chat', 'assistant', 'and the terminal?', {NOW - 60}, 'stop', NULL, NULL),
('job', 'assistant', 'backup failed', {NOW - 2 * DAY}, 'error', NULL, NULL),
('filed', 'user', 'old docker things', {NOW - 9 * DAY}, NULL, NULL, NULL),
('helper', 'assistant', 'read the logs', {NOW - 6 * DAY}, 'stop', NULL, '[{{"name": "read_file"}}]');
"""


@pytest.fixture
def db(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Iterator[SessionDB]:
    monkeypatch.setenv("HOME", "/home/me")
    with SessionDB(build_v11(SETUP), read_only=True, clock=lambda: NOW) as db:
        yield db


EVERYTHING = frozenset(HiddenClass)
ALL = {"tip", "branch", "chat", "job", "filed", "helper", "nothing"}


def left(db: SessionDB, line: str) -> set[str]:
    """Ids of the conversations that the line leaves, every hidden class included."""
    return {entry.id for entry in db.listing(parse(line, typing=False), show=EVERYTHING).entries}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("source:cli", {"tip", "branch", "helper", "nothing"}),
        ("source:CLI source:telegram", {"tip", "branch", "helper", "nothing", "chat"}),
        ("model:opus", {"tip"}),
        ("model:GPT", {"branch", "chat", "job"}),
        ("dir:~/proj", {"tip"}),
        ("dir:/home/me", {"tip", "branch"}),
        ("dir:/home/me/", {"tip", "branch"}),
        ("dir:proj", {"tip", "branch"}),
        ("dir:/", {"tip", "branch", "nothing"}),
        ("branch:feature/x", {"tip"}),
        ("branch:main", set()),
        ("title:cafe", {"tip"}),
        ('title:"50% do"', {"tip"}),
        ("title:afe", set()),
        ("title:other", {"branch"}),
        ("id:FIRST", {"tip"}),
        ("id:h", {"branch", "chat", "helper", "nothing"}),
        ("role:tool", {"tip"}),
        ("role:user", {"tip", "branch", "chat", "filed"}),
        ("tool:terminal", {"tip"}),
        ("tool:read_file tool:terminal", {"tip", "helper"}),
        ("tool:term", set()),
        ("after:7d", {"tip", "branch", "chat", "job", "helper", "nothing"}),
        ("after:1d", {"chat"}),
        ("before:8d", {"filed"}),
        ("after:7d before:3d", {"tip", "branch", "helper"}),
        ("msgs:4", {"tip"}),
        ("msgs:>=1 ", ALL - {"nothing"}),
        ("msgs:<1", {"nothing"}),
        ("msgs:2..4", {"tip", "chat"}),
        ("tokens:>10k", {"tip"}),
        ("tokens:10001", {"tip"}),
        ("cost:>1", {"tip", "job"}),
        ("cost:1.25", {"tip"}),
        ("cost:>=0", {"tip", "job", "filed", "helper", "nothing"}),
        ("is:running", {"chat"}),
        ("is:complete", {"tip"}),
        ("is:interrupted", {"branch", "filed", "helper"}),
        ("is:error", {"job"}),
        ("is:empty", {"nothing"}),
        ("is:untitled", {"helper", "nothing"}),
        ("is:branch", {"branch"}),
        ("is:subagent", {"helper"}),
        ("is:cron", {"job"}),
        ("is:tool", set()),
        ("is:archived", {"filed"}),
        ("is:hidden", set()),
        ("is:pinned", set()),
        ("is:empty is:error", {"nothing", "job"}),
        ("has:children", {"tip"}),
        ("has:parent", {"branch", "helper"}),
        ("source:cli is:empty -has:parent", {"nothing"}),
        ("-docker", ALL - {"tip", "filed"}),
        ("NOT docker -terminal", ALL - {"tip", "filed", "chat"}),
        ('-"docker build"', ALL - {"tip"}),
        ("-milk source:telegram", set()),
        ("-nightly", ALL - {"job"}),
    ],
)
def test_what_a_filter_leaves(db: SessionDB, line: str, expected: set[str]) -> None:
    assert left(db, line) == expected
    single = len(line.split()) == 1 and not line.startswith("-")
    if single:
        assert left(db, f"-{line}") == ALL - expected


def test_hidden_classes_are_shown_when_asked_for(db: SessionDB) -> None:
    def shown(line: str) -> tuple[set[str], dict[HiddenClass, int]]:
        listing = db.listing(parse(line))
        return {entry.id for entry in listing.entries}, dict(listing.hidden)

    assert shown("")[0] == {"tip", "branch", "chat", "nothing"}
    assert shown("is:archived") == ({"filed"}, {HiddenClass.ARCHIVED: 1})
    assert shown("source:cron") == ({"job"}, {HiddenClass.CRON: 1})
    assert shown("is:subagent") == ({"helper"}, {HiddenClass.SUBAGENT: 1})
    assert shown("is:error") == (set(), {HiddenClass.CRON: 1})
    assert shown("-is:archived")[1] == {HiddenClass.CRON: 1, HiddenClass.SUBAGENT: 1}


def test_dates_go_by_the_clock_of_the_store(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True, clock=lambda: NOW + 30 * DAY) as db:
        assert left(db, "after:31d") == {"chat"}
        assert left(db, "is:running") == set()


def test_a_search_asks_the_same_filters(db: SessionDB) -> None:
    def hits(line: str) -> list[str]:
        return [hit.entry.id for hit in db.search(parse(line), show=EVERYTHING).hits]

    assert hits("docker ") == ["filed", "tip"]
    assert hits("docker is:archived ") == ["filed"]
    assert hits("docker -is:archived ") == ["tip"]
    assert hits("docker msgs:>3 ") == ["tip"]
    assert hits("terminal role:assistant source:telegram ") == ["chat"]


@pytest.mark.parametrize("met", [0, 1, 400])
@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("docker OR the dir:/home/me/proj", ["tip"]),
        ("docker OR milk -dir:/home/me/proj", ["filed", "chat"]),
        ("docker OR the OR backup model:gpt", ["job", "chat"]),
        ("docker OR the cost:>1", ["tip"]),
        ("docker OR the msgs:>3 tokens:>1k", ["tip"]),
        ("docker OR podman OR the is:complete source:cli", ["tip"]),
        ("docker OR the OR backup is:error", ["job"]),
        ("docker OR the dir:/nowhere", []),
    ],
)
def test_what_has_to_be_read_is_read_of_what_is_met(
    db: SessionDB, monkeypatch: pytest.MonkeyPatch, line: str, ids: list[str], met: int
) -> None:
    """Rows stand behind long prompts: those of a page are read, and all only when few of them pass."""
    monkeypatch.setattr(filters, "MANY", 0)
    monkeypatch.setattr(search, "_MET", met)
    result = db.search(parse(f"{line} "), show=EVERYTHING)
    assert [hit.entry.id for hit in result.hits] == ids
    assert result.exhausted


def test_the_first_page_reads_no_more_rows_than_it_meets(
    db: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "MANY", 0)
    learned: list[list[str] | None] = []
    real = Facts.learn

    def learn(facts: Facts, key: str, entries: Sequence[Entry] | None, cancel: Cancel | None = None) -> None:
        learned.append(None if entries is None else sorted(entry.id for entry in entries))
        real(facts, key, entries, cancel)

    monkeypatch.setattr(Facts, "learn", learn)
    db.search(parse("docker dir:/home/me/proj "), show=EVERYTHING)
    assert [ids for ids in learned if ids != []] == [["filed", "tip"]]


def test_filters_stop_when_they_are_cancelled(db: SessionDB) -> None:
    cancel = Cancel()
    cancel.cancel()
    with pytest.raises(Interrupted):
        db.listing(parse("msgs:>1"), cancel=cancel)
    assert left(db, "msgs:4") == {"tip"}


def test_a_filter_that_was_begun_stops_when_it_is_cancelled(
    db: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing the directories of thousands takes Python longer than a key may wait."""
    monkeypatch.setattr(filters, "_BETWEEN_LOOKS", 2)
    cancel = Cancel()
    asked: list[str] = []

    def words(_: Facts, key: str, entry: Entry, cancel: Cancel | None = None) -> str:
        asked.append(entry.id)
        assert cancel is not None
        cancel.cancel()
        return ""

    db.listing()
    monkeypatch.setattr(Facts, "words", words)
    with pytest.raises(Interrupted):
        db.listing(parse("dir:x"), fresh=False, cancel=cancel)
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("line", "notes"),
    [
        ("source:telegrm", ("no source telegrm; there is telegram",)),
        ("source:telx", ("no source telx; there is telegram",)),
        ("source:te", ("no source te; there is telegram",)),
        ("model:gemini", ("no model gemini",)),
        ("branch:featur/x", ("no branch featur/x; there is feature/x",)),
        ("-source:slak source:cli", ("no source slak",)),
        ("source:Telegram model:opus is:tool", ()),
    ],
)
def test_unknown_values_are_explained(db: SessionDB, line: str, notes: tuple[str, ...]) -> None:
    assert db.listing(parse(line)).notes == notes
    assert db.search(parse(f"docker {line}")).notes == notes


@pytest.mark.parametrize(
    ("value", "meant"),
    [("telx", "telegram"), ("tol", "tool"), ("eslack", "slack"), ("CIL", "cli"), ("zzz", "")],
)
def test_the_nearest_value_is_meant(value: str, meant: str) -> None:
    there = ("cli", "tool", "email", "slack", "telegram")
    assert filters._instead(value, there) == (f"; there is {meant}" if meant else "")


def test_values_for_completion_most_frequent_first(db: SessionDB) -> None:
    assert db.values("source") == (("cli", 4), ("cron", 1), ("discord", 1), ("telegram", 1))
    assert db.values("model") == (("openai/gpt-5.4", 3), ("anthropic/claude-opus-4.6", 1))
    assert db.values("dir") == (("/home/me/proj/api", 1), ("/home/me/project", 1), ("/srv", 1))
    assert db.values("branch") == (("feature/x", 1), ("maintenance", 1))
    assert db.values("tool") == (("terminal", 1),)
    assert db.values("is") == ()


def test_the_cheapest_filter_chooses_first(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[list[str]] = []
    real = Facts.statuses

    def statuses(
        facts: Facts, entries: Sequence[Entry], now: float, cancel: Cancel | None
    ) -> Mapping[str, Status]:
        looked_at.append([entry.id for entry in entries])
        return real(facts, entries, now, cancel)

    monkeypatch.setattr(Facts, "statuses", statuses)
    assert left(db, "is:interrupted after:4d source:cli title:other") == {"branch"}
    assert looked_at == [["branch"]]


def test_an_excluded_word_is_looked_for_once(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for: list[str] = []
    real = holding.holding

    def noted(reader: Reader, term: Term, cancel: Cancel) -> frozenset[str]:
        looked_for.append(term.text)
        return real(reader, term, cancel)

    monkeypatch.setattr(holding, "holding", noted)
    for line in ("-docker", "-docker source:cli", "-docker -terminal"):
        db.listing(parse(line), fresh=False)
    assert looked_for == ["docker", "terminal"]
    db.listing(parse("-docker"))
    assert looked_for == ["docker", "terminal", "docker"]


@pytest.mark.parametrize("version", [1, 4, 9, 11, 16, 23])
def test_a_store_that_lacks_columns_answers(copy_store: CopyStore, version: int) -> None:
    names = {11: "state-v11-0.13.0.db", 16: "state-v16-0.17.0.db"}
    path: Path = copy_store(names.get(version, f"state-v{version}.db"))
    lines = [f"is:{state}" for state in filter_values.STATES]
    lines += [f"{key}:x" for key in filter_values.TEXTS]
    lines += [f"{key}:1d" for key in filter_values.DATES] + [f"{key}:>1" for key in filter_values.AMOUNTS]
    lines += ["role:user", "has:children", "has:parent", "-word"]
    with SessionDB(path, read_only=True, clock=lambda: NOW) as db:
        everything = left(db, "")
        for line in lines:
            some, rest = left(db, line), left(db, f"-{line.removeprefix('-')}")
            if not line.startswith("-"):
                assert some | rest == everything, line
                assert not some & rest, line
