"""What the web server runs in each of its processes: the gateway in front of the WSGI application."""

import gc
import os
import signal
import sys
from contextlib import suppress
from typing import Any

# Granian's own handler is inherited by the fork, and would swallow a SIGTERM until the server is up.
signal.signal(signal.SIGTERM, signal.SIG_DFL)

from config.supervision import die_with_parent

die_with_parent(signal.SIGTERM)  # if the parent is killed, or the port would stay taken
if os.getppid() != int(os.environ.get("RAPPORT_WEB_PID") or os.getppid()):
    sys.exit("The web server's first process ended before this one had begun.")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("RAPPORT_PROCESS", "web")

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.core.handlers.wsgi import WSGIRequest

from config import tracing

_folder = settings.BASE_DIR  # reads what the environment and .env say
tracing.begin("web")  # before the middleware is loaded

from config.loading import load_code
from config.wsgi import application as django_application
from web.middleware import CrossOriginMiddleware
from web.problems import problem
from web.server.body import Refused
from web.server.call import Answer, answer_of
from web.server.gateway import Gateway, Limits


def _refusal(environ: dict[str, Any], refused: Refused) -> Answer:
    """A problem document like any other error, with CORS headers, and Retry-After if it is temporary."""
    headers = {"Retry-After": "1"} if refused.status in (408, 429, 503) else {}
    answer = problem(refused.status, refused.code, refused.detail, headers=headers)
    with suppress(MiddlewareNotUsed):
        CrossOriginMiddleware(lambda request: answer)(WSGIRequest(environ))
    return answer_of(answer)


def _limits() -> Limits:
    threads = settings.WEB_THREADS
    return Limits(
        threads=threads,
        running_each=max(1, min(threads * 3 // 4, threads - 2)),  # and one long body in addition
        open_each=settings.MAX_AT_ONCE,
        open_together=16 * settings.MAX_AT_ONCE,
        streams=settings.MAX_STREAMS,
        chats=settings.CHAT_THREADS,
        body=settings.MAX_BODY_BYTES,
        large_body=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        proxies=settings.PROXIES,
    )


# Hide all that is loaded from the garbage collector: with Django, a full collection takes 32 ms, during which no
# request is answered.
load_code()
application = tracing.serving(Gateway(django_application, limits=_limits(), refusal=_refusal))
gc.collect()
gc.freeze()
