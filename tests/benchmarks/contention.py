"""`python -m tests.benchmarks.contention`: eight processes write at once, under our policy and under the seeds'.

Both in one run, turn about, for the disk has its moods. The seeds wait as SQLite does: for a second in each of 15
tries, at pauses that grow to 0.1 s, and 20 to 150 ms between two tries.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sqlite3
import tempfile
import time
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from storage.engine.writer import WritePolicy, open_writer

POLICIES = {"ours": WritePolicy(), "the seeds'": WritePolicy(poll=None)}
PROCESSES = 8
WRITES = 200


class Run(NamedTuple):
    """Seconds for all, then for one write."""

    total: float
    half: float
    p99: float
    longest: float


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.contention", description="Writers in a crowd."
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--think", type=float, default=0.0, help="seconds at most between two writes of a process"
    )
    parser.add_argument(
        "--directory", type=Path, help="where to write (default: the system's temporary directory)"
    )
    arguments = parser.parse_args()
    runs: dict[str, list[Run]] = {name: [] for name in POLICIES}
    for _ in range(arguments.rounds):
        for name in random.sample(list(POLICIES), len(POLICIES)):
            runs[name].append(measure(POLICIES[name], arguments.think, arguments.directory))
    print(f"{PROCESSES} processes × {WRITES} writes, medians of {arguments.rounds} rounds; one write in ms")
    print(f"{'policy':12}{'total s':>9}{'p50':>8}{'p99':>8}{'longest':>9}")
    for name, found in runs.items():
        total, half, p99, longest = (median(values) for values in zip(*found, strict=True))
        print(f"{name:12}{total:9.2f}{half * 1000:8.1f}{p99 * 1000:8.1f}{longest * 1000:9.0f}")


def measure(policy: WritePolicy, think: float, directory: Path | None) -> Run:
    with tempfile.TemporaryDirectory(dir=directory) as place:
        store = Path(place) / "state.db"
        writer = open_writer(store)
        writer.write(
            lambda c: c.execute("INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1)")
        )
        writer.close()
        ready = multiprocessing.Barrier(PROCESSES + 1)
        told: multiprocessing.Queue[list[float]] = multiprocessing.Queue()
        crowd = [
            multiprocessing.Process(target=write_many, args=(store, policy, think, ready, told))
            for _ in range(PROCESSES)
        ]
        for process in crowd:
            process.start()
        ready.wait()
        began = time.perf_counter()
        times = [seconds for _ in crowd for seconds in told.get()]
        total = time.perf_counter() - began
        for process in crowd:
            process.join()
        lost = PROCESSES * WRITES - len(times)
        assert not lost, f"{lost} writes were lost"
        cuts = quantiles(times, n=100)
        return Run(total, cuts[49], cuts[98], max(times))


def write_many(
    store: Path, policy: WritePolicy, think: float, ready: Barrier, told: multiprocessing.Queue[list[float]]
) -> None:
    writer = open_writer(store, policy=policy)
    ready.wait()
    times = []
    for _ in range(WRITES):
        time.sleep(random.uniform(0, think))
        began = time.perf_counter()
        writer.write(append, touches_messages=True)
        times.append(time.perf_counter() - began)
    told.put(times)
    writer.close()


def append(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'user', ?, 1)",
        ("so many words " * 20,),
    )
    connection.execute("UPDATE sessions SET message_count = message_count + 1 WHERE id = 's'")


if __name__ == "__main__":
    main()
