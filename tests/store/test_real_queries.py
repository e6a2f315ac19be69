"""What people type, over stores as releases wrote them: every answer was looked up in the rows by hand."""

from __future__ import annotations

import pytest

from storage import HiddenClass, SearchOrder, SessionDB, parse
from tests.support.stores import CopyStore

QUERIES: dict[str, set[int]] = {
    "kubernetes": {9, 11},
    "KUBERNETES migration": {9, 11},
    "chat-send": {28, 61},
    "don't": {61},
    "50%": {61},
    "100%": {61},
    "P2.2": {61},
    "my-app.config.ts": {61},
    "coverage_for": {61},
    "数据库": {78, 79},
    "迁移": {78},
    "器": {78, 81},
    "数据库 state.db": {79},
    "数据库 NOT 停机 NOT 迁移": set(),
    "服务器 OR 分词器": {78, 81},
    "数据库 NOT 停机": {78},
    "中文吗": {80},
    "备份": {79},
    "分词器（trigram）": {81},
    "trigram": {81},
    "セッション": {63, 64},
    "一覧": {63},
    "도커": {59},
    "컨테이너": {60},
    "🚀": {85},
    "👍🏽": {85},
    "✅": {86},
    "cafe": {86},
    "ZURICH naive": {86},
    "eclair": {85},
    "قاعدة": {82},
    "export": {30, 31, 83},
    "undone": set(),
    "TODO": {127, 129, 132},
    "todo*": {126, 127, 129, 132},
    "web_search": {130, 131},
    "src/main.py": {129},
    "main.py:12": {132},
    "sqlite -wal": {23},
    "nomad OR weather": {12, 13, 15},
    "python NOT java": {6, 24, 42},
    '"las vegas"': {13},
    "31°C": {14},
    "%s": {13, 21, 92},
    "jsonl": {31, 32},
    "state.db": {79},
    "pgvector": {71},
    "rust fast": {69, 73},
    "rust fast role:assistant": {73},
    "qdrant tool:delegate_task role:tool": {69},
    "docker source:telegram": set(),
    "weather source:telegram": {13, 15},
    "backup source:cron": {89, 90, 123, 124},
    "zzqqxx": set(),
}

STORES = ("state-v22-0.19.0.db", "state-v23.db", "state-v23-rebuilding.db", "state-v23-legacyfts.db")


@pytest.mark.parametrize("order", SearchOrder)
@pytest.mark.parametrize("name", STORES)
def test_every_answer(copy_store: CopyStore, name: str, order: SearchOrder) -> None:
    with SessionDB(copy_store(name), read_only=True) as db:
        found = {}
        for text in QUERIES:
            query = parse(text, typing=False)
            result = db.search(query, frozenset(HiddenClass), order=order)
            assert result.exhausted
            found[text] = {id_ for hit in result.hits for id_ in hit.messages}
    assert found == QUERIES


@pytest.mark.parametrize("name", STORES)
def test_what_is_in_many_messages(copy_store: CopyStore, name: str) -> None:
    with SessionDB(copy_store(name), read_only=True) as db:
        hit = db.search(parse('"docker deployment" ')).hits[0]
        assert (hit.entry.id, hit.hits, hit.messages) == (
            "20261128_120000_8cd283",
            14,
            (121, 119, 117, 115, 113, 111, 109, 107),
        )
