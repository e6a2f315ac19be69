"""Case 31, what programs do with such rows: read, export, list, write beside them, delete."""

from __future__ import annotations

import json

from tests.cases.test_case_31_malformed_json_and_nulls import SETUP
from tests.support.both_ways import both_ways, opened
from tests.support.stores import BuildV11

CALL = {"function": {"name": "terminal", "arguments": '{"cmd": "ls'}}


def test_all_are_listed(build_v11: BuildV11) -> None:
    # As it is: the migration to version 16 takes `tc` for an orphaned subagent, and this list has none (spec 2.2).
    with opened(build_v11(SETUP), migrate=False) as db:
        rows = db.list_sessions_rich()
        assert [(row["id"], row["preview"]) for row in rows] == [
            ("tc", ""),
            ("arr", ""),
            ("mc", "there"),
            ("ok", "hi"),
        ]
        assert db.session_count(exclude_children=True) == 4


@both_ways
def test_messages_degrade(build_v11: BuildV11, migrate: bool) -> None:
    with opened(build_v11(SETUP), migrate) as db:
        read = [(m["id"], m["content"], m["tool_calls"]) for m in db.get_messages("tc")]
        assert read == [(4, None, []), (5, None, [CALL]), (6, "", None)]
        said = db.get_messages_as_conversation("tc")
        assert [message.get("tool_calls") for message in said] == [[], [CALL], None]
        assert [message["role"] for message in db.get_messages_as_conversation("arr")] == ["weird-role"]


@both_ways
def test_an_export_can_be_written_down(build_v11: BuildV11, migrate: bool) -> None:
    with opened(build_v11(SETUP), migrate) as db:
        for exact in (False, True):
            written = json.dumps(db.export_all(exact=exact))
            assert {one["id"]: len(one["messages"]) for one in json.loads(written)} == {
                "tc": 3,
                "arr": 1,
                "mc": 1,
                "ok": 1,
            }
        exported = db.export_session("tc", exact=True)
        assert exported is not None
        assert exported["messages"][0]["tool_calls"] == "[Calling tool: terminal"


@both_ways
def test_writing_goes_on_beside_them(build_v11: BuildV11, migrate: bool) -> None:
    with opened(build_v11(SETUP), migrate) as db:
        for session in ("mc", "arr", "tc"):
            db.append_message(session, "user", "more")
            db.update_token_counts(session, 1, 2, model="m")
            assert db.set_session_title(session, f"title of {session}") is True
        assert db.create_session("mc", "cli", model_config={"new": 1}) == "mc"
        kept = db.get_session("mc")
        assert kept is not None
        assert kept["model_config"] == "{bad"
        assert [db.delete_session(session) for session in ("mc", "arr", "tc")] == [True, True, True]
        assert db.message_count() == 1


def test_an_orphan_keeps_what_cannot_be_read(build_v11: BuildV11) -> None:
    parents = "UPDATE sessions SET parent_session_id = 'ok' WHERE id IN ('mc', 'arr', 'tc');"
    with opened(build_v11(SETUP + parents), migrate=False) as db:
        assert db.delete_session("ok") is True
        configs = {row["id"]: json.loads(row["model_config"]) for row in db.search_sessions()}
        assert configs == {
            "mc": {"_unreadable": "{bad", "_delegate_from": "ok"},
            "arr": {"_unreadable": "[1,2]", "_delegate_from": "ok"},
            "tc": {"_delegate_from": "ok"},
        }
        assert db.list_sessions_rich() == []
