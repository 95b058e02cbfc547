"""A proxy that adds a key to every request, for programs that can't be given one."""

import http.client
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.loopback import Loopback

OF_ONE_HOP = ("connection", "transfer-encoding", "content-length")


class Forwarder(Loopback):
    def __init__(self, url: str, key: str) -> None:
        target = urlsplit(url).netloc

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with closing(http.client.HTTPConnection(target, timeout=60)) as onward:
                    onward.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                    for name, value in self.headers.items():
                        if name.lower() not in ("connection", "transfer-encoding"):
                            onward.putheader(name, value)
                    onward.putheader("Authorization", f"Bearer {key}")
                    onward.endheaders(body)
                    answer = onward.getresponse()
                    told, headers = answer.read(), answer.getheaders()
                self.send_response_only(answer.status)
                for name, value in headers:
                    if name.lower() not in OF_ONE_HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            do_GET = do_POST = do_DELETE = _pass_on  # noqa: N815 - the names of http.server

            def log_message(self, *words: object) -> None:
                pass

        super().__init__(Handler)
