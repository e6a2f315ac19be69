"""Makes a large, deterministic store in the v22 layout: `python -m tests.benchmarks.make_store 1000 50000 out.db`.

Shaped like a heavy user's: 20 % of the sessions continue another (chains of up to 12), 10 % are subagents, 2 % are
branches; 5 % of the messages are CJK; the words follow Zipf's law over 30,000. Inserted in bulk with the triggers taken
away; the search indexes are filled by one statement each and the triggers put back as they were.
"""

from __future__ import annotations

import bisect
import itertools
import json
import random
import shutil
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

EMPTY = Path(__file__).parents[1] / "data" / "stores" / "empty-v22-0.19.0.db"
END = datetime(2026, 11, 29, 12, tzinfo=UTC).timestamp()
SPAN = 120 * 86400
RARE_WORD = "xylophonequark"
"""In about 200 of 500,000 messages."""

_PARAGRAPHS = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split("\n\n")
COMMON_WORDS, SYLLABLES = _PARAGRAPHS[0].split(), _PARAGRAPHS[1].split()
CJK = "".join(_PARAGRAPHS[2].split())
CJK_WORDS = [
    "数据库",
    "会话",
    "搜索",
    "部署失败",
    "容器",
    "迁移",
    "备份",
    "全文检索",
    "データベース",
    "セッション",
    "배포",
]
SNIPPETS = [
    "```python\ndef {0}(self, {1}):\n    return self.{2}.get({1}, {3})\n```",
    "```bash\n$ docker build -t {0}:{1} . && kubectl rollout restart deploy/{2}\n# exit 0\n```",
    "```sql\nSELECT {0}, COUNT(*) FROM {1} GROUP BY {0} HAVING COUNT(*) > {3};\n```",
]
TOOLS = ["terminal", "search_files", "read_file", "web_search", "write_file", "patch", "session_search"]
MODELS = ["anthropic/claude-sonnet-4.6", "anthropic/claude-opus-4.6", "openai/gpt-5.4", "google/gemini-3-pro"]
SOURCES = {"cli": 55, "telegram": 18, "discord": 10, "cron": 8, "acp": 4, "slack": 3, "tool": 2}
ENDINGS = ("user_exit", "user_exit", "idle_reset", "session_reset", "cron_complete", "error")


@dataclass
class Session:
    id: str
    source: str
    started: float
    lasts: float
    model: str
    parent: str | None = None
    marker: str | None = None
    ended: str | None = None
    title: str | None = None
    root: Session | None = None
    messages: int = field(default=0)


class Words:
    """Random text with the statistics of the real thing."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        words = dict.fromkeys(COMMON_WORDS)
        while len(words) < 30_000:
            words["".join(rng.choices(SYLLABLES, k=rng.randint(2, 5)))] = None
        self._words = list(words)
        self._weights = list(itertools.accumulate(1 / (rank + 3) ** 1.02 for rank in range(len(words))))

    def word(self) -> str:
        return self._words[bisect.bisect(self._weights, self.rng.random() * self._weights[-1])]

    def sentence(self, length: int) -> str:
        return " ".join(self.word() for _ in range(length)).capitalize() + self.rng.choice("...?!")

    def cjk(self) -> str:
        rng = self.rng
        clauses = (
            "".join(rng.choices(CJK, k=rng.randint(2, 7)))
            + rng.choice(["", rng.choice(CJK_WORDS)])
            + rng.choice("，。、？")
            for _ in range(rng.randint(2, 8))
        )
        return "".join(clauses)

    def text(self, role: str) -> str:
        rng = self.rng
        if rng.random() < 0.05:
            return self.cjk()
        sentences = {"user": (1, 1, 1, 2, 3), "assistant": (1, 2, 2, 3, 4, 6), "tool": (1, 2, 4)}[role]
        text = " ".join(self.sentence(rng.randint(5, 16)) for _ in range(rng.choice(sentences)))
        if role != "user" and rng.random() < 0.18:
            text += "\n\n" + rng.choice(SNIPPETS).format(
                self.word(), self.word(), self.word(), rng.randint(1, 999)
            )
        if rng.random() < 0.0004:
            text += f" {RARE_WORD}"
        return text


class Maker:
    def __init__(self, sessions: int, messages: int) -> None:
        self.rng = random.Random(20261129 + sessions)
        self.words = Words(self.rng)
        self.wanted = messages
        # System prompts of 10-40 KB stand before the title in the row; a reader that touches rows walks them.
        self.prompts = [
            f"You are Hermes Agent. {' '.join(self.words.sentence(14) for _ in range(n))}"
            for n in (110, 220, 400)
        ]
        self.sessions: list[Session] = []
        self._families(sessions)
        self._titles()
        self._lengths()
        self.sessions.sort(key=lambda session: session.started)

    # --- sessions

    def _new(self, source: str, started: float, **facts: Any) -> Session:
        day = datetime.fromtimestamp(started, UTC)
        digits = 8 if source in ("telegram", "discord", "slack") else 6
        session = Session(
            id=f"{day:%Y%m%d_%H%M%S}_{self.rng.randrange(16**digits):0{digits}x}",
            source=source,
            started=started,
            lasts=self.rng.expovariate(1 / 2400) + 20,
            model=self.rng.choice(MODELS),
            **facts,
        )
        self.sessions.append(session)
        return session

    def _families(self, total: int) -> None:
        rng = self.rng
        continued, delegated, branched = total * 20 // 100, total * 10 // 100, total * 2 // 100
        sources = rng.choices(
            list(SOURCES), weights=list(SOURCES.values()), k=total - continued - delegated - branched
        )
        tops = [self._new(source, END - SPAN * rng.random() ** 1.3 - 60) for source in sources]
        rng.shuffle(tops)
        while continued > 0:
            length = min(continued, rng.choice((1, 1, 1, 2, 2, 3, 4, 6, 8, 11)))
            continued -= length
            self._chain(tops.pop(), length)
        for _ in range(delegated):
            parent = rng.choice(tops)
            child = self._new(
                "subagent", parent.started + rng.uniform(1, 20), parent=parent.id, marker="_delegate_from"
            )
            child.lasts, child.ended = rng.uniform(5, 200), "completed"
        for _ in range(branched):
            parent = rng.choice(tops)
            parent.ended = "branched"
            self._new(
                parent.source, parent.started + parent.lasts + 1, parent=parent.id, marker="_branched_from"
            )

    def _chain(self, top: Session, length: int) -> None:
        part = top
        for _ in range(length):
            part.ended = "compression"
            part.lasts = min(part.lasts, max(10.0, END - part.started - 30))
            started = min(part.started + part.lasts + self.rng.uniform(0.1, 3), END - 5)
            part = self._new(part.source, started, parent=part.id, root=top)

    def _titles(self) -> None:
        numbers: Counter[str] = Counter()
        used: set[str] = set()
        for session in self.sessions:
            if session.ended is None and self.rng.random() < 0.88:
                session.ended = self.rng.choice(ENDINGS)
            if session.root and session.root.title:
                numbers[session.root.title] += 1
                session.title = f"{session.root.title} #{numbers[session.root.title] + 1}"
            elif not session.root and session.source not in ("cron", "subagent") and self.rng.random() < 0.7:
                title = " ".join(self.words.word() for _ in range(self.rng.randint(3, 6)))[:80]
                if title not in used:
                    used.add(title)
                    session.title = title

    def _lengths(self) -> None:
        """Most are short, some long, one has 2,000 messages, one in a hundred none."""
        weights = [0 if self.rng.random() < 0.01 else self.rng.lognormvariate(0, 1) for _ in self.sessions]
        weights[0] = 0
        scale = (self.wanted - 2000) / sum(weights)
        for session, weight in zip(self.sessions, weights, strict=True):
            session.messages = int(weight * scale)
        self.sessions[0].messages = 2000

    # --- rows

    def messages(self, session: Session) -> Iterator[tuple[Any, ...]]:
        rng, words = self.rng, self.words
        step = max(0.05, (session.lasts - 1) / max(1, session.messages))
        clock = itertools.count(session.started + 0.5, step)

        def row(role: str, content: str | None, **columns: Any) -> tuple[Any, ...]:
            rest = (columns.get(name) for name in ("call_id", "calls", "tool", "finish", "reasoning"))
            return (session.id, role, content, round(next(clock), 3), *rest)

        while True:
            yield row("user", words.text("user"))
            if rng.random() < 0.45:
                name, call_id = rng.choice(TOOLS), f"call_{rng.randrange(16**8):08x}"
                command = "\n".join(words.sentence(5) for _ in range(rng.choice((1, 1, 3))))
                given = {"command": command, "path": f"src/{words.word()}.py"}
                # A model's own JSON; what of it is not ASCII, Hermes escapes.
                arguments = json.dumps(given, ensure_ascii=False)
                calls = [
                    {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
                ]
                said = words.text("assistant") if rng.random() < 0.4 else None
                thought = words.sentence(12) if rng.random() < 0.3 else None
                yield row("assistant", said, calls=json.dumps(calls), finish="tool_calls", reasoning=thought)
                yield row("tool", words.text("tool"), call_id=call_id, tool=name)
            yield row("assistant", words.text("assistant"), finish="stop")

    def session(self, session: Session) -> dict[str, Any]:
        read, written = (
            session.messages * self.rng.randint(200, 900),
            session.messages * self.rng.randint(30, 150),
        )
        return {
            "id": session.id,
            "source": session.source,
            "model": session.model,
            "model_config": json.dumps({session.marker: session.parent}) if session.marker else None,
            "system_prompt": self.rng.choice(self.prompts) if session.source != "cron" else None,
            "parent_session_id": session.parent,
            "started_at": round(session.started, 3),
            "ended_at": round(session.started + session.lasts, 3) if session.ended else None,
            "end_reason": session.ended,
            "message_count": session.messages,
            "input_tokens": read,
            "output_tokens": written,
            "estimated_cost_usd": round(read * 3e-6 + written * 15e-6, 6),
            "title": session.title,
            "cwd": f"/home/user/{self.rng.choice(('project', 'work/api', 'site'))}"
            if session.source == "cli"
            else None,
        }


def make(sessions: int, messages: int, path: Path) -> Path:
    """Write the store; an existing file is replaced only when the new one is whole."""
    unfinished = path.with_suffix(".unfinished")
    shutil.copyfile(EMPTY, unfinished)
    connection = sqlite3.connect(unfinished, isolation_level=None)
    connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-400000;")
    triggers = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type='trigger' AND tbl_name='messages'"
    ).fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("BEGIN")
    maker = Maker(sessions, messages)
    for session in maker.sessions:
        row = maker.session(session)
        connection.execute(
            f"INSERT INTO sessions ({','.join(row)}) VALUES ({','.join('?' * len(row))})", tuple(row.values())
        )
        # In the order of the sessions: ids grow with time, as in the store of somebody who does one thing at a time.
        connection.executemany(
            "INSERT INTO messages (session_id, role, content, timestamp, tool_call_id, tool_calls, tool_name,"
            " finish_reason, reasoning) VALUES (?,?,?,?,?,?,?,?,?)",
            itertools.islice(maker.messages(session), session.messages),
        )
    for table in ("messages_fts", "messages_fts_trigram"):
        connection.execute(
            f"INSERT INTO {table}(rowid, content) SELECT id,"
            " COALESCE(content,'')||' '||COALESCE(tool_name,'')||' '||COALESCE(tool_calls,'') FROM messages"
        )
    connection.execute("COMMIT")
    for _, sql in triggers:
        connection.execute(sql)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    unfinished.rename(path)
    return path


if __name__ == "__main__":
    began = time.perf_counter()
    made = make(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
    print(f"{made}: {made.stat().st_size >> 20} MB in {time.perf_counter() - began:.0f} s")
