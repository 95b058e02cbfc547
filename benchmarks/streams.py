"""A model that streams, and a load of streams, each a process of its own with nothing of ours or of Django in it.

python -m benchmarks.streams           serves, and prints its address
python -m benchmarks.streams pass URL  passes on to it what it is asked and what comes back, and does nothing else
python -m benchmarks.streams load      reads {host, port, request, count} and tells when each stream's parts came

Model and clients are other machines' in earnest, so here they leave the processor to the service where it wants it.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from time import perf_counter, process_time
from typing import Any
from urllib.parse import urlsplit

WORDS, PAUSE_SECONDS = 20, 0.05
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {
        "id": "bench",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "bench",
        "choices": [choice],
    }
    return _chunk(f"data: {json.dumps(chunk)}\n\n".encode())


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


_PARTS = [_event({"content": f"word{number} "}) for number in range(WORDS)]
_ENDING = _event({}, "stop") + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = head.decode().lower().split("\r\n")
            length = next((line for line in lines if line.startswith("content-length:")), ":0")
            await reader.readexactly(int(length.partition(":")[2]))
            writer.write(_HEAD)
            for number, part in enumerate(_PARTS):
                if number:
                    await asyncio.sleep(PAUSE_SECONDS)
                writer.write(part)
                await writer.drain()
            writer.write(_ENDING)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        return
    finally:
        writer.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, port: int) -> None:
    model, to_model = await asyncio.open_connection("127.0.0.1", port)

    async def copy(given: asyncio.StreamReader, taken: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while part := await given.read(65536):
                taken.write(part)
                await taken.drain()
            taken.close()

    await asyncio.gather(copy(reader, to_model), copy(model, writer))


async def serve(answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    await server.serve_forever()


async def _one(load: dict[str, Any], number: int) -> dict[str, Any]:
    """Milliseconds to the first word and to the end; `whole` is whether it ended as it should."""
    began, first = perf_counter(), None
    reader, writer = await asyncio.open_connection(load["host"], load["port"])
    writer.write(load["request"].replace("NNNN", f"{number:04}").encode())
    heard = bytearray()
    while not heard.endswith(b"0\r\n\r\n"):
        part = await reader.read(65536)
        if not part:
            break
        heard += part
        if first is None and b"word0" in heard:
            first = perf_counter()
    writer.close()
    ended = perf_counter()
    return {
        "first": ((first or ended) - began) * 1000,
        "end": (ended - began) * 1000,
        "whole": b"data: [DONE]" in heard and f"word{WORDS - 1}".encode() in heard,
    }


async def load(told: dict[str, Any]) -> dict[str, Any]:
    began, cpu = perf_counter(), process_time()
    streams = await asyncio.gather(*(_one(told, number) for number in range(told["count"])))
    return {"seconds": perf_counter() - began, "cpu_seconds": process_time() - cpu, "streams": streams}


if __name__ == "__main__":
    os.nice(0 if sys.argv[1:2] == ["pass"] else 10)
    if sys.argv[1:] == ["load"]:
        json.dump(asyncio.run(load(json.load(sys.stdin))), sys.stdout)
    elif sys.argv[1:2] == ["pass"]:
        asyncio.run(serve(partial(_pass, port=urlsplit(sys.argv[2]).port or 0)))
    else:
        asyncio.run(serve(_answer))
