"""Case 31: malformed JSON and NULLs in one row. (Export and `get_messages` wait for their issues.)"""

from __future__ import annotations

from storage import SessionDB, Status
from tests.support.stores import NOW, BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,model_config,model,user_id) VALUES
('ok','cli',1780000000,'{}','m',NULL),('mc','cli',1780000001,'{bad',NULL,NULL),
('arr','',1780000002,'[1,2]',NULL,NULL),('tc','cli',1780000003,NULL,NULL,NULL);
INSERT INTO messages(id,session_id,role,content,tool_calls,tool_name,timestamp) VALUES
(1,'ok','user','hi',NULL,NULL,1780000001),
(2,'mc','user','there',NULL,NULL,1780000002),(3,'arr','weird-role','odd',NULL,NULL,1780000003),
(4,'tc','assistant',NULL,'[Calling tool: terminal',NULL,1780000004),
(5,'tc','assistant',NULL,'[{"function":{"name":"terminal","arguments":"{\\"cmd\\": \\"ls"}}]','terminal',1780000005),
(6,'tc','tool','',NULL,'terminal',1780000006);"""


def test_all_four_are_listed_as_they_are(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True, clock=lambda: NOW) as db:
        listing = db.listing()
        assert [entry.id for entry in listing.entries] == ["tc", "arr", "mc", "ok"]
        rows = {row.id: row for row in db.details(listing.entries)}
        assert {id_: (row.source, row.model, row.messages) for id_, row in rows.items()} == {
            "ok": ("cli", "m", 1),
            "mc": ("cli", "", 1),
            "arr": ("", "", 1),
            "tc": ("cli", "", 3),
        }
        assert {id_: row.status for id_, row in rows.items()} == {
            "ok": Status.INTERRUPTED,
            "mc": Status.INTERRUPTED,
            "arr": Status.COMPLETE,
            "tc": Status.INTERRUPTED,
        }


def test_each_of_them_opens(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        assert [(m.role, m.text) for m in db.transcript(("arr",)).messages] == [("weird-role", "odd")]
        broken, good, result = db.transcript(("tc",)).messages
        assert (broken.id, broken.text, broken.tool_calls) == (4, "[Calling tool: terminal", ())
        assert [(call.name, call.arguments) for call in good.tool_calls] == [("terminal", '{"cmd": "ls')]
        assert (result.role, result.text, result.tool_name) == ("tool", "", "terminal")
