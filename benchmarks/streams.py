"""A model that streams: `python -m benchmarks.streams` serves, and prints its address.

In production the model is another machine, so here it has a lower priority than the service.
"""

import asyncio
import json
from contextlib import suppress

from benchmarks.load import give_way

WORDS, PAUSE_SECONDS = 20, 0.05
MARKS = ("word0", f"word{WORDS - 1}", "[DONE]")  # in every complete answer; the first word first
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _chunk(text: str) -> bytes:
    event = f"data: {text}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(event), event)


def _part(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    alike = {"id": "bench", "object": "chat.completion.chunk", "created": 0, "model": "bench"}
    return _chunk(json.dumps({**alike, "choices": [choice]}))


_PARTS = [_part({"content": f"word{number} "}) for number in range(WORDS)]
_ENDING = _part({}, "stop") + _chunk("[DONE]") + b"0\r\n\r\n"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(asyncio.IncompleteReadError, ConnectionError):
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
    writer.close()


async def serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    give_way()
    asyncio.run(serve())
