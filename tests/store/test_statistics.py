"""What a store adds up to, beside adding it up row by row in Python."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import BadFilter, Cancel, HiddenClass, Interrupted, SessionDB, Sort, Statistics, Tally
from storage.finding import statistics as room
from tests.support.clock import Clock
from tests.support.other_process import other_process
from tests.support.stores import STORES, BuildV11, CopyStore

BERLIN = ZoneInfo("Europe/Berlin")
NOTHING = Tally()


def at(text: str, zone: tzinfo = BERLIN, fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).timestamp()


def test_each_number_stands_where_it_belongs(db: SessionDB, clock: Clock) -> None:
    clock.now = at("2026-03-02 09:30")
    db.create_session("one", "cli", model="opus")
    db.append_message("one", "user", "a", timestamp=at("2026-03-02 09:59"))
    db.append_message("one", "assistant", "b", timestamp=at("2026-03-03 00:10"))
    db.update_token_counts("one", input_tokens=1000, output_tokens=20, estimated_cost_usd=0.5)
    db.end_session("one", "compression")
    clock.now = at("2026-03-02 23:00")
    db.create_session("two", "telegram", model="haiku", parent_session_id="one")
    db.append_message("two", "user", "c", timestamp=clock())
    db.update_token_counts("two", input_tokens=5, output_tokens=1, actual_cost_usd=2.0)
    db.create_session("three", "cli")
    answer = db.statistics(BERLIN)
    assert answer.total == Tally(2, 3, 3, 1005, 21, 2.5)
    assert answer.total.tokens == 1026
    assert list(answer.sources.items()) == [
        ("cli", Tally(1, 2, 2, 1000, 20, 0.5)),
        ("telegram", Tally(1, 1, 1, 5, 1, 2.0)),
    ]
    assert list(answer.models.items()) == [
        ("haiku", Tally(1, 1, 1, 5, 1, 2.0)),
        ("opus", Tally(0, 1, 2, 1000, 20, 0.5)),
        ("", Tally(1, 1, 0, 0, 0, None)),
    ]
    assert list(answer.days.items()) == [
        (date(2026, 3, 2), Tally(2, 3, 2, 1005, 21, 2.5)),
        (date(2026, 3, 3), Tally(messages=1)),
    ]
    hours = {hour: tally for hour, tally in enumerate(answer.hours) if tally != NOTHING}
    assert hours == {
        0: Tally(messages=1),
        9: Tally(1, 1, 1, 1000, 20, 0.5),
        23: Tally(1, 2, 1, 5, 1, 2.0),
    }
    assert (len(answer.hours), answer.undated) == (24, NOTHING)


def test_messages_are_counted_from_the_rows_that_are_seen(db: SessionDB) -> None:
    db.create_session("one", "cli")
    ids = [db.append_message("one", "user", text) for text in ("a", "b", "c", "d")]
    db.rewind_to_message("one", ids[3])
    db.archive_and_compact("one", [{"role": "user", "content": "summary"}])
    assert db.statistics().total.messages == 4
    assert db.top_sessions(Sort.MESSAGES)[0].messages == 4


def test_an_hour_that_the_clock_shows_twice_is_one_hour(db: SessionDB) -> None:
    db.create_session("one", "cli")
    for fold in (0, 1):
        db.append_message("one", "user", "a", timestamp=at("2026-10-25 02:30", fold=fold))
    db.append_message("one", "user", "a", timestamp=at("2026-03-29 01:59:59"))
    db.append_message("one", "user", "a", timestamp=at("2026-03-29 01:59:59") + 1)
    answer = db.statistics(BERLIN)
    assert [answer.hours[hour].messages for hour in (1, 2, 3)] == [1, 2, 1]
    assert answer.days[date(2026, 10, 25)].messages == 2


@pytest.mark.parametrize(
    ("zone", "moment", "place"),
    [
        (ZoneInfo("Asia/Kathmandu"), "2026-01-01 00:14:59.5", (date(2026, 1, 1), 0)),
        (timezone(timedelta(minutes=7)), "2026-01-01 23:59:59", (date(2026, 1, 1), 23)),
        (timezone(-timedelta(seconds=3)), "2026-01-01 12:59:58", (date(2026, 1, 1), 12)),
        # There the clocks went back at a minute past midnight.
        (ZoneInfo("America/St_Johns"), "2006-10-29 00:00:30", (date(2006, 10, 29), 0)),
        (ZoneInfo("America/St_Johns"), "2006-10-28 23:30:00", (date(2006, 10, 28), 23)),
    ],
)
def test_clocks_that_are_minutes_off(
    db: SessionDB, zone: tzinfo, moment: str, place: tuple[date, int]
) -> None:
    db.create_session("one", "cli")
    db.append_message("one", "user", "a", timestamp=at(moment, zone))
    answer = db.statistics(zone)
    counted = {day: tally.messages for day, tally in answer.days.items() if tally.messages}
    assert (counted, answer.hours[place[1]].messages) == ({place[0]: 1}, 1)


HOSTILE = """
INSERT INTO sessions(id, source, model, started_at, input_tokens, output_tokens, estimated_cost_usd, actual_cost_usd)
VALUES ('a', 'cli', 'm', 1780000000, 'many', 7, 9e999, 'dear'), ('b', x'ff', NULL, 'soon', 9e999, NULL, -9e999, NULL),
       ('c', '', '', 1e300, -5, 2.9, NULL, 0.25), (NULL, 'cli', 'm', 1, 1, 1, 1, 1), (x'00', 'cli', 'm', 1, 1, 1, 1, 1);
INSERT INTO messages(session_id, role, content, timestamp) VALUES
    ('a', 'user', 'x', 'noon'), ('a', 'user', 'x', 9e999), ('b', 'user', 'x', -1), ('b', 'user', 'x', 0),
    ('c', 'user', 'x', 1780000000), ('c', 'user', 'x', x'01'), ('nobody', 'user', 'x', 1780000000);
"""


def test_what_is_no_number_counts_nothing_and_raises_nothing(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(HOSTILE), read_only=True) as db:
        answer = db.statistics(UTC)
        assert answer.total == Tally(3, 3, 6, -5, 9, 0.25)
        assert answer.sources["cli"] == Tally(1, 1, 2, 0, 7, None)
        assert answer.undated == Tally(2, 2, 5, -5, 2, 0.25)
        assert list(answer.days) == [date(2026, 5, 28)]
        assert [top.id for top in db.top_sessions(Sort.COST)] == ["c"]
        assert [top.id for top in db.top_sessions(Sort.TOKENS)] == ["a"]
        assert [top.id for top in db.top_sessions(Sort.MESSAGES)] == ["a", "b", "c"]


@pytest.mark.parametrize("name", sorted(path.name for path in STORES.glob("*.db")))
def test_every_stored_store_adds_up_as_by_hand(copy_store: CopyStore, name: str) -> None:
    path = copy_store(name)
    with SessionDB(path, read_only=True) as db:
        answer = db.statistics(BERLIN)
        assert _essence(answer) == _by_hand(path, BERLIN)
        assert answer.total.conversations == sum(1 for _ in db.listing(show=_ALL).entries)
        for by, amount in ((Sort.MESSAGES, "messages"), (Sort.TOKENS, "tokens"), (Sort.COST, "cost")):
            found = [getattr(top, amount) for top in db.top_sessions(by, 1000)]
            assert found == sorted(found, reverse=True)
            assert sum(found) == pytest.approx(getattr(answer.total, amount) or 0)


_ALL = frozenset(HiddenClass)


def test_the_answer_does_not_hang_on_the_size_of_a_step(
    copy_store: CopyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SessionDB(copy_store("state-v23-extras.db"), read_only=True) as db:
        whole = db.statistics(BERLIN)
        monkeypatch.setattr(room, "_SLICE", 3)
        assert db.statistics(BERLIN) == whole


def test_it_says_how_far_it_is_and_can_be_stopped(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_SLICE", 2)
    for number in range(5):
        db.create_session(f"s{number}", "cli")
    steps: list[tuple[int, int]] = []
    db.statistics(progress=lambda done, total: steps.append((done, total)))
    assert steps == [(0, 5), (2, 5), (4, 5), (5, 5)]
    cancel = Cancel()
    with pytest.raises(Interrupted):
        db.statistics(progress=lambda done, total: cancel.cancel() if done == 4 else None, cancel=cancel)
    assert db.statistics().total.sessions == 5


def test_an_empty_store_adds_up_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with SessionDB(tmp_path / "empty.db", read_only=True) as db:
        assert db.statistics() == Statistics(NOTHING, {}, {}, {}, (NOTHING,) * 24, NOTHING)
        assert db.top_sessions() == ()


def test_what_others_wrote_since_is_counted(db: SessionDB) -> None:
    db.create_session("one", "cli")
    assert db.statistics().total == Tally(1, 1)
    with other_process(db.path) as other:
        other.begin("two", "Two", at("2026-03-02 09:30"))
        other.say("two", "hello", at("2026-03-02 09:30"))
    assert db.statistics().total == Tally(2, 2, 1)


def test_the_largest_sessions(db: SessionDB, clock: Clock) -> None:
    for name, tokens, cost, messages in (
        ("a", 10, 1.0, 3),
        ("b", 30, None, 1),
        ("c", 20, 5.0, 3),
        ("d", 0, None, 0),
    ):
        db.create_session(name, "cli", model="m")
        db.update_token_counts(name, input_tokens=tokens, actual_cost_usd=cost)
        for _ in range(messages):
            db.append_message(name, "user", "x")
    db.set_session_title("c", "C")
    assert [top.id for top in db.top_sessions()] == ["b", "c", "a"]
    assert [top.id for top in db.top_sessions(Sort.COST)] == ["c", "a"]
    assert [top.id for top in db.top_sessions(Sort.MESSAGES)] == ["a", "c", "b"]
    (top,) = db.top_sessions(Sort.COST, 1)
    assert (top.title, top.source, top.model, top.started_at) == ("C", "cli", "m", clock())
    assert (top.messages, top.tokens, top.cost) == (3, 20, 5.0)
    assert db.top_sessions(limit=0) == ()
    with pytest.raises(BadFilter) as refused:
        db.top_sessions(Sort.TITLE)
    assert str(refused.value) == (
        "Nothing was selected: sessions are measured by messages, tokens or cost, not by title."
    )


TIMES = st.one_of(
    st.floats(-1e10, 4e10),
    st.floats(1_774_000_000, 1_775_500_000),
    st.sampled_from([0, 1, 3.2503680e10, math.inf]),
)
ZONES = st.sampled_from(
    [
        BERLIN,
        UTC,
        ZoneInfo("Australia/Lord_Howe"),
        ZoneInfo("America/St_Johns"),
        timezone(timedelta(minutes=-61)),
    ]
)


@settings(max_examples=40)
@given(times=st.lists(st.tuples(TIMES, st.integers(0, 3)), max_size=12), zone=ZONES)
def test_any_times_add_up_as_by_hand(
    tmp_path_factory: pytest.TempPathFactory, times: list[tuple[float, int]], zone: tzinfo
) -> None:
    path = tmp_path_factory.mktemp("times") / "state.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(
            "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, started_at REAL);"
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT, timestamp REAL, active INT, compacted INT)"
        )
        for place, (moment, kind) in enumerate(times):
            raw.execute(
                "INSERT OR IGNORE INTO sessions VALUES (?, 'cli', NULL, ?)", (f"s{place % 4}", moment)
            )
            state = ((1, 0), (0, 1), (0, 0), (None, None))[kind]
            raw.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?)", (f"s{place % 4}", moment, *state))
        raw.commit()
    with SessionDB(path, read_only=True) as db:
        assert _essence(db.statistics(zone)) == _by_hand(path, zone)


def _essence(answer: Statistics) -> dict[str, Any]:
    """Sessions and messages of everything, as `_by_hand` counts them."""
    return {
        "total": (answer.total.sessions, answer.total.messages, answer.total.tokens),
        "sources": {name: (one.sessions, one.messages) for name, one in answer.sources.items()},
        "models": {name: (one.sessions, one.tokens) for name, one in answer.models.items()},
        "days": {day: (one.sessions, one.messages) for day, one in answer.days.items() if one != NOTHING},
        "hours": [(one.sessions, one.messages) for one in answer.hours],
        "undated": (answer.undated.sessions, answer.undated.messages),
    }


def _by_hand(path: Path, zone: tzinfo) -> dict[str, Any]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as raw:
        raw.row_factory = sqlite3.Row
        raw.text_factory = lambda stored: stored.decode("utf-8", "replace")
        sessions = {row["id"]: dict(row) for row in raw.execute("SELECT * FROM sessions")}
        messages = [dict(row) for row in raw.execute("SELECT * FROM messages")]
    found: dict[str, Counter[Any]] = defaultdict(Counter)
    undated = [0, 0]
    for session in sessions.values():
        found["sources"][session["source"] or ""] += 1
        found["models"][session.get("model") or ""] += 1
        spent = (session.get("input_tokens") or 0) + (session.get("output_tokens") or 0)
        found["model tokens"][session.get("model") or ""] += spent
        if (local := _local(session["started_at"], zone)) is None:
            undated[0] += 1
        else:
            found["days"][local.date()] += 1
            found["hours"][local.hour] += 1
    counted = 0
    for message in messages:
        seen = message.get("active", 1) != 0 or message.get("compacted", 0) == 1
        if not seen or message["session_id"] not in sessions:
            continue
        counted += 1
        found["source messages"][sessions[message["session_id"]]["source"] or ""] += 1
        if (local := _local(message["timestamp"], zone)) is None:
            undated[1] += 1
        else:
            found["day messages"][local.date()] += 1
            found["hour messages"][local.hour] += 1
    return {
        "total": (len(sessions), counted, sum(found["model tokens"].values())),
        "sources": {name: (n, found["source messages"][name]) for name, n in found["sources"].items()},
        "models": {name: (n, found["model tokens"][name]) for name, n in found["models"].items()},
        "days": {
            day: (found["days"][day], found["day messages"][day])
            for day in found["days"].keys() | found["day messages"].keys()
        },
        "hours": [(found["hours"][hour], found["hour messages"][hour]) for hour in range(24)],
        "undated": tuple(undated),
    }


def _local(moment: Any, zone: tzinfo) -> datetime | None:
    if not isinstance(moment, int | float) or not 0 < moment < 32_503_680_000:
        return None
    return datetime.fromtimestamp(moment, UTC).astimezone(zone)
