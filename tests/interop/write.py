"""Run alone, one of several: `write.py PACKAGES MODULE STORE NAME TURNS` appends and renames as fast as it can."""

from __future__ import annotations

import json
import logging
import sys
from importlib import import_module
from pathlib import Path


def main() -> None:
    packages, module, store, name, turns = sys.argv[1:]
    sys.path.insert(0, packages)
    logging.disable(logging.CRITICAL)
    db = import_module(module).SessionDB(db_path=Path(store))
    db.create_session(session_id=name, source="cli", model="m")
    print("ready", flush=True)
    sys.stdin.readline()
    taken = []
    for turn in range(int(turns)):
        db.append_message(session_id="everybody", role="user", content=f"shared {name}word{turn}")
        db.append_message(session_id=name, role="assistant", content=f"own {name}word{turn}")
        db.set_session_title(name, f"{name} at turn {turn}")
        try:
            db.set_session_title(name, "wanted by all")
        except ValueError as error:
            taken.append(str(error))
    db.close()
    print(json.dumps(taken))


if __name__ == "__main__":
    main()
