"""Plain git, without any of this machine's settings."""

import os
import subprocess
from pathlib import Path

ALONE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


class Git:
    """A person's folder, in which to run git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, *words: str, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        env = {**os.environ, **ALONE}
        return subprocess.run(["git", *words], cwd=self.folder, env=env, input=data, capture_output=True)

    def __call__(self, *words: str, data: bytes | None = None) -> str:
        done = self.run(*words, data=data)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def write(self, path: str, content: bytes) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def commit(self, path: str, content: bytes, message: str = "change") -> None:
        self.write(path, content)
        self("add", "-A")
        self("commit", "-qm", message)

    def refused(self) -> str:
        done = self.run("push", "-q", "origin", "HEAD:main")
        assert done.returncode != 0, "the push was taken"
        return done.stderr.decode()
