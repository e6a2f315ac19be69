"""What a document tells of a conversation, and what it leaves out."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from hermes_tui.export import Exported, Format, export
from hermes_tui.text.redact import MASK
from storage import SessionDB
from tests.exporting.talks import KEY, compressed, talk


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def text_of(db: SessionDB, parts: list[str], form: Format, *, redact: bool | None = None) -> str:
    stream = io.StringIO()
    export(db, [parts], stream, form, redact=redact)
    return stream.getvalue()


def test_a_chain_as_markdown(db: SessionDB, tmp_path: Path) -> None:
    parts = compressed(db)
    done = export(db, [parts], tmp_path / "talk.md", Format.MARKDOWN)
    assert done == Exported(str(tmp_path / "talk.md"), conversations=1, messages=7, masked=3)
    when = "2026-05-29 02:00"
    assert (
        (tmp_path / "talk.md").read_text(encoding="utf-8")
        == f"""# talk about sk-proj-…\\{MASK[:-1]}\\]

- **Session:** tip
- **Source:** cli
- **Model:** m
- **Time:** {when}
- **Messages:** 8
- **Parts:** 2, one after each compression
- **Masked:** 3 secrets

## ● You · {when}

> use sk-proj-…{MASK}

## ◆ Hermes · {when}

Looking

<details>
<summary>Called terminal · 2 lines</summary>

```
command: login sk-proj-…{MASK}
n: 1
```

</details>

<details>
<summary>Result of terminal · 4 lines</summary>

```
output:
a
b
code: 0
```

</details>

## ● You · {when}

> go on

**── context compressed here · part 2 of 2 ──**

<details>
<summary>Summary of what came before</summary>

> [CONTEXT COMPACTION — REFERENCE ONLY] so far

</details>

## ◆ Hermes · {when}

### Done
"""
    )


def test_both_documents_leave_out_what_was_taken_back_and_what_was_only_thought(db: SessionDB) -> None:
    parts = compressed(db)
    for form in (Format.MARKDOWN, Format.HTML):
        text = text_of(db, parts, form)
        assert [
            word for word in ("taken back", "inner", "hm", "You are a helper") if f">{word}" in text
        ] == []
        assert KEY not in text
        assert text.count("go on") == 1
        assert text.count("context compressed here · part 2 of 2") == 1
        assert KEY in text_of(db, parts, form, redact=False)


def test_what_a_compaction_archived_within_a_session_is_told_once(db: SessionDB) -> None:
    talk(db, "s")
    db.archive_and_compact(
        "s",
        [
            {"role": "user", "content": "[CONTEXT COMPACTION — REFERENCE ONLY] so far"},
            {"role": "assistant", "content": "hi"},
            {"role": "user", "content": "next"},
        ],
    )
    text = text_of(db, ["s"], Format.MARKDOWN)
    assert [text.count(f"\n{line}\n") for line in ("> hello", "hi", "> next")] == [1, 1, 1]
    assert text.count("context compressed here") == 1


def test_one_part_alone(db: SessionDB) -> None:
    compressed(db)
    text = text_of(db, ["root"], Format.MARKDOWN)
    assert "context compressed here" not in text
    assert "- **Session:** root\n" in text
