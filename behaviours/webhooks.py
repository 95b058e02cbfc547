"""Calls a developer's URL, signed according to Standard Webhooks (standardwebhooks.com)."""

import base64
import hashlib
import hmac
import time
from collections.abc import Iterable
from uuid import UUID

import orjson
from django.conf import settings

from behaviours.execution import Work
from config.postgresql.sessions import release_connection
from memory.ingestion.templates import render_instructions
from providers.statuses import retry_after_seconds
from web.outgoing import OutgoingError, call
from worker.failures import WebhookFailed
from worker.silence import OWN_ADDRESSES, calls_in_flight

# Statuses that may be temporary; any other 4xx would come again.
PASSING = frozenset({408, 409, 425, 429})
LARGEST_ANSWER = 4096  # bytes of the answer that are kept


def secret_of(companion_id: UUID, number: int) -> str:
    """A secret that signs a companion's webhooks. It is derived from RAPPORT_SECRET_KEY, and changes with it."""
    return "whsec_" + base64.b64encode(_key(companion_id, number)).decode()


def sign(companion_id: UUID, *, secrets: Iterable[int], webhook_id: str, timestamp: int, body: bytes) -> str:
    """A signature by each of the secrets, given by their numbers."""
    signed = b".".join([webhook_id.encode(), str(timestamp).encode(), body])
    digests = (hmac.new(_key(companion_id, number), signed, hashlib.sha256).digest() for number in secrets)
    return " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)


def call_webhook(work: Work) -> None:
    """Call the behaviour's webhook. Raises InvalidTemplate, WebhookFailed."""
    webhook, run = work.behaviour.webhook, work.run
    assert webhook is not None and webhook.url is not None
    body = _body(work)
    work.values["rendered"] = body.decode()
    try:
        status, told = post_signed(
            webhook.url,
            project_id=run.project_id,
            companion_id=work.relationship.companion_id,
            secrets=work.configuration.webhooks.secrets,
            webhook_id=str(run.id),
            body=body,
            seconds=webhook.timeout_seconds,
        )
    except WebhookFailed as error:
        work.values["answer"] = error.answer
        raise
    work.values |= {"answer": told, "outcome": f"The address answered {status}."}


def post_signed(
    url: str,
    *,
    project_id: UUID,
    companion_id: UUID,
    secrets: Iterable[int],
    webhook_id: str,
    body: bytes,
    seconds: float,
) -> tuple[int, str]:
    """POST a signed body. Returns the status and the beginning of the answer. Holds no database connection meanwhile.
    Raises WebhookFailed, HeldBack.
    """
    stamp = int(time.time())
    headers = {
        "content-type": "application/json",
        "user-agent": "Rapport",
        "webhook-id": webhook_id,
        "webhook-timestamp": str(stamp),
        "webhook-signature": sign(
            companion_id, secrets=secrets, webhook_id=webhook_id, timestamp=stamp, body=body
        ),
    }
    release_connection()
    try:
        with calls_in_flight.call(project_id, OWN_ADDRESSES):
            answer = call("POST", url, headers=headers, body=body, seconds=seconds, largest=LARGEST_ANSWER)
    except OutgoingError as error:
        raise WebhookFailed(error.code, str(error), passing=not error.refused) from None
    told = answer.body.decode("utf-8", "replace").replace("\x00", "\ufffd")
    if not 200 <= answer.status < 300:
        passing = answer.status >= 500 or answer.status in PASSING
        said = f"The address answered {answer.status}."
        wait = retry_after_seconds(answer.headers)
        raise WebhookFailed(f"status_{answer.status}", said, passing=passing, answer=told, retry_after=wait)
    return answer.status, told


def _body(work: Work) -> bytes:
    webhook, run, relationship = work.behaviour.webhook, work.run, work.relationship
    assert webhook is not None
    turn = {"id": run.turn_id, "occurred_at": work.turn.occurred_at} if work.turn else None
    return orjson.dumps(
        {
            "type": "behaviour.fired",
            "timestamp": work.moment.now,
            "data": {
                **webhook.data,
                "behaviour": run.behaviour,
                "companion": relationship.companion.slug,
                "relationship": relationship.id,
                "user": relationship.user.external_id,
                "session": run.session,
                "turn": turn,
                "text": render_instructions(webhook.text, work.variables()),
            },
        },
        option=orjson.OPT_UTC_Z,
    )


def _key(companion_id: UUID, number: int) -> bytes:
    told = f"webhook:{companion_id}" + (f":{number}" if number else "")
    return hmac.new(settings.SECRET_KEY.encode(), told.encode(), hashlib.sha256).digest()
