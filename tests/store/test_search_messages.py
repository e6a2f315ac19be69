"""`search_messages`: the seeds' syntax, filters, order, excerpts, what stands around, stores without an index."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage import SessionDB
from storage.finding import message_query
from tests.support.clock import Clock
from tests.support.stores import NOW, BuildV11, CopyStore


def found(db: SessionDB, query: str, **wanted: Any) -> list[int]:
    return [hit["id"] for hit in db.search_messages(query, **wanted)]


def say(db: SessionDB, *texts: Any, session: str = "s", source: str = "cli", role: str = "user") -> list[int]:
    """Messages a second apart, each with its own time."""
    db.ensure_session(session, source)
    start = db.message_count()
    return [
        db.append_message(session, role, text, timestamp=NOW + start + place)
        for place, text in enumerate(texts)
    ]


# --- syntax


@pytest.mark.parametrize(
    ("query", "groups"),
    [
        ("", []),
        ('  " ', []),
        ("a b", ["a b"]),
        ("a AND b", ["a b"]),
        ("a OR b c", ["a", "b c"]),
        ("a NOT b c", ["a c -b"]),
        ("a NOT b NOT c OR d", ["a -b -c", "d"]),
        ("a AND NOT b", ["a -b"]),
        ("NOT a", ["a"]),
        ("AND a AND", ["a"]),
        ("OR a OR OR", ["a"]),
        ("a OR NOT b", ["a", "b"]),
        ("NOT", []),
        ("and or not", ["and or not"]),
        ('"a b" c', ["a_b c"]),
        ('a "b', ["a b"]),
        ('"AND"', ["AND"]),
        ('""', []),
        ("dep*", ["dep*"]),
        ("**dep**", ["dep*"]),
        ('"a b"*', ["a_b*"]),
        ("* ( ) + : ,", []),
        ("( a )", ["a"]),
        ("() ++ ->", ["()_++_->".replace("_", " ")]),
    ],
)
def test_what_is_read(query: str, groups: list[str]) -> None:
    def told(group: message_query.Group) -> str:
        terms = [(term, "") for term in group.wanted] + [(term, "-") for term in group.unwanted]
        return " ".join(
            sign + term.text.replace(" ", "_") + ("*" if term.prefix else "") for term, sign in terms
        )

    assert [told(group) for group in message_query.parse(query).groups] == groups


def test_only_so_much_is_read(db: SessionDB) -> None:
    words = [f"w{place}" for place in range(5000)]
    whole, half = say(db, " ".join(words), " ".join(words[:400]))
    assert found(db, " ".join(words)) == [whole]
    assert found(db, " OR ".join(words[1000:])) == [whole]
    assert found(db, "w0 NOT " + " NOT ".join(words[400:])) == [half]
    assert found(db, "w" * 5000) == []


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("docker", [0, 1, 2]),
        ("docker deployment", [0]),
        ("docker AND deployment", [0]),
        ('"docker deployment"', []),
        ('"deployment of docker"', [0]),
        ("deployment OR kubernetes", [0, 3]),
        ("docker NOT compose", [0, 2]),
        ("docker NOT compose NOT nginx", [0]),
        ("kubernetes OR docker NOT compose", [0, 2, 3]),
        ("depl*", [0]),
        ("depl", []),
        ("DOCKER", [0, 1, 2]),
        ("café", [4]),
        ("CAFE", [4]),
        ("nothing", []),
    ],
)
def test_the_seeds_syntax(db: SessionDB, query: str, hits: list[int]) -> None:
    ids = say(db, "deployment of docker", "docker compose", "docker nginx", "kubernetes", "un café noir")
    assert sorted(found(db, query)) == [ids[place] for place in hits]


@given(st.text(st.characters(), max_size=40) | st.text('"*()ANDORNOT -:^', max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_no_query_raises(db: SessionDB, query: str) -> None:
    if not db.message_count():
        say(db, "one AND two", "(three) 日本")
    assert len(db.search_messages(query)) <= 2


# --- filters and order


def test_filters(db: SessionDB) -> None:
    ids = [
        *say(db, "word a", session="c"),
        *say(db, "word b", session="t", source="telegram"),
        *say(db, "word c", session="t", role="assistant"),
        *say(db, "word d", session="x", source="tool", role="tool"),
    ]

    def places(**wanted: Any) -> list[int]:
        return [ids.index(id_) for id_ in sorted(found(db, "word", **wanted))]

    assert places() == [0, 1, 2, 3]
    assert places(source_filter=["cli", "tool"]) == [0, 3]
    assert places(source_filter=[]) == []
    assert places(exclude_sources=["telegram", "tool"]) == [0]
    assert places(exclude_sources=[]) == [0, 1, 2, 3]
    assert places(role_filter=["assistant", "tool"]) == [2, 3]
    assert places(role_filter=[]) == [0, 1, 2, 3]
    assert places(source_filter=["telegram"], role_filter=["user"]) == [1]


@pytest.mark.parametrize("words", ["word", "字词"])
def test_order_and_pages(db: SessionDB, words: str) -> None:
    one, two, three, four = say(db, *(f"{words} {place}" for place in range(4)))
    assert found(db, words, sort="newest") == [four, three, two, one]
    assert found(db, words, sort="oldest", limit=2) == [one, two]
    assert found(db, words, sort="oldest", limit=2, offset=1) == [two, three]
    assert found(db, words, sort="newest", offset=3) == [one]
    assert found(db, words, limit=0) == []
    assert sorted(found(db, words, limit=-1, sort="by colour")) == [one, two, three, four]


def test_more_than_one_batch(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.replace_messages("s", ({"role": "user", "content": f"word 字 {place}"} for place in range(450)))
    for query in ("word", "字"):
        assert len(found(db, query, limit=-1)) == 450
        assert len(set(found(db, query, limit=420, offset=20))) == 420


def test_the_more_relevant_first(db: SessionDB) -> None:
    long, short = say(db, "word and a great deal of other things that are said as well", "word word")
    assert found(db, "word") == [short, long]


def test_what_was_typed_comes_before_its_words(db: SessionDB) -> None:
    ids = say(db, "c", "c c", "about C++ and a great deal of other things that are said as well")
    assert found(db, "C++")[0] == ids[2]
    assert found(db, "C++", sort="oldest") == ids


# --- what a hit says


def test_a_hit(db: SessionDB, clock: Clock) -> None:
    db.create_session("s", "cli", model="m")
    say(db, "before", "the needle here", "after", "far")
    assert db.search_messages("needle") == [
        {
            "id": 2,
            "session_id": "s",
            "role": "user",
            "snippet": "the >>>needle<<< here",
            "timestamp": NOW + 1,
            "tool_name": None,
            "source": "cli",
            "model": "m",
            "session_started": NOW,
            "context": [
                {"role": "user", "content": "before"},
                {"role": "user", "content": "the needle here"},
                {"role": "user", "content": "after"},
            ],
        }
    ]


@pytest.mark.parametrize("needle", ["needle", "针头"])
def test_a_long_text_is_cut(db: SessionDB, needle: str) -> None:
    say(db, f"{'word ' * 500} {needle} {'word ' * 500}")
    hit = db.search_messages(needle)[0]
    assert hit["snippet"].startswith("...")
    assert hit["snippet"].endswith("...")
    assert f">>>{needle}<<<" in hit["snippet"]
    assert len(hit["snippet"]) < 300
    assert hit["context"] == [{"role": "user", "content": ("word " * 500)[:200]}]


def test_the_ends_of_a_session_and_pictures_around(db: SessionDB) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:"}}
    say(db, [picture], "needle one", [{"type": "text", "text": "look"}, picture, {"text": "here"}])
    say(db, "elsewhere", session="t")
    assert [one["content"] for one in db.search_messages("one")[0]["context"]] == [
        "[multimodal content]",
        "needle one",
        "look here",
    ]
    assert [one["content"] for one in db.search_messages("elsewhere")[0]["context"]] == ["elsewhere"]


def test_what_was_rewound_is_neither_found_nor_shown_around(db: SessionDB) -> None:
    ids = say(db, "one 词", "two 词", "three 词")
    db.write(lambda within: within.change("UPDATE messages SET active = 0 WHERE id = ?", (ids[1],)))
    for query in ("two", "词"):
        assert ids[1] not in found(db, query)
        assert ids[1] in found(db, query, include_inactive=True)
    assert [one["content"] for one in db.search_messages("one")[0]["context"]] == ["one 词", "three 词"]
    context = db.search_messages("one", include_inactive=True)[0]["context"]
    assert [one["content"] for one in context] == ["one 词", "two 词"]


def test_scaffolding_is_not_found(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.append_message("s", "user", "scaffold 词", display_kind="hidden")
    assert (found(db, "scaffold"), found(db, "词", include_inactive=True)) == ([], [])


def test_tools_are_searched(db: SessionDB) -> None:
    db.create_session("s", "cli")
    call = db.append_message(
        "s", "assistant", None, tool_calls=[{"function": {"name": "terminal", "arguments": "ls -la"}}]
    )
    result = db.append_message("s", "tool", "output", tool_name="browser")
    assert found(db, "terminal") == [call]
    assert ">>>terminal<<<" in db.search_messages("terminal")[0]["snippet"]
    assert found(db, "browser") == [result]
    assert db.search_messages("browser")[0]["tool_name"] == "browser"


def test_pictures_are_searched_by_what_they_say(db: SessionDB) -> None:
    ids = say(
        db,
        [
            {"type": "text", "text": "a zebra photo"},
            {"type": "image_url", "image_url": {"url": "data:zebra"}},
        ],
        [{"type": "image_url", "image_url": {"url": "data:zebra"}}],
        "a plain zebra",
    )
    assert sorted(found(db, "zebra")) == [ids[0], ids[2]]
    assert {hit["snippet"] for hit in db.search_messages("photo")} == {"a zebra >>>photo<<< [image]"}
    assert found(db, "image_url") == []


# --- CJK


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("广西", [0]),
        ("广西 OR 桂林", [0, 1]),
        ("昨晚", [2, 3]),
        ("昨晚 半夜", [3]),
        ("昨晚 NOT 半夜", [2]),
        ("米粉推荐", [1]),
        ("广西*", [0]),
        ("漓江游船 ok", [5]),
        ('"漓江游船" ok', [5]),
        ("漓江游船 AND ok", [5]),
        ("100%完成", [7]),
        ("变_量", [9]),
        ("🎉", [10]),
    ],
)
def test_scripts_without_spaces(db: SessionDB, query: str, hits: list[int]) -> None:
    ids = say(
        db,
        "去年广西自驾很好玩",
        "桂林米粉推荐",
        "我们 昨晚 聊过",
        "昨晚半夜下雨了",
        "漓江游船 时间表",
        "漓江游船 ok 已订",
        "ok 没问题",
        "进度100%完成",
        "进度100件完成",
        "变_量",
        "party 🎉🎉",
    )
    assert sorted(found(db, query)) == [ids[place] for place in hits]


# --- stores


ALL = [f"state-v{version}.db" for version in (1, 5, 9, 10)] + [
    "state-v11-0.13.0.db",
    "state-v22-0.19.0.db",
    "state-v23.db",
    "state-v23-rebuilding.db",
    "state-v23-cjk.db",
]


@pytest.mark.parametrize("name", ALL)
def test_every_layout_answers_as_its_rows_say(copy_store: CopyStore, name: str) -> None:
    with SessionDB(copy_store(name), read_only=True) as db:
        words = {"docker", "the", "deploy"}
        for word in words:
            expected = {
                row["id"]
                for row in db.reader.dicts(
                    "SELECT m.* FROM messages m JOIN sessions s ON s.id = m.session_id"
                )
                if word in _words(row) and row.get("active", 1) != 0
            }
            assert expected <= set(found(db, word, limit=-1))


def _words(row: dict[str, Any]) -> set[str]:
    text = str(row["content"] or "")
    return set() if text.startswith("\0") else set(text.lower().split())


def test_a_rebuild_is_bridged(db: SessionDB) -> None:
    ids = say(db, "needle one", "needle two", "needle three", "needle four")
    # As a rebuild leaves it that has come to the first of the first three.
    mark = (
        "INSERT INTO state_meta(key, value) VALUES ('fts_rebuild_high_water', ?), ('fts_rebuild_progress', ?)"
    )
    forget = "INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', ?, ?)"
    for id_, text in ((ids[1], "needle two"), (ids[2], "needle three")):
        _change(db, forget, (id_, text))
    assert sorted(found(db, "needle")) == [ids[0], ids[3]]
    db.write(lambda within: within.change(mark, (str(ids[2]), str(ids[0]))))
    assert found(db, "needle", sort="newest") == ids[::-1]
    assert found(db, "needle NOT two", sort="oldest") == [ids[0], ids[2], ids[3]]
    assert found(db, "needle", limit=1) == [ids[3]]


BREAK: dict[str, str] = {
    "damaged": "DELETE FROM messages_fts_data WHERE id > 10;",
    "gone": "DROP TABLE messages_fts; DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_delete;"
    " DROP TRIGGER messages_fts_update;",
    "not fed": "DROP TRIGGER messages_fts_insert;",
}


@pytest.mark.parametrize("how", BREAK)
def test_without_a_usable_index_the_messages_are_read(build_v11: BuildV11, how: str) -> None:
    path = build_v11(
        f"""INSERT INTO sessions(id,source,started_at) VALUES('s','cli',1);
        INSERT INTO messages(id,session_id,role,content,timestamp) VALUES
        (1,'s','user','alpha beta',1),(2,'s','assistant','beta gamma',2);{BREAK[how]}"""
    )
    with SessionDB(path, read_only=True) as db:
        assert found(db, "beta") == [2, 1]
        assert found(db, "beta NOT gamma") == [1]
        assert found(db, "alp*", sort="oldest") == [1]
        assert db.search_messages("alpha")[0]["snippet"] == ">>>alpha<<< beta"


def test_a_store_without_messages(build_v11: BuildV11) -> None:
    with SessionDB(build_v11("DROP TABLE messages;"), read_only=True) as db:
        assert found(db, "anything") == []


def test_reading_does_not_wait(db: SessionDB, build_v11: BuildV11) -> None:
    ids = say(db, "needle")
    with closing(_holding(db)) as holder:
        assert found(db, "needle") == ids
        holder.execute("ROLLBACK")


def _change(db: SessionDB, sql: str, values: tuple[Any, ...]) -> None:
    db.write(lambda within: within.change(sql, values))


def _holding(db: SessionDB) -> sqlite3.Connection:
    connection = sqlite3.connect(db.path, isolation_level=None, timeout=0)
    connection.execute("BEGIN IMMEDIATE")
    return connection
