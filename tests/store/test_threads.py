"""One store, many threads: what one writes, every other reads; nothing is lost, nothing raises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from storage import SessionDB
from storage.errors import TitleTaken

WRITERS, READERS, EACH = 4, 6, 40


def test_many_readers_and_writers_of_one_door(db: SessionDB) -> None:
    for writer in range(WRITERS):
        db.create_session(f"s{writer}", "cli")
    done = threading.Event()

    def write(writer: int) -> list[int]:
        ids = []
        for place in range(EACH):
            ids.append(db.append_message(f"s{writer}", "user", f"word{writer} 词 {place}"))
            db.update_token_counts(f"s{writer}", 1, 2)
        return ids

    def read(reader: int) -> int:
        looks: list[Callable[[], object]] = [
            lambda: db.search_messages("word1 OR 词"),
            lambda: db.list_sessions_rich(order_by_last_active=True),
            lambda: db.get_messages(f"s{reader % WRITERS}"),
            lambda: db.export_session_lineage("s0"),
            lambda: db.listing(),
            lambda: db.changes(),
        ]
        rounds = 0
        while not done.is_set() or not rounds:
            for look in looks:
                look()
            rounds += 1
        return rounds

    with ThreadPoolExecutor(WRITERS + READERS) as threads:
        readers = [threads.submit(read, reader) for reader in range(READERS)]
        written = [threads.submit(write, writer) for writer in range(WRITERS)]
        try:
            ids = [one for writer in written for one in writer.result()]
        finally:
            done.set()
        assert all(reader.result() > 0 for reader in readers)

    assert len(set(ids)) == WRITERS * EACH
    for writer in range(WRITERS):
        session = db.get_session(f"s{writer}")
        assert session is not None
        counted = (session["message_count"], session["input_tokens"], session["output_tokens"])
        assert counted == (EACH, EACH, 2 * EACH)
        said = [message["content"] for message in db.get_messages(f"s{writer}")]
        assert said == [f"word{writer} 词 {place}" for place in range(EACH)]
    assert len(db.search_messages("词", limit=-1)) == WRITERS * EACH
    assert db.reader.rows("PRAGMA integrity_check") == [("ok",)]


def test_the_writer_is_opened_once(db: SessionDB) -> None:
    with SessionDB(db.path, migrate=False) as another, ThreadPoolExecutor(8) as threads:
        assert len({id(writer) for writer in threads.map(lambda _: another.writer(), range(8))}) == 1


def test_titles_stay_unique(db: SessionDB) -> None:
    """Everybody wants the same title at the same time; one gets it."""
    for place in range(8):
        db.create_session(f"s{place}", "cli")

    def take(place: int) -> bool:
        try:
            return db.set_session_title(f"s{place}", "mine")
        except TitleTaken:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(take, range(8))) == 1
