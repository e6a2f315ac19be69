"""Run alone, beside a real release: `ask.py <release>` answers the questions about stores that come on its input."""

from __future__ import annotations

import json
import logging
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    logging.disable(logging.CRITICAL)
    asked: dict[str, Any] = json.load(sys.stdin)
    answers = []
    for store in asked["stores"]:
        db = import_module("hermes_state").SessionDB(db_path=Path(store))
        answers.append([_answer(db, method, given, named) for method, given, named in asked["questions"]])
        db.close()
    print(json.dumps(answers))


def _answer(db: Any, method: str, given: list[Any], named: dict[str, Any]) -> Any:
    if method == "session_search":
        tool = import_module("tools.session_search_tool")
        return json.loads(tool.session_search(*given, db=db, **named))
    return getattr(db, method)(*given, **named)


if __name__ == "__main__":
    main()
