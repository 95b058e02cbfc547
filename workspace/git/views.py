"""Git over smart HTTP: clone, fetch and push with stock git. The password is an API key or a token."""

import base64
import binascii
import io
import zlib
from collections.abc import Iterable
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from dulwich.errors import GitProtocolError
from dulwich.protocol import CAPABILITY_FILTER, CAPABILITY_MULTI_ACK, Protocol, ReceivableProtocol, pkt_line
from dulwich.server import DictBackend, UploadPackHandler
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from relationships.models import Relationship
from web.authentication import BearerAuthentication
from web.errors import InvalidInput, NotAllowed, TooMuch
from web.parsing import read_bytes
from workspace.api.files import WorkspaceView
from workspace.files import open_workspace, refresh_generated
from workspace.git.push import ZERO, RefUpdate, receive_push
from workspace.git.repository import HEADS, FetchedRepository, heads_of
from workspace.models import MAIN
from workspace.models.agent_session import branch_of
from workspace.store import read_head

UPLOAD, RECEIVE = "git-upload-pack", "git-receive-pack"
_CAPABILITIES = {
    UPLOAD: "multi_ack_detailed side-band-64k thin-pack ofs-delta no-progress shallow no-done "
    f"symref=HEAD:{HEADS}{MAIN} object-format=sha1",
    RECEIVE: "report-status",
}
MOST_UPDATES = 20
MOST_ASKED = 5_000_000  # bytes of a fetch request


class _UploadPack(UploadPackHandler):
    """Makes no partial clones: they fetch missing blobs one by one later, which is not supported here. Its answers to a
    client without multi_ack_detailed would take the square of the commits that this has.
    """

    def capabilities(self) -> list[bytes]:
        return [one for one in super().capabilities() if one != CAPABILITY_MULTI_ACK]

    def set_client_capabilities(self, caps: Iterable[bytes]) -> None:
        """Drop the filter capability: git sends it even if it was not advertised."""
        super().set_client_capabilities([one for one in caps if one != CAPABILITY_FILTER])


class GitAuthentication(BearerAuthentication):
    """Basic authentication, as git sends it: the password is the key."""

    def authenticate(self, request: Request) -> Any:
        scheme, _, given = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() == "basic":
            try:
                _, _, password = base64.b64decode(given, validate=True).decode("utf-8").partition(":")
            except (binascii.Error, ValueError):
                raise AuthenticationFailed("The user name and password can't be read.") from None
            request.META["HTTP_AUTHORIZATION"] = f"Bearer {password.strip()}"
        return super().authenticate(request)


class GitView(WorkspaceView):
    """The base of views that speak git's protocol. They are not in the OpenAPI schema."""

    authentication_classes = (GitAuthentication,)

    def handle_exception(self, exc: Exception) -> Any:
        answer = super().handle_exception(exc)
        if answer.status_code == 401:
            answer["WWW-Authenticate"] = 'Basic realm="rapport"'
        return answer

    def git_answer(self, service: str, kind: str, body: bytes) -> HttpResponse:
        headers = {"Cache-Control": "no-cache, max-age=0, must-revalidate"}
        return HttpResponse(body, content_type=f"application/x-{service}-{kind}", headers=headers)

    def asked(self, request: Request, *, limit: int) -> bytes:
        """Read the body, decompressed. Raises TooMuch, InvalidInput."""
        body = read_bytes(request, limit=limit)
        if request.META.get("HTTP_CONTENT_ENCODING", "").lower() != "gzip":
            return body
        unzip = zlib.decompressobj(wbits=31)
        try:
            plain = unzip.decompress(body, limit + 1)
        except zlib.error:
            raise InvalidInput.of("body", "is not gzip, as it says it is") from None
        if len(plain) > limit or not unzip.eof:
            raise TooMuch(f"The body has more than {limit} bytes.", limit=limit)
        return plain


class InfoRefsView(GitView):
    def get(self, request: Request, relationship_id: UUID) -> HttpResponse:
        service = request.GET.get("service", "")
        relationship = self.owner(relationship_id)
        if service == UPLOAD:
            refresh_generated(relationship)
        elif service == RECEIVE:
            if not self.credentials.allow("write"):
                raise NotAllowed("This needs a key with the scope 'write'.", scope="write")
            if read_head(relationship.id, MAIN) is None:
                open_workspace(relationship)
        else:
            raise InvalidInput.of("service", f"is {UPLOAD} or {RECEIVE}: use git 1.6.6 or newer")
        head = _pkt_lines(f"# service={service}\n".encode(), None)
        return self.git_answer(service, "advertisement", head + _advertised(relationship, service))


class UploadPackView(GitView):
    scopes: ClassVar = {"POST": "read"}

    def post(self, request: Request, relationship_id: UUID) -> HttpResponse:
        asked = self.asked(request, limit=MOST_ASKED)
        repository = FetchedRepository(self.owner(relationship_id))
        try:
            return self.git_answer(UPLOAD, "result", _upload(repository, asked))
        except (GitProtocolError, AssertionError, ValueError) as error:
            raise InvalidInput.of(
                "body", "asks for nothing that is here, or in no way that can be read"
            ) from error


class ReceivePackView(GitView):
    """Says in a 200 why a push is refused: git shows no reason that comes with another status."""

    open_to_sessions = ("POST",)

    def post(self, request: Request, relationship_id: UUID) -> HttpResponse:
        relationship = self.owner(relationship_id)
        try:
            asked = self.asked(request, limit=settings.MAX_WORKSPACE_BYTES + 1_000_000)
        except TooMuch as error:
            unread = f"unpack {error.detail} Push it in several parts.\n"
            return self.git_answer(RECEIVE, "result", _pkt_lines(unread.encode(), None))
        updates, pack = _read_push(asked)
        refused = self._foreign_refs(updates) or receive_push(
            relationship=relationship, updates=updates, pack=pack, by=self.actor
        )
        if not updates:
            return self.git_answer(RECEIVE, "result", b"")
        told = [f"ng {ref} {said}\n" if said else f"ok {ref}\n" for ref, said in refused.items()]
        lines = _pkt_lines(b"unpack ok\n", *map(str.encode, told), None)
        return self.git_answer(RECEIVE, "result", lines)

    def _foreign_refs(self, updates: list[RefUpdate]) -> dict[str, str]:
        """Return why a session's token may not push these refs, by ref."""
        session_id = self.credentials.session_id
        if session_id is None or {update.ref for update in updates} == {HEADS + branch_of(session_id)}:
            return {}
        said = f"this token pushes to its session's own branch, {branch_of(session_id)}"
        return {update.ref: said for update in updates}


def _pkt_lines(*lines: bytes | None) -> bytes:
    return b"".join(map(pkt_line, lines))


def _advertised(relationship: Relationship, service: str) -> bytes:
    """The branches, for a fetch below HEAD; the first line also says what the client may use."""
    heads = heads_of(relationship)
    lines = [f"{heads[MAIN]} HEAD"] if service == UPLOAD else []
    lines += [f"{sha} {HEADS}{name}" for name, sha in sorted(heads.items())]
    lines[0] += f"\0{_CAPABILITIES[service]} agent=rapport"
    return _pkt_lines(*(f"{line}\n".encode() for line in lines), None)


def _read_push(body: bytes) -> tuple[list[RefUpdate], bytes]:
    """Parse the refs to move, and the pack. Raises InvalidInput."""
    stream = io.BytesIO(body)
    protocol = Protocol(stream.read, lambda data: None)
    updates: list[RefUpdate] = []
    try:
        while (line := protocol.read_pkt_line()) is not None:
            if line.startswith(b"shallow "):  # a shallow clone's boundary; we have the whole history
                continue
            old, new, ref = line.partition(b"\0")[0].rstrip(b"\n").decode("utf-8").split(" ", 2)
            updates.append(RefUpdate(old, new, ref))
            if len(updates) > MOST_UPDATES or {len(old), len(new)} != {len(ZERO)}:
                raise ValueError("no such line")
    except Exception as error:  # dulwich raises many unrelated errors for bad lines
        raise InvalidInput.of("body", "can't be read as a push") from error
    return updates, stream.read()


def _upload(repository: FetchedRepository, asked: bytes) -> bytes:
    """Have dulwich answer a fetch. Its stubs want its own class of repositories; ours has all that it uses."""
    known: Any = {b"/": repository}
    out = io.BytesIO()
    protocol = ReceivableProtocol(io.BytesIO(asked).read, out.write)
    _UploadPack(DictBackend(known), ["/"], protocol, stateless_rpc=True).handle()
    return out.getvalue()
