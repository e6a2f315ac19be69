"""`session_search`: discover, scroll, read, browse (seed 004, spec 4.11)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import SessionDB, StoreMissing, session_search
from tests.support.clock import Clock

DAY = 86_400


def talk(db: SessionDB, session_id: str, texts: Iterable[str], source: str = "cli", **more: Any) -> list[int]:
    """A session whose user and assistant say these texts in turn; returns the ids."""
    db.create_session(session_id, source, **more)
    return [
        db.append_message(session_id, ("user", "assistant")[place % 2], text)
        for place, text in enumerate(texts)
    ]


def numbered(count: int, **said: str) -> list[str]:
    """ "turn 0" … with something else in some places (`_5="needle"`)."""
    return [said.get(f"_{place}", f"turn {place}") for place in range(count)]


def found(db: SessionDB, query: str, **more: Any) -> list[str]:
    answer = session_search(query, db=db, **more)
    assert answer["success"] is True
    assert answer["count"] == len(answer["results"])
    return [result["session_id"] for result in answer["results"]]


def ids(messages: list[dict[str, Any]]) -> list[int]:
    return [message["id"] for message in messages]


def test_discover_tells_how_it_began_what_was_hit_and_how_it_ended(db: SessionDB, clock: Clock) -> None:
    said = talk(db, "one", numbered(30, _15="the needle is here"), model="m-1")
    db.set_session_title("one", "sewing")
    answer = session_search("needle", db=db)
    assert {name: value for name, value in answer.items() if name != "results"} == {
        "success": True,
        "mode": "discover",
        "query": "needle",
        "count": 1,
        "sessions_searched": 1,
    }
    (result,) = answer["results"]
    assert list(result) == [
        "session_id", "when", "source", "model", "title", "matched_role", "match_message_id", "snippet",
        "bookend_start", "messages", "bookend_end", "messages_before", "messages_after",
    ]  # fmt: skip
    assert result["session_id"] == "one"
    assert result["when"] == datetime.fromtimestamp(clock()).strftime("%B %d, %Y at %I:%M %p")
    assert (result["source"], result["model"], result["title"]) == ("cli", "m-1", "sewing")
    assert (result["matched_role"], result["match_message_id"]) == ("assistant", said[15])
    assert result["snippet"] == "the >>>needle<<< is here"
    assert ids(result["bookend_start"]) == said[:3]
    assert ids(result["messages"]) == said[10:21]
    assert ids(result["bookend_end"]) == said[27:]
    assert (result["messages_before"], result["messages_after"]) == (5, 5)
    assert [message["id"] for message in result["messages"] if message.get("anchor")] == [said[15]]
    assert result["messages"][0] == {
        "id": said[10],
        "role": "user",
        "content": "turn 10",
        "timestamp": clock(),
    }


def test_a_hit_near_the_beginning_says_so(db: SessionDB) -> None:
    said = talk(db, "one", numbered(4, _1="needle"))
    (result,) = session_search("needle", db=db)["results"]
    assert (result["messages_before"], result["messages_after"]) == (1, 2)
    assert (ids(result["messages"]), result["bookend_start"], result["bookend_end"]) == (said, [], [])


def test_a_lineage_is_found_once_whatever_ties_it_together(db: SessionDB) -> None:
    talk(db, "root", ["needle needle needle"])
    db.end_session("root", "compression")
    talk(db, "part", ["needle again"], parent_session_id="root")
    talk(db, "branch", ["needle once more"], parent_session_id="part")
    talk(db, "other", ["and a needle"])
    answer = session_search("needle", db=db)
    assert sorted(result["session_id"] for result in answer["results"]) == ["other", "root"]
    assert session_search("again", db=db)["results"][0]["parent_session_id"] == "root"
    assert "parent_session_id" not in session_search("and a needle", db=db)["results"][0]


def test_what_is_asking_does_not_find_itself(db: SessionDB) -> None:
    talk(db, "root", ["needle one"])
    db.end_session("root", "compression")
    talk(db, "part", ["needle two"], parent_session_id="root")
    talk(db, "other", ["needle three"])
    assert found(db, "needle", current_session_id="part") == ["other"]
    assert found(db, "needle", current_session_id="nobody") == found(db, "needle")


def test_roles(db: SessionDB) -> None:
    talk(db, "said", ["needle"])
    db.create_session("tooled", "cli")
    db.append_message("tooled", "tool", "needle", tool_name="grep")
    assert found(db, "needle") == ["said"]
    assert found(db, "needle", role_filter="tool") == ["tooled"]
    assert sorted(found(db, "needle", role_filter=" user, tool ,")) == ["said", "tooled"]
    assert found(db, "needle", role_filter=" , ") == ["said"]
    shown = session_search("needle", db=db, role_filter="tool")["results"][0]["messages"]
    assert [(message["content"], message["tool_name"]) for message in shown] == [("needle", "grep")]


def test_newest_oldest_and_most_relevant(db: SessionDB, clock: Clock) -> None:
    for name, text in (
        ("first", "needle in hay"),
        ("best", "needle"),
        ("last", "needle in a lot of old hay"),
    ):
        talk(db, name, [text])
        clock.sleep(DAY)
    assert found(db, "needle", sort="newest") == ["last", "best", "first"]
    assert found(db, "needle", sort=" OLDEST ") == ["first", "best", "last"]
    assert found(db, "needle", sort="odd") == found(db, "needle") == ["best", "first", "last"]


def test_what_was_imported_is_as_old_as_it_says(db: SessionDB, clock: Clock) -> None:
    talk(db, "new", ["needle"])
    db.create_session("imported", "cli")
    old = {"role": "user", "content": "needle", "timestamp": clock() - 30 * DAY}
    db.replace_messages("imported", [old] * 700)
    assert found(db, "needle", sort="newest") == ["new", "imported"]
    assert found(db, "needle", sort="newest", limit=1) == ["new"]
    db.create_session("ancient", "cli")
    db.replace_messages("ancient", [{**old, "timestamp": clock() - 90 * DAY}])
    assert found(db, "needle", sort="oldest", limit=1) == ["ancient"]


def test_the_limit_is_from_one_to_ten(db: SessionDB) -> None:
    for number in range(12):
        talk(db, f"s{number:02}", ["needle"])
    asked: list[Any] = [-1, 0, 1, 4, 99, "2", None, "many", float("inf")]
    assert [len(found(db, "needle", limit=limit)) for limit in asked] == [1, 1, 1, 4, 10, 2, 3, 3, 3]


def test_cron_comes_behind_everybody_and_is_found_alone(db: SessionDB) -> None:
    for number in range(4):
        db.create_session(f"cron{number}", "cron")
        db.replace_messages(f"cron{number}", [{"role": "user", "content": "needle"}] * 100)
    talk(db, "own", ["a needle in a great deal of hay that makes it less relevant"])
    assert found(db, "needle")[0] == "own"
    assert len(found(db, "needle")) == 3
    db.delete_session("own")
    assert len(found(db, "needle")) == 3


def test_a_lineage_that_says_it_all_the_time_hides_no_other(db: SessionDB) -> None:
    db.create_session("loud", "cli")
    db.replace_messages("loud", [{"role": "user", "content": "needle"}] * 700)
    talk(db, "quiet", ["somewhere in here there was a needle, or so I think"])
    assert sorted(found(db, "needle")) == ["loud", "quiet"]


def test_subagents_tools_and_what_was_taken_back_are_not_found(db: SessionDB) -> None:
    talk(db, "sub", ["needle"], "subagent")
    talk(db, "script", ["needle"], "tool")
    said = talk(db, "kept", ["hello", "hi", "needle"])
    db.rewind_to_message("kept", said[2])
    answer = session_search("needle", db=db)
    assert answer == {
        "success": True,
        "mode": "discover",
        "query": "needle",
        "results": [],
        "count": 0,
        "message": "No matching sessions found.",
    }


def test_a_title_comes_first(db: SessionDB, clock: Clock) -> None:
    talk(db, "hit", ["about the auth refactor"])
    said = talk(db, "named", numbered(3))
    db.set_session_title("named", "auth refactor")
    answer = session_search("'auth refactor'", db=db)
    first, second = answer["results"]
    assert (first["session_id"], second["session_id"], answer["sessions_searched"]) == ("named", "hit", 2)
    assert (first["matched_role"], first["match_message_id"]) == ("session_title", said[0])
    assert first["snippet"] == "Session title matched: auth refactor"
    assert ids(first["messages"]) == said
    assert found(db, "auth refactor", limit=1) == ["named"]
    assert found(db, "auth refactor", current_session_id="named") == ["hit"]
    db.create_session("empty", "cli")
    db.set_session_title("empty", "auth refactor #2")
    (title, *_) = session_search("auth refactor", db=db)["results"]
    assert (title["session_id"], title["match_message_id"], title["messages"]) == ("empty", None, [])


def test_scrolling_goes_on_at_either_end(db: SessionDB) -> None:
    said = talk(db, "one", numbered(30), model="m")
    db.set_session_title("one", "long")
    answer = session_search(db=db, session_id="one", around_message_id=said[15], window=10)
    assert (answer["mode"], answer["window"], answer["around_message_id"]) == ("scroll", 10, said[15])
    assert ids(answer["messages"]) == said[5:26]
    assert (answer["messages_before"], answer["messages_after"]) == (10, 10)
    assert answer["session_meta"]["title"] == "long"
    assert list(answer["session_meta"]) == ["when", "source", "model", "title"]
    onward = session_search(
        db=db, session_id="one", around_message_id=answer["messages"][-1]["id"], window=10
    )
    assert ids(onward["messages"]) == said[15:]
    assert onward["messages_after"] == 4 < onward["window"]
    back = session_search("ignored", db=db, session_id="one", around_message_id=answer["messages"][0]["id"])
    assert ids(back["messages"]) == said[:11]
    assert (back["window"], back["messages_before"]) == (5, 5)


def test_the_window_is_from_one_to_twenty(db: SessionDB) -> None:
    said = talk(db, "one", numbered(60))

    def shown(window: Any) -> int:
        answer = session_search(db=db, session_id="one", around_message_id=said[30], window=window)
        return len(answer["messages"])

    assert [shown(window) for window in (0, 1, 20, 21, "3", None, "wide")] == [3, 3, 41, 41, 7, 11, 11]


def test_a_message_of_a_relative_is_found_where_it_is(db: SessionDB) -> None:
    talk(db, "root", ["before"])
    db.end_session("root", "compression")
    said = talk(db, "part", ["after"], parent_session_id="root")
    stranger = talk(db, "other", ["elsewhere"])
    answer = session_search(db=db, session_id="root", around_message_id=said[0])
    assert (answer["session_id"], ids(answer["messages"])) == ("part", said)
    assert answer["warning"] == (
        f"around_message_id {said[0]} lives in part (child of root); rebound transparently"
    )
    refused = session_search(db=db, session_id="root", around_message_id=stranger[0])
    assert refused == {"error": f"around_message_id {stranger[0]} not in session_id root", "success": False}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"session_id": "nobody", "around_message_id": 1}, "session_id not found: nobody"),
        ({"session_id": "nobody"}, "session_id not found: nobody"),
        ({"session_id": "one", "around_message_id": "x"}, "scroll requires integer around_message_id"),
        ({"session_id": "one", "around_message_id": 2**64}, "scroll requires integer around_message_id"),
        ({"session_id": "one", "around_message_id": 99}, "around_message_id 99 not in session_id one"),
        (
            {"session_id": "one", "around_message_id": 1, "current_session_id": "one"},
            "scroll rejected: anchor lives in the current session lineage (already in your active context)",
        ),
        ({"profile": "Bad Name"}, "profile 'Bad Name': 'Bad Name' is no profile name: small letters, digits, - and"
                                  " _ (not first), at most 64 characters."),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(db: SessionDB, asked: dict[str, Any], why: str) -> None:
    talk(db, "one", ["hello"])
    assert session_search(db=db, **asked) == {"error": why, "success": False}


def test_reading_a_session_leaves_out_the_middle_of_a_long_one(db: SessionDB) -> None:
    said = talk(db, "one", numbered(30))
    whole = session_search(db=db, session_id=" one ")
    assert (whole["mode"], whole["message_count"], whole["truncated"]) == ("read", 30, False)
    assert ids(whole["messages"]) == said
    said.append(db.append_message("one", "user", "one more"))
    cut = session_search(db=db, session_id="one")
    assert (cut["message_count"], cut["truncated"]) == (31, True)
    assert ids(cut["messages"]) == said[:20] + said[21:]
    assert cut["message"] == (
        "Session has 31 messages; showing first 20 + last 10."
        " Pass around_message_id (any id above) to scroll the middle."
    )


def test_browsing_tells_what_was_last_on(db: SessionDB, clock: Clock) -> None:
    for name in ("a", "b", "c", "d"):
        talk(db, name, [f"{name} began", "yes"])
        clock.sleep(60)
    talk(db, "sub", ["x"], "subagent", parent_session_id="a")
    db.append_message("a", "user", "again")
    db.set_session_title("a", "A")
    answer = session_search(db=db, limit=3)
    assert [result["session_id"] for result in answer["results"]] == ["a", "d", "c"]
    assert answer["results"][0] == {
        "session_id": "a",
        "title": "A",
        "source": "cli",
        "started_at": clock() - 240,
        "last_active": clock(),
        "message_count": 3,
        "preview": "a began",
    }
    assert (answer["mode"], answer["count"], answer["message"]) == (
        "browse",
        3,
        "Showing 3 most recent sessions. Pass a query= to search, or session_id+around_message_id to scroll.",
    )
    assert found(db, "  ", current_session_id="a") == ["d", "c", "b"]


def test_profiles_and_the_default_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: SessionDB
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    with pytest.raises(StoreMissing):
        session_search("needle")
    with SessionDB(tmp_path / "state.db") as own:
        talk(own, "here", ["needle"])
    with SessionDB(tmp_path / "profiles" / "work" / "state.db") as work:
        said = talk(work, "there", ["needle"])
    assert [result["session_id"] for result in session_search("needle")["results"]] == ["here"]
    assert [result["session_id"] for result in session_search("needle", profile="work")["results"]] == [
        "there"
    ]
    assert session_search(session_id="work/there")["message_count"] == 1
    linked = session_search(
        db=db, session_id="work/there", around_message_id=said[0], current_session_id="there"
    )
    assert ids(linked["messages"]) == said
    assert session_search(session_id="gone/there") == {
        "error": f"profile 'gone': No session store at {tmp_path / 'profiles' / 'gone' / 'state.db'}.",
        "success": False,
    }
    talk(db, "odd/id", ["a slash"])
    assert session_search(db=db, session_id="odd/id")["message_count"] == 1


def test_nothing_that_json_cannot_hold_comes_out(db: SessionDB, clock: Clock) -> None:
    db.create_session("one", "cli")
    db.append_message("one", "user", [{"type": "text", "text": "needle"}, {"n": float("inf")}])
    db.append_message("one", "user", b"\xff needle")
    db.append_message("one", "assistant", None, tool_calls=[{"id": "c"}])
    for message in session_search(db=db, session_id="one")["messages"]:
        json.dumps(message, allow_nan=False)
    first, second, third = session_search(db=db, session_id="one")["messages"]
    assert first["content"] == [{"type": "text", "text": "needle"}, {"n": None}]
    assert second["content"] == "\ufffd needle"
    assert (third["content"], third["tool_calls"]) == (None, [{"id": "c"}])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionDB]:
    with SessionDB(tmp_path_factory.mktemp("recall") / "state.db") as db:
        talk(db, "a", numbered(8, _3="needle 数据库"))
        yield db


@given(query=st.text(max_size=12), session_id=st.text(max_size=4), role=st.text(max_size=6))
def test_no_text_raises(shared: SessionDB, query: str, session_id: str, role: str) -> None:
    for answer in (
        session_search(query, role, db=shared),
        session_search(db=shared, session_id=session_id, around_message_id=1, current_session_id=query),
    ):
        json.dumps(answer, allow_nan=False)
