"""Helpers for tests of the embedded database with a real server."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

from config.embedded_postgres import database_url, running_pid

ROOT = Path(__file__).resolve().parents[2]


def start_python(data_dir: Path, code: str) -> "subprocess.Popen[str]":
    """Start another Python process, with its own process group, that has `data_dir` and our functions."""
    head = "import psycopg, resource, sys; from pathlib import Path; from config.embedded_postgres import *; "
    return subprocess.Popen(
        [sys.executable, "-c", f"{head}data_dir = Path(sys.argv[1]); {code}", str(data_dir)],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ask_database(data_dir: Path, question: str, *, name: str = "postgres") -> Any:
    with psycopg.connect(database_url(data_dir, name=name)) as connection:
        row = connection.execute(question.encode()).fetchone()
    return row and row[0]


def do_in_database(data_dir: Path, statement: str) -> None:
    with psycopg.connect(database_url(data_dir), autocommit=True) as connection:
        connection.execute(statement.encode())


def pid_of(data_dir: Path) -> int:
    pid = running_pid(data_dir)
    assert pid
    return pid
