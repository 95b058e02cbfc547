"""Parse an uploaded file strictly: one part `file`, a text part for each other field, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import QueryDict
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.utils.datastructures import MultiValueDict
from rest_framework.request import Request

from web.errors import FieldProblem, InvalidInput, TooMuch
from web.parsing import read_bytes
from web.problems import MalformedBody, WrongMediaType

MULTIPART = "multipart/form-data"
FILE = "file"
AROUND = 16_384  # bytes of a body besides the file: boundaries, headers and the other fields
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file. `name`: its file name, without a path; `fields`: the other parts."""

    name: str
    content: bytes
    fields: Mapping[str, str]


class _InMemory(MemoryFileUploadHandler):
    """Keeps the file in memory, as it is never longer than the body, whose length was checked."""

    def handle_raw_input(self, *args: Any, **kwargs: Any) -> None:
        self.activated = True


def read_upload(request: Request, *, limit: int, fields: tuple[str, ...] = ()) -> Upload:
    """The file, of at most `limit` bytes, and the fields. Raises MalformedBody, WrongMediaType, LengthRequired,
    TooMuch, InvalidInput.
    """
    given = (request.content_type or "").partition(";")[0].strip().lower()
    body = read_bytes(request, limit=limit + AROUND)
    if given != MULTIPART:
        raise WrongMediaType(f"Send Content-Type: {MULTIPART}, not {given[:80] or 'none'}.")
    texts, files = _parts(request, body)
    _check_names(texts, files, fields)
    file = files.getlist(FILE)[0]
    content: bytes = file.read()
    if len(content) > limit:
        raise TooMuch(f"The file is {len(content)} bytes long; at most {limit} are allowed.", limit=limit)
    return Upload(_file_name(str(file.name)), content, {name: str(texts[name]) for name in texts})


def _parts(request: Request, body: bytes) -> tuple[QueryDict, MultiValueDict[str, Any]]:
    try:
        meta = {**request.META, "CONTENT_LENGTH": len(body)}
        texts, files = MultiPartParser(meta, BytesIO(body), [_InMemory(request._request)], "utf-8").parse()
    except MultiPartParserError as error:
        raise MalformedBody(f"The body can't be read as {MULTIPART}: {error}") from None
    return texts, files


def _check_names(texts: QueryDict, files: MultiValueDict[str, Any], fields: tuple[str, ...]) -> None:
    problems = [
        FieldProblem(name[:80], "is not a known field") for name in texts if name not in (*fields, FILE)
    ]
    problems += [FieldProblem(name[:80], "is not a known field") for name in files if name != FILE]
    problems += [FieldProblem(name, "stands twice") for name in texts if len(texts.getlist(name)) > 1]
    if FILE in texts:
        problems.append(FieldProblem(FILE, "must be a file, with a filename"))
    elif FILE not in files:
        problems.append(FieldProblem(FILE, "is required"))
    elif len(files.getlist(FILE)) > 1:
        problems.append(FieldProblem(FILE, "stands twice"))
    if problems:
        raise InvalidInput.naming(problems)


def _file_name(name: str) -> str:
    """The file name on one line, shortened if necessary, with its extension."""
    kept = "".join(sign if sign.isprintable() else " " for sign in name).strip() or FILE
    if len(kept) <= LONGEST_NAME:
        return kept
    stem, dot, ending = kept.rpartition(".")
    end = f"{dot}{ending}" if stem and len(ending) <= 10 else ""
    return kept[: LONGEST_NAME - len(end)] + end
