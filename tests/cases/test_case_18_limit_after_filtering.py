"""Case 18: a limit comes after the filtering, and the list stays quick beside twenty thousand children."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import HiddenClass, SessionDB, parse
from storage.engine.connection import Reader
from tests.support.stores import BuildV11

SETUP = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)
INSERT INTO sessions(id,source,started_at,parent_session_id,model_config)
SELECT 'child'||i,'cli',1780000000+i,'root1','{"_delegate_from":"root1"}' FROM n;
INSERT INTO sessions(id,source,started_at,title) VALUES('root1','cli',1779000000,'one'),
('root2','cli',1779000001,'two'),('root3','cli',1779000002,'needle three');
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','hello '||id,started_at FROM sessions;"""

THREE = ["root3", "root2", "root1"]


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(SETUP)


def test_three_rows_whatever_the_limit(path: Path) -> None:
    with SessionDB(path, read_only=True) as db:
        whole = db.listing()
        assert [entry.id for entry in whole.entries] == THREE
        assert (whole.total, whole.hidden) == (3, {HiddenClass.SUBAGENT: 20_000})
        # Twenty are not there, so the page is the whole, and says so.
        assert db.first_page(limit=20) == whole
        everything = db.first_page(frozenset({HiddenClass.SUBAGENT}), limit=20)
        assert [entry.id for entry in everything.entries] == [f"child{n}" for n in range(20_000, 19_980, -1)]


def test_the_filter_finds_the_one_that_is_shown(path: Path) -> None:
    with SessionDB(path, read_only=True) as db:
        assert [hit.entry.id for hit in db.search(parse("needle")).hits] == ["root3"]


def test_the_whole_crosses_in_a_few_rows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SessionDB(path, read_only=True) as db:
        crossed: list[int] = []
        run = Reader._run

        def spy(self: Reader, *args: object) -> object:
            answer = run(self, *args)  # type: ignore[arg-type]
            crossed.append(len(answer) if isinstance(answer, list) else 1)
            return answer

        monkeypatch.setattr(Reader, "_run", spy)
        assert db.listing(show=frozenset(HiddenClass)).total == 20_003
        assert sum(crossed) == 2 + 6  # the starts, the parents, and every four thousand sessions
